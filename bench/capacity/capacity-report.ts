/** Results of a capacity run, and the sections in which the terminal and the page show them. */

import type { Percentiles } from '../../src/cli/capacity/percentiles.ts';
import { table } from '../../src/cli/command-io.ts';
import type { CircuitNovelty } from './circuit-novelty.ts';
import type { ClusterForecast } from './cluster-forecast.ts';
import type { FleetForecast } from './fleet-forecast.ts';
import type { Costs, DeviceLoad, LoadStep, ServiceMeasurement } from './measure-load.ts';

/** Machine that ran both the service and the load generator. */
export interface MachineFacts {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly node: string;
}

/** Results of a capacity run. */
export interface CapacityReport {
  readonly date: string;
  readonly machine: MachineFacts;
  readonly mix: string;
  readonly secondsOfAStep: number;
  /** Absent if only the fleet was simulated. */
  readonly service?: ServiceMeasurement;
  readonly knee?: LoadStep;
  readonly fleet: FleetForecast;
  readonly cluster: ClusterForecast;
}

/** Latencies, milliseconds, over circuits a second. */
export interface Chart {
  readonly series: readonly {
    readonly name: string;
    readonly points: readonly { readonly x: number; readonly y: number }[];
  }[];
}

/** Part of the report. */
export interface Section {
  readonly title: string;
  /** All its figures have this basis where their column names no other. */
  readonly basis: 'measured' | 'modelled';
  readonly paragraphs: readonly string[];
  readonly chart?: Chart;
  readonly heading?: readonly string[];
  readonly rows?: readonly (readonly string[])[];
}

/** Completes the results with the figures that follow from them. */
export function capacityReport(facts: Omit<CapacityReport, 'knee'>): CapacityReport {
  const knee = facts.service && kneeOf(facts.service.closed);
  return { ...facts, ...(knee && { knee }) };
}

/** The report in sections. */
export function sectionsOf(report: CapacityReport): readonly Section[] {
  const { service, fleet, cluster } = report;
  return [
    ...(service ? serviceSections(report, service) : []),
    ...fleetSections(fleet),
    clusterSection(cluster),
  ];
}

/** The report for a terminal. */
export function capacityText(report: CapacityReport): string {
  const sections = sectionsOf(report).map(({ title, basis, paragraphs, heading, rows }) =>
    [
      `${basis.toUpperCase()}: ${title}`,
      ...paragraphs,
      ...(heading && rows ? [table(heading, rows)] : []),
    ].join('\n'),
  );
  return [factsOf(report), ...sections].join('\n\n');
}

/** Facts of the machine and the run, a line. */
export function factsOf({ machine, date }: CapacityReport): string {
  return `${machine.cores} cores of ${machine.cpu}, ${machine.memoryGib} GiB, Node ${machine.node}, ${date.slice(0, 16).replace('T', ' ')} UTC`;
}

