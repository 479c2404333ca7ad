/** Inline SVG charts in the colours of the page around them. */

/** Line with a mark at each point. */
export interface Series {
  readonly name: string;
  /** A class of the page's style sheet: `s1` to `s4`. */
  readonly style: string;
  readonly points: readonly { readonly x: number; readonly y: number; readonly title: string }[];
}

/** Chart of latency (logarithmic) over throughput. */
export interface ChartOptions {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly Series[];
  /** Labelled vertical line. */
  readonly mark?: { readonly x: number; readonly label: string };
  readonly formatX: (value: number) => string;
}

/** Scrolling frame: on a phone a chart keeps its size, so that its text stays readable. */
const SCROLLED = '<div class="scroll" tabindex="0">';
const WIDTH = 640;
const HEIGHT = 320;
const LEFT = 76;
const RIGHT = 24;
const TOP = 20;
const BOTTOM = 48;
const NUM_X_TICKS = 5;

/** Draws lines over a linear x axis from 0 and a logarithmic y axis. */
export function lineChart(options: ChartOptions): string {
  const { title, xLabel, yLabel, series, mark, formatX } = options;
  const points = series.flatMap((one) => one.points).filter(({ y }) => y > 0);
  if (points.length === 0) return '';
  const maxX = niceAbove(Math.max(...points.map(({ x }) => x), mark?.x ?? 0));
  const low = Math.floor(Math.log10(Math.min(...points.map(({ y }) => y))));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...points.map(({ y }) => y)))));
  const x = (value: number) => LEFT + (value / maxX) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) =>
    TOP + ((high - Math.log10(value)) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const decades = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
  const ticks = Array.from({ length: NUM_X_TICKS + 1 }, (_, i) => (i * maxX) / NUM_X_TICKS);
  const bottom = HEIGHT - BOTTOM;
  return [
    `${SCROLLED}<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">`,
    ...decades.map(
      (value) =>
        `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${px(y(value))}" y2="${px(y(value))}"/><text class="tick end" x="${LEFT - 8}" y="${px(y(value) + 4)}">${decadeLabel(value)}</text>`,
    ),
    ...ticks.map(
      (value) =>
        `<line class="axis" x1="${px(x(value))}" x2="${px(x(value))}" y1="${bottom}" y2="${bottom + 4}"/><text class="tick mid" x="${px(x(value))}" y="${bottom + 18}">${escaped(formatX(value))}</text>`,
    ),
    `<line class="axis" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${bottom}" y2="${bottom}"/>`,
    `<text class="label mid" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}">${escaped(xLabel)}</text>`,
    `<text class="label mid" transform="translate(12 ${(TOP + bottom) / 2}) rotate(-90)">${escaped(yLabel)}</text>`,
    ...(mark === undefined ? [] : [markLine(x(mark.x), bottom, mark.label)]),
    ...series.map((one) => lineOf(one, x, y)),
    '</svg></div>',
    `<p class="legend">${series.map(({ name, style }) => `<span class="${style}"><i></i>${escaped(name)}</span>`).join('')}</p>`,
  ].join('\n');
}

function markLine(at: number, bottom: number, label: string): string {
  const isRight = at > WIDTH / 2;
  const place = `x="${px(at + (isRight ? -6 : 6))}" y="${TOP + 10}"`;
  return `<line class="mark" x1="${px(at)}" x2="${px(at)}" y1="${TOP}" y2="${bottom}"/><text class="tick ${isRight ? 'end' : ''}" ${place}>${escaped(label)}</text>`;
}

function lineOf(
  { points, style }: Series,
  x: (value: number) => number,
  y: (value: number) => number,
): string {
  const drawn = points.filter((point) => point.y > 0);
  const path = drawn.map((point) => `${px(x(point.x))},${px(y(point.y))}`).join(' ');
  const marks = drawn.map(
    (point) =>
      `<circle cx="${px(x(point.x))}" cy="${px(y(point.y))}" r="4"><title>${escaped(point.title)}</title></circle>`,
  );
  return `<g class="series ${style}"><polyline points="${path}"/>${marks.join('')}</g>`;
}

/** Cell of a device grid. */
export interface GridCell {
  readonly id: string;
  /** Utilisation, 0 to 1. */
  readonly part: number;
  readonly title: string;
}

