/** Capacity report as one self-contained HTML page. */
import { type CapacityReport, figure, NOVELTY_TEXT, percent } from './capacity-report.ts';
import type { ClusterForecast } from './cluster-forecast.ts';
import type { FleetForecast, KindBasis } from './fleet-forecast.ts';
import type { Costs, LoadStep, ServiceMeasurement } from './measure-load.ts';
import { PAGE_STYLE } from './page-style.ts';
import { type Bar, deviceGrid, escaped, lineChart, shareBars } from './svg-chart.ts';

/** The capacity report as an HTML document. */
export function capacityPage(report: CapacityReport): string {
  const { machine, date, service, fleet, cluster } = report;
  const facts = `${machine.cores} cores of ${machine.cpu}, ${machine.memoryGib} GiB, Node ${machine.node}, ${date.slice(0, 16).replace('T', ' ')} UTC`;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>Capacity</title><style>${PAGE_STYLE}</style></head><body><main>`,
    `<h1>Capacity</h1><p class="facts">${escaped(facts)}</p>`,
    service === undefined
      ? '<p>The service was not measured in this run.</p>'
      : serviceSections(report, service),
    fleetSections(fleet),
    clusterSection(cluster),
    '</main></body></html>\n',
  ].join('\n');
}

const MEASURED = '<span class="basis measured">measured</span>';
const MODELLED = '<span class="basis modelled">modelled</span>';

function badgeOf(basis: KindBasis['cpuBasis'] | KindBasis['gpuBasis']): string {
  if (basis === undefined) return '';
  return basis === 'measured' ? MEASURED : MODELLED.replace('>modelled<', `>${basis}<`);
}

function serviceSections(report: CapacityReport, service: ServiceMeasurement): string {
  const { mix, secondsOfAStep, knee } = report;
  const { closed, open, devices, startErrors, processor } = service;
  const total = [...closed, ...open].reduce((sum, { numVerified }) => sum + numVerified, 0);
  const marked = knee && {
    x: knee.perSecond,
    label: `knee: ${figure(knee.perSecond)}/s`,
  };
  return [
    `<section><h2>The service on this machine ${MEASURED}</h2>`,
    `<p>Mix <b>${escaped(mix)}</b> to <code>${escaped(processor.id)}</code> (${escaped(processor.execution)}), ${secondsOfAStep} s a load, client and service on the same cores. All ${figure(total)} answers were right. Latency in open loops counts from the moment that a circuit was meant to be sent.</p>`,
    lineChart({
      title: 'Latency by throughput',
      xLabel: 'circuits a second',
      yLabel: 'latency',
      formatX: figure,
      ...(marked && { mark: marked }),
      series: [
        seriesOf('closed loop, p50', 's1', closed, 'p50'),
        seriesOf('closed loop, p99', 's2', closed, 'p99'),
        seriesOf('open loop, p50', 's3', open, 'p50'),
        seriesOf('open loop, p99', 's4', open, 'p99'),
      ],
    }),
    stepTable([...closed, ...open], knee),
    '<p class="note">The knee is the closed loop with the greatest power: throughput by mean latency (Kleinrock).</p></section>',
    `<section><h2>Where the time goes ${MEASURED}</h2>`,
    '<p>Means of a circuit, of each closed loop, and of each size at the first of them. HTTP is what the client waited beyond the times that the answer states: the wire, reading, checking, storing, answering. Sampling is drawing and counting, and apart from execution; of circuits that ran as a batch it is in it.</p>',
    shareBars(
      [
        ...closed.map((step) => barOf(`${step.offered} conn.`, step.costs)),
        ...Object.entries(closed[0]?.costsBySize ?? {}).map(([size, costs]) =>
          barOf(`${size} qubits`, costs),
        ),
      ],
      (ms) => `${figure(ms)} ms`,
    ),
    '</section>',
    devices.length === 0
      ? ''
      : `<section><h2>Devices during the loads ${MEASURED}</h2>${gridOf(devices)}<p class="note">${escaped(backingText(service))}</p></section>`,
    startErrors.length === 0
      ? ''
      : `<section><h2>Expected starts ${MEASURED}</h2><p>Circuits sent at once; <code>expected_start_at</code> of each while it waited, against <code>started_at</code>.</p>${startTable(service)}</section>`,
  ].join('\n');
}

function clusterSection({ numNodes, databaseCores, ways, explanation }: ClusterForecast): string {
  const rows = ways.map(({ name, measuredPerSecond, mainUs, databaseUs, perSecond, limit }) => [
    name,
    figure(measuredPerSecond),
    `${figure(mainUs)} µs`,
    `${figure(databaseUs)} µs`,
    figure(perSecond),
    limit,
  ]);
  const heading = ['way', 'measured/s', 'main thread', 'database', 'modelled/s', 'limit'];
  return [
    `<section><h2>A cluster of ${numNodes} nodes ${MODELLED}</h2>`,
    `<p>Bell circuits, with PostgreSQL on ${databaseCores} cores. ${escaped(explanation)}</p>`,
    ...(rows.length === 0 ? [] : [table(heading, rows)]),
    '</section>',
  ].join('\n');
}

function seriesOf(name: string, style: string, steps: readonly LoadStep[], which: 'p50' | 'p99') {
  const points = steps.map(({ perSecond, latency, offered, kind }) => ({
    x: perSecond,
    y: latency[which],
    title: `${kind === 'closed' ? connections(offered) : `${offered}/s`}: ${figure(perSecond)}/s, ${which} ${figure(latency[which])} ms`,
  }));
  return { name, style, points };
}

function stepTable(steps: readonly LoadStep[], knee: LoadStep | undefined): string {
  const rows = steps.map((step) => [
    `${step.kind === 'closed' ? connections(step.offered) : `${figure(step.offered)} a second`}${step === knee ? ' ◂ knee' : ''}`,
    figure(step.perSecond),
    figure(step.latency.p50),
    figure(step.latency.p95),
    figure(step.latency.p99),
    String(step.numRefused),
  ]);
  return table(['load', 'circuits/s', 'p50 ms', 'p95 ms', 'p99 ms', 'refused'], rows);
}

const connections = (count: number): string =>
  count === 1 ? '1 connection' : `${count} connections`;

function barOf(name: string, { http, queue, compile, execution, sampling }: Costs): Bar {
  return {
    name,
    parts: [
      { name: 'HTTP', style: 's1', value: http },
      { name: 'queue', style: 's2', value: queue },
      { name: 'compile', style: 's3', value: compile },
      { name: 'execution', style: 's4', value: execution },
      ...(sampling === undefined ? [] : [{ name: 'sampling', style: 's5', value: sampling }]),
    ],
  };
}

function gridOf(
  devices: readonly {
    readonly id: string;
    readonly node: string;
    readonly utilisation: number;
    readonly completed: number;
  }[],
): string {
  const nodes = Map.groupBy(devices, ({ node }) => node);
  return deviceGrid(
    [...nodes].map(([name, ofNode]) => ({
      name,
      cells: ofNode.map(({ id, utilisation, completed }) => ({
        id,
        part: utilisation,
        title: `${id}: busy ${percent(utilisation)} of the time, ${figure(completed)} circuits`,
      })),
    })),
  );
}

function backingText({ devices }: ServiceMeasurement): string {
  const groups = Map.groupBy(devices, ({ backing }) => backing);
  const parts = [...groups].map(([name, some]) => `${some.length} by ${name}`);
  return `Devices are slots of the fleet; here they are backed so: ${parts.join(', ')}.`;
}

function startTable({ startErrors }: ServiceMeasurement): string {
  const rows = startErrors.map(({ qubits, numCircuits, absolute, relative }) => [
    `${numCircuits} × ${qubits} qubits`,
    figure(absolute.p50),
    figure(absolute.p90),
    percent(relative.p50),
    percent(relative.p90),
  ]);
  const heading = [
    'circuits',
    'median, ms',
    'p90, ms',
    'median, part of the wait',
    'p90, part of the wait',
  ];
  return table(heading, rows);
}

function fleetSections(forecast: FleetForecast): string {
  const { result, numGpus, numThreads, gpu, load, sigma, circuits } = forecast;
  const { longRun, points, maxPerSecond } = result;
  const nodes = longRun.devices.map((device, i) => ({ ...device, node: `node-${i >> 3}` }));
  const { planErrors } = longRun;
  return [
    `<section><h2>A fleet of ${numGpus} GPUs ${MODELLED}</h2>`,
    `<p>The service’s own scheduler in virtual time: ${numGpus} GPUs and ${numThreads} CPU threads, ${longRun.numJobs.toLocaleString('en-US')} circuits at ${percent(load)} of the most that the fleet does of this mix. Run times scatter around the table’s by a log-normal factor (σ ${sigma}); the scheduler learns them as it goes.</p>`,
    `<p>GPU ${badgeOf(gpu.basis)} ${escaped(gpu.explanation)} ${NOVELTY_TEXT[circuits]}</p>`,
    lineChart({
      title: 'Latency of the simulated fleet by throughput',
      xLabel: 'circuits a second, of the mix',
      yLabel: 'latency',
      formatX: figure,
      mark: { x: maxPerSecond, label: `most: ${figure(maxPerSecond)}/s` },
      series: (['p50', 'p95', 'p99'] as const).map((which, i) => ({
        name: which,
        style: `s${i + 1}`,
        points: points.map(({ perSecond, latency, load: part }) => ({
          x: perSecond,
          y: latency[which],
          title: `${percent(part)} of the most: ${which} ${figure(latency[which])} ms`,
        })),
      })),
    }),
    sizeTable(forecast),
    '<p class="note">HTTP, storage and the network are not simulated.</p>',
    '<h3>Devices in the simulation</h3>',
    gridOf(nodes),
    planErrors === undefined
      ? ''
      : `<p class="note">Of ${figure(planErrors.absolute.count)} waiting circuits the scheduler was asked when each would start: it was off by ${figure(planErrors.absolute.p50)} ms in the median and ${figure(planErrors.absolute.p90)} ms in nine of ten; as parts of the expected wait, ${percent(planErrors.relative.p50)} and ${percent(planErrors.relative.p90)}.</p>`,
    '</section>',
  ].join('\n');
}

function sizeTable({ result, kinds }: FleetForecast): string {
  const rows = result.sizes.map(({ qubits, perSecondAlone, latency }, i) => {
    const kind = kinds[i];
    const onThread =
      kind?.cpuMs === undefined ? '–' : `${figure(kind.cpuMs)} ${badgeOf(kind.cpuBasis)}`;
    return [
      String(qubits),
      figure(perSecondAlone),
      figure(latency.p50),
      figure(latency.p95),
      figure(latency.p99),
      onThread,
      kind === undefined ? '' : `${figure(kind.gpuMs)} ${badgeOf(kind.gpuBasis)}`,
      kind === undefined ? '' : `${figure(kind.compileMs)} ${MEASURED}`,
    ];
  });
  const outcome = ['circuits/s alone', 'p50 ms', 'p95 ms', 'p99 ms'];
  return table(
    ['qubits', ...outcome, 'on a thread, ms', 'on a GPU, ms', 'compiling, ms'],
    rows,
    `Rates and latencies are modelled; the run times that they come from say each what they are. ${compilingText(kinds)}`,
  );
}

/** Sentence that says where compile times were measured. */
function compilingText(kinds: FleetForecast['kinds']): string {
  const stated = kinds.filter(({ compileBasis }) => compileBasis === 'service');
  const here = kinds.filter(({ compileBasis }) => compileBasis === 'this process');
  const listed = (some: FleetForecast['kinds']) => some.map(({ qubits }) => qubits).join(', ');
  if (stated.length === 0) return 'Compiling was timed by this command.';
  const byService = `Compiling was timed by the service for ${listed(stated)} qubits`;
  return here.length === 0 ? `${byService}.` : `${byService}, by this command for ${listed(here)}.`;
}

/** HTML table; its cells are HTML, not text. */
function table(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  caption?: string,
): string {
  const head = heading.map((title) => `<th>${escaped(title)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  const title = caption === undefined ? '' : `<p class="note">${escaped(caption)}</p>`;
  return `<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>${title}`;
}