function serviceSections(report: CapacityReport, service: ServiceMeasurement): readonly Section[] {
  const { mix, secondsOfAStep, knee } = report;
  const { closed, open, devices, startErrors, processor } = service;
  const steps = [...closed, ...open];
  const total = steps.reduce((sum, { numVerified }) => sum + numVerified, 0);
  const sizes = Object.entries(closed[0]?.costsBySize ?? {});
  const basis = 'measured';
  return [
    {
      title: 'the service on this machine',
      basis,
      paragraphs: [
        `Mix ${mix} to ${processor.id} (${processor.execution}), ${secondsOfAStep} s a load, client and service on the same cores. All ${figure(total)} answers were right. Latency in open loops counts from the moment that a circuit was meant to be sent.`,
        'The knee is the closed loop with the greatest power: throughput by mean latency (Kleinrock).',
      ],
      chart: {
        series: [
          seriesOf('closed loop, p50', closed, 'p50'),
          seriesOf('closed loop, p99', closed, 'p99'),
          seriesOf('open loop, p50', open, 'p50'),
          seriesOf('open loop, p99', open, 'p99'),
        ],
      },
      heading: ['load', 'circuits/s', 'p50 ms', 'p95 ms', 'p99 ms', 'refused'],
      rows: steps.map((step) => [
        `${loadOf(step)}${step.kind === 'closed' && step.offered === knee?.offered ? ', knee' : ''}`,
        figure(step.perSecond),
        ...latencies(step.latency),
        String(step.numRefused),
      ]),
    },
    {
      title: 'where the time goes',
      basis,
      paragraphs: [
        'Means of a circuit, milliseconds, of each load, and of each size at the first of them. HTTP is what the client waited beyond the times that the answer states: the wire, reading, checking, storing, answering. Sampling is drawing and counting, and apart from execution; of circuits that ran as a batch it is in it.',
      ],
      heading: ['load', 'HTTP', 'queue', 'compile', 'execution', 'sampling'],
      rows: [
        ...steps.map((step) => [loadOf(step), ...costsOf(step.costs)]),
        ...sizes.map(([size, costs]) => [`${size} qubits`, ...costsOf(costs)]),
      ],
    },
    ...(devices.length === 0
      ? []
      : [
          {
            title: 'devices during the loads',
            basis,
            paragraphs: [
              `Part of the time that each was busy. Devices are slots of the fleet; here they are backed so: ${backings(devices)}.`,
            ],
            ...deviceTable(devices),
          } as const,
        ]),
    ...(startErrors.length === 0
      ? []
      : [
          {
            title: 'expected starts',
            basis,
            paragraphs: [
              'Circuits sent at once; expected_start_at of each while it waited, against started_at.',
            ],
            heading: ['circuits', 'median, ms', 'p90, ms', 'median, part of the wait', 'p90'],
            rows: startErrors.map(({ qubits, numCircuits, absolute, relative }) => [
              `${numCircuits} × ${qubits} qubits`,
              figure(absolute.p50),
              figure(absolute.p90),
              percent(relative.p50),
              percent(relative.p90),
            ]),
          } as const,
        ]),
  ];
}

/** Sentence for each assumption about the simulated circuits. */
const NOVELTY_TEXT: Readonly<Record<CircuitNovelty, string>> = {
  new: 'Every circuit is new: it is compiled, and then run.',
  kept: 'Every circuit has been run before: workers have kept it compiled, and it is only run.',
};

function fleetSections(forecast: FleetForecast): readonly Section[] {
  const { numGpus, numThreads, gpu, load, sigma, result, kinds, circuits } = forecast;
  const { longRun, points, maxPerSecond } = result;
  const { planErrors, numJobs, utilisation } = longRun;
  const basis = 'modelled';
  return [
    {
      title: `${numGpus} GPUs and ${numThreads} CPU threads`,
      basis,
      paragraphs: [
        `The service’s own scheduler in virtual time: ${figure(numJobs)} circuits at ${percent(load)} of the most that the fleet does of this mix, which is ${figure(maxPerSecond)} circuits a second. Run times scatter around the table’s by a log-normal factor (σ ${sigma}); the scheduler learns them as it goes.`,
        `${gpu.explanation} ${NOVELTY_TEXT[circuits]}`,
        'Rates and latencies are modelled; the times that they come from say each what they are. HTTP, storage and the network are not simulated.',
        ...(planErrors === undefined
          ? []
          : [
              `Of ${figure(planErrors.absolute.count)} waiting circuits the scheduler was asked when each would start: it was off by ${figure(planErrors.absolute.p50)} ms in the median and ${figure(planErrors.absolute.p90)} ms in nine of ten; as parts of the expected wait, ${percent(planErrors.relative.p50)} and ${percent(planErrors.relative.p90)}.`,
            ]),
      ],
      chart: {
        series: (['p50', 'p95', 'p99'] as const).map((which) => seriesOf(which, points, which)),
      },
      heading: [
        ...['qubits', 'circuits/s alone', 'p50 ms', 'p95 ms', 'p99 ms'],
        ...['on a thread, ms', 'on a GPU, ms', 'compiling, ms'],
      ],
      rows: result.sizes.map(({ qubits, perSecondAlone, latency }, i) => {
        const kind = kinds[i];
        return [
          String(qubits),
          figure(perSecondAlone),
          ...latencies(latency),
          kind?.cpuMs === undefined ? '–' : `${figure(kind.cpuMs)} ${kind.cpuBasis ?? ''}`,
          kind === undefined ? '–' : `${figure(kind.gpuMs)} ${kind.gpuBasis}`,
          kind === undefined ? '–' : `${figure(kind.compileMs)} measured, ${kind.compileBasis}`,
        ];
      }),
    },
    {
      title: 'devices in the simulation',
      basis,
      paragraphs: [`Part of the time that each was busy; all of them, ${percent(utilisation)}.`],
      ...deviceTable(longRun.devices.map((device, i) => ({ ...device, node: `node-${i >> 3}` }))),
    },
  ];
}