const CELL = 66;
const CELL_HEIGHT = 44;
const ROW_LABEL = 64;

/** Draws rows of eight cells; a busier device is darker. */
export function deviceGrid(
  rows: readonly { readonly name: string; readonly cells: readonly GridCell[] }[],
): string {
  const columns = Math.max(...rows.map(({ cells }) => cells.length));
  const width = ROW_LABEL + columns * CELL;
  const height = rows.length * CELL_HEIGHT;
  const drawn = rows.flatMap(({ name, cells }, row) => [
    `<text class="tick" x="0" y="${row * CELL_HEIGHT + 25}">${escaped(name)}</text>`,
    ...cells.map((cell, column) => cellOf(cell, ROW_LABEL + column * CELL, row * CELL_HEIGHT)),
  ]);
  return `${SCROLLED}<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Part of the time that each device was busy">${drawn.join('\n')}</svg></div>`;
}

function cellOf({ id, part, title }: GridCell, x: number, y: number): string {
  const opacity = 0.08 + 0.82 * Math.min(1, part);
  const ink = part > 0.5 ? 'on-fill' : '';
  const size = `width="${CELL - 4}" height="${CELL_HEIGHT - 4}" rx="4"`;
  const middle = x + (CELL - 4) / 2;
  const [, number = id] = id.split('-');
  return `<g><title>${escaped(title)}</title><rect class="cell" x="${x}" y="${y}" ${size} style="fill-opacity:${opacity.toFixed(2)}"/><text class="cell-id mid ${ink}" x="${middle}" y="${y + 15}">${escaped(number)}</text><text class="cell-value mid ${ink}" x="${middle}" y="${y + 32}">${cellValue(part)}</text></g>`;
}

function cellValue(part: number): string {
  const percentage = 100 * part;
  return percentage > 0 && percentage < 1 ? '&lt; 1%' : `${Math.round(percentage)}%`;
}

/** Bar with its parts. */
export interface Bar {
  readonly name: string;
  readonly parts: readonly {
    readonly name: string;
    readonly style: string;
    readonly value: number;
  }[];
}

const BAR_HEIGHT = 30;
const BAR_LEFT = 110;
const BAR_RIGHT = 90;

/** Draws horizontal bars, each split into fractions of its total, with the total beside it. */
export function shareBars(bars: readonly Bar[], format: (total: number) => string): string {
  const inner = WIDTH - BAR_LEFT - BAR_RIGHT;
  const drawn = bars.flatMap(({ name, parts }, row) => {
    const total = parts.reduce((sum, { value }) => sum + value, 0);
    let left = BAR_LEFT;
    const rects = parts.map(({ name: part, style, value }) => {
      const width = total === 0 ? 0 : (value / total) * inner;
      const rect = `<rect class="${style}" x="${px(left)}" y="${row * BAR_HEIGHT + 3}" width="${px(width)}" height="${BAR_HEIGHT - 8}"><title>${escaped(`${name}, ${part}: ${format(value)}`)}</title></rect>`;
      left += width;
      return rect;
    });
    const middle = row * BAR_HEIGHT + 18;
    return [
      `<text class="tick end" x="${BAR_LEFT - 8}" y="${middle}">${escaped(name)}</text>`,
      ...rects,
      `<text class="tick" x="${WIDTH - BAR_RIGHT + 8}" y="${middle}">${escaped(format(total))}</text>`,
    ];
  });
  const [first] = bars;
  const names = (first?.parts ?? []).map(
    ({ name, style }) => `<span class="${style}"><i></i>${escaped(name)}</span>`,
  );
  return `${SCROLLED}<svg class="bars" viewBox="0 0 ${WIDTH} ${bars.length * BAR_HEIGHT}" role="img" aria-label="Where the time of a circuit goes">${drawn.join('\n')}</svg></div><p class="legend">${names.join('')}</p>`;
}

/** Escapes text for HTML and SVG. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function px(value: number): string {
  return value.toFixed(1);
}

/** Rounds up to 1, 2 or 5 times a power of ten. */
function niceAbove(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return (NICE.find((step) => step * power >= value) ?? 10) * power;
}

const NICE = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

function decadeLabel(value: number): string {
  return value >= 1000 ? `${value / 1000} s` : `${Number(value.toPrecision(1))} ms`;
}
