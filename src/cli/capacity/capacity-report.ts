/** Results of a capacity run, as JSON for `--json` and as text. */
import type { Percentiles } from '../../fleet/capacity/latency-log.ts';
import { table } from '../command-io.ts';
import type { CircuitNovelty } from './circuit-novelty.ts';
import type { ClusterForecast } from './cluster-forecast.ts';
import type { FleetForecast } from './fleet-forecast.ts';
import type { Costs, LoadStep, ServiceMeasurement } from './measure-load.ts';

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

/** Completes the results with the figures that follow from them. */
export function capacityReport(facts: Omit<CapacityReport, 'knee'>): CapacityReport {
  const knee = facts.service && kneeOf(facts.service.closed);
  return { ...facts, ...(knee && { knee }) };
}

/** Sentence for each assumption about the simulated circuits. */
export const NOVELTY_TEXT: Readonly<Record<CircuitNovelty, string>> = {
  new: 'Every circuit is new: it is compiled, and then run.',
  kept: 'Every circuit has been run before: workers have kept it compiled, and it is only run.',
};

/** The report for a terminal. */
export function capacityText(report: CapacityReport): string {
  const { service, fleet, cluster } = report;
  return [
    ...(service ? serviceText(report, service) : []),
    ...fleetText(fleet),
    '',
    ...clusterText(cluster),
  ].join('\n');
}

function serviceText({ mix, knee, machine }: CapacityReport, service: ServiceMeasurement) {
  const { closed, open, devices, startErrors, processor } = service;
  const steps = [...closed, ...open].map((step) => [
    step.kind === 'closed' ? `${step.offered} connections` : `${step.offered}/s`,
    figure(step.perSecond),
    ...latencies(step.latency),
    String(step.numRefused),
    ...costs(step.costs),
  ]);
  const heading = [
    'LOAD',
    'CIRCUITS/S',
    'P50',
    'P95',
    'P99',
    'REFUSED',
    'HTTP',
    'QUEUE',
    'COMPILE',
    'EXECUTION',
    'SAMPLING',
  ];
  const used = devices.map(({ utilisation }) => utilisation);
  const mean = used.reduce((sum, part) => sum + part, 0) / Math.max(1, used.length);
  return [
    `MEASURED on ${machine.cores} cores of ${machine.cpu}, load generator included; mix ${mix}, ${processor.id} (${processor.execution}); milliseconds; every answer verified`,
    table(heading, steps),
    'milliseconds of a circuit, means; sampling is apart from execution, but in it where circuits ran as a batch',
    ...(knee === undefined
      ? []
      : [
          `knee, the greatest throughput by mean latency: ${knee.offered} connections, ${figure(knee.perSecond)} circuits/s`,
        ]),
    ...(used.length === 0
      ? []
      : [`devices busy: ${percent(mean)} on average, ${percent(Math.max(...used))} at most`]),
    ...startErrors.map(
      ({ qubits, numCircuits, absolute, relative }) =>
        `expected_start_at of ${numCircuits} circuits of ${qubits} qubits: off by ${figure(absolute.p50)} ms (median), ${figure(absolute.p90)} ms (p90); by the wait foretold ${percent(relative.p50)}, ${percent(relative.p90)}`,
    ),
    '',
  ];
}

function fleetText({ numGpus, numThreads, gpu, load, result, kinds, circuits }: FleetForecast) {
  const rows = result.sizes.map((size, i) => {
    const kind = kinds[i];
    return [
      String(size.qubits),
      figure(size.perSecondAlone),
      ...latencies(size.latency),
      kind?.cpuMs === undefined ? '' : `${figure(kind.cpuMs)} ${kind.cpuBasis ?? ''}`,
      kind === undefined ? '' : `${figure(kind.gpuMs)} ${kind.gpuBasis}`,
      kind === undefined ? '' : `${figure(kind.compileMs)} measured, ${kind.compileBasis}`,
    ];
  });
  const { planErrors, numJobs, utilisation } = result.longRun;
  const heading = ['QUBITS', 'ALONE/S', 'P50', 'P95', 'P99', 'ON A THREAD', 'ON A GPU', 'COMPILE'];
  return [
    `MODELLED: ${numGpus} GPUs and ${numThreads} CPU threads under the service's scheduler, ${numJobs} circuits in virtual time at ${percent(load)} of the most, devices busy ${percent(utilisation)}; milliseconds`,
    gpu.explanation,
    NOVELTY_TEXT[circuits],
    table(heading, rows),
    `the mix: ${figure(result.maxPerSecond)} circuits/s at most`,
    'HTTP, storage and the network are not simulated',
    ...(planErrors === undefined
      ? []
      : [
          `expected starts in the simulation: off by ${figure(planErrors.absolute.p50)} ms (median), ${figure(planErrors.absolute.p90)} ms (p90) of ${planErrors.absolute.count} asked; by the wait foretold ${percent(planErrors.relative.p50)}, ${percent(planErrors.relative.p90)}`,
        ]),
  ];
}

function clusterText({ numNodes, databaseCores, ways, explanation }: ClusterForecast) {
  const rows = ways.map(({ name, measuredPerSecond, mainUs, databaseUs, perSecond, limit }) => [
    name,
    figure(measuredPerSecond),
    figure(mainUs),
    figure(databaseUs),
    figure(perSecond),
    limit,
  ]);
  const heading = ['WAY', 'MEASURED/S', 'MAIN THREAD', 'DATABASE', 'MODELLED/S', 'LIMIT'];
  return [
    `MODELLED: a cluster of ${numNodes} nodes, with PostgreSQL on ${databaseCores} cores; Bell circuits a second, microseconds of processor time a circuit`,
    explanation,
    ...(rows.length === 0 ? [] : [table(heading, rows)]),
  ];
}

function latencies({ p50, p95, p99 }: Percentiles): readonly string[] {
  return [figure(p50), figure(p95), figure(p99)];
}

function costs({ http, queue, compile, execution, sampling }: Costs): readonly string[] {
  const apart = sampling === undefined ? 'not stated' : figure(sampling);
  return [...[http, queue, compile, execution].map(figure), apart];
}

/** Formats a number with three significant digits and a thousands separator. */
export function figure(value: number): string {
  const rounded = value === 0 ? 0 : Number(value.toPrecision(3));
  return rounded.toLocaleString('en-US', { maximumFractionDigits: 3 });
}

/** Formats a fraction of 1 as a percentage. */
export function percent(part: number): string {
  return `${figure(100 * part)} %`;
}

/**
 * Finds the knee of a load curve, beyond which more load does not pay: the step with the greatest power, which is throughput divided by mean latency. Below it more load
 * mainly raises throughput; beyond it, latency. Returns undefined without steps.
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