function clusterSection(forecast: ClusterForecast): Section {
  const { numNodes, databaseCores, ways, explanation } = forecast;
  return {
    title: `a cluster of ${numNodes} nodes`,
    basis: 'modelled',
    paragraphs: [
      `Bell circuits, with PostgreSQL on ${databaseCores} cores; processor time of a circuit. ${explanation}`,
    ],
    ...(ways.length > 0 && {
      heading: ['way', 'measured/s', 'main thread, µs', 'database, µs', 'modelled/s', 'limit'],
      rows: ways.map(({ name, measuredPerSecond, mainUs, databaseUs, perSecond, limit }) => [
        name,
        ...[measuredPerSecond, mainUs, databaseUs, perSecond].map(figure),
        limit,
      ]),
    }),
  };
}

/** A row for each node, a column for each of its devices. */
function deviceTable(devices: readonly Pick<DeviceLoad, 'node' | 'utilisation'>[]) {
  const nodes = [...Map.groupBy(devices, ({ node }) => node)];
  const most = Math.max(...nodes.map(([, ofNode]) => ofNode.length));
  return {
    heading: ['node', ...Array.from({ length: most }, (_, i) => `device ${i}`)],
    rows: nodes.map(([node, ofNode]) => [
      node,
      ...ofNode.map(({ utilisation }) => percent(utilisation)),
    ]),
  };
}

function backings(devices: ServiceMeasurement['devices']): string {
  const groups = Map.groupBy(devices, ({ backing }) => backing);
  return [...groups].map(([name, some]) => `${some.length} by ${name}`).join(', ');
}

function seriesOf<W extends 'p50' | 'p95' | 'p99'>(
  name: string,
  steps: readonly { readonly perSecond: number; readonly latency: Readonly<Record<W, number>> }[],
  which: W,
): Chart['series'][number] {
  return { name, points: steps.map(({ perSecond: x, latency }) => ({ x, y: latency[which] })) };
}

function loadOf({ kind, offered }: LoadStep): string {
  return kind === 'closed'
    ? `${offered} connection${offered === 1 ? '' : 's'}`
    : `${figure(offered)} a second`;
}

function latencies({ p50, p95, p99 }: Pick<Percentiles, 'p50' | 'p95' | 'p99'>) {
  return [figure(p50), figure(p95), figure(p99)];
}

function costsOf({ http, queue, compile, execution, sampling }: Costs): readonly string[] {
  const apart = sampling === undefined ? 'not stated' : figure(sampling);
  return [...[http, queue, compile, execution].map(figure), apart];
}

/** Formats a number with three significant digits and a thousands separator. */
function figure(value: number): string {
  const rounded = value === 0 ? 0 : Number(value.toPrecision(3));
  return rounded.toLocaleString('en-US', { maximumFractionDigits: 3 });
}

/** Formats a fraction of 1 as a percentage. */
function percent(part: number): string {
  return `${figure(100 * part)} %`;
}

/**
 * Finds the knee of a load curve, beyond which more load does not pay: the step with the greatest power, which is
 * throughput divided by mean latency. Below it more load mainly raises throughput; beyond it, latency. Returns undefined
 * without steps.
 *
 * @see Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in computer
 *   communications", 1979.
 */
export function kneeOf(steps: readonly LoadStep[]): LoadStep | undefined {
  const [first, ...others] = steps.filter(({ latency }) => latency.count > 0);
  if (first === undefined) return undefined;
  const power = ({ perSecond, latency }: LoadStep) => perSecond / latency.mean;
  return others.reduce((best, step) => (power(step) > power(best) ? step : best), first);
}
