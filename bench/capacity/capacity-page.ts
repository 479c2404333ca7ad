/** Capacity report as one self-contained HTML page. Charts are drawn by uPlot, which stands in the page. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type CapacityReport,
  type Chart,
  factsOf,
  type Section,
  sectionsOf,
} from './capacity-report.ts';

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 1040px; margin: 0 auto; padding: 24px 16px; font: 15px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; }
section { margin-top: 32px; } h2::first-letter { text-transform: uppercase; }
p { max-width: 80ch; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 4px 8px; border-bottom: 1px solid GrayText; }
th:first-child, td:first-child { text-align: left; }
`;

/** Draws the points of a chart; the latency axis is logarithmic. Runs in the page. */
const DRAW = `
const COLOURS = ['#2563c9', '#d9480f', '#2b8a3e', '#862e9c'];
const ink = getComputedStyle(document.body).color;
const axis = (label) => ({ label, stroke: ink, grid: { stroke: '#8884' }, ticks: { stroke: '#8884' } });
function draw(host, series) {
  const data = uPlot.join(series.map(({ points }) => {
    const inOrder = points.filter(({ y }) => y > 0).sort((a, b) => a.x - b.x);
    return [inOrder.map(({ x }) => x), inOrder.map(({ y }) => y)];
  }));
  new uPlot({
    width: host.clientWidth, height: 340, legend: { live: false }, cursor: { show: false },
    scales: { x: { time: false, range: (_, least, most) => [0, 1.05 * most] }, y: { distr: 3 } },
    axes: [axis('circuits a second'), { ...axis('latency, ms'), size: 70 }],
    series: [{}, ...series.map(({ name }, i) => ({ label: name, stroke: COLOURS[i], fill: COLOURS[i], paths: () => null,
      points: { show: true, size: 8, fill: COLOURS[i] } }))],
  }, data, host);
}
`;

/** The capacity report as an HTML document. */
export function capacityPage(report: CapacityReport): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>Capacity</title><style>${fileOfUPlot('uPlot.min.css')}${STYLE}</style>`,
    `</head><body><script>${fileOfUPlot('uPlot.iife.min.js')}${DRAW}</script>`,
    `<h1>Capacity</h1><p>${escaped(factsOf(report))}</p>`,
    ...(report.service === undefined ? ['<p>The service was not measured in this run.</p>'] : []),
    ...sectionsOf(report).map(section),
    '</body></html>\n',
  ].join('\n');
}

function section({ title, basis, paragraphs, chart, heading, rows }: Section): string {
  return [
    `<section><h2>${basis}: ${escaped(title)}</h2>`,
    ...paragraphs.map((text) => `<p>${escaped(text)}</p>`),
    chart === undefined ? '' : drawing(chart),
    heading && rows ? table(heading, rows) : '',
    '</section>',
  ].join('\n');
}

function drawing({ series }: Chart): string {
  return `<div class="chart"></div><script>draw(document.currentScript.previousElementSibling, ${JSON.stringify(series)})</script>`;
}

function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[], tag: 'th' | 'td') =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
  return `<div class="scroll" tabindex="0"><table>${row(heading, 'th')}${rows.map((cells) => row(cells, 'td')).join('\n')}</table></div>`;
}

function fileOfUPlot(name: string): string {
  return readFileSync(fileURLToPath(import.meta.resolve(`uplot/dist/${name}`)), 'utf8');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
