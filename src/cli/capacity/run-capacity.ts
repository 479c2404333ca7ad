/** Action of `qcs capacity`. */
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import type { CommandIo } from '../command-io.ts';
import { InterruptedError } from '../errors.ts';
import { capacityPage } from './capacity-page.ts';
import { type CapacityReport, capacityReport, capacityText } from './capacity-report.ts';
import type { CircuitNovelty } from './circuit-novelty.ts';
import { forecastCluster } from './cluster-forecast.ts';
import { forecastFleet } from './fleet-forecast.ts';
import { gpuBasis } from './gpu-basis.ts';
import { findMix, measureService, type ServiceMeasurement } from './measure-load.ts';
import { startOwnService } from './own-service.ts';

/** Options of the command. */
export interface CapacityOptions {
  readonly duration: number;
  readonly connections: readonly number[];
  readonly rates?: readonly number[];
  readonly starts: number;
  readonly mix: string;
  readonly processor: string;
  readonly jobs: number;
  readonly threads: number;
  readonly seed: number;
  readonly circuits: CircuitNovelty;
  readonly gpuResults: string;
  readonly clusterResults: string;
  readonly simulateOnly?: boolean;
  readonly json?: string;
  readonly html?: string;
}

/**
 * Measures the service (unless only the fleet is simulated), simulates the fleet, and writes the report.
 *
 * @param entry - Module of the command line; it is started again with `serve`.
 */
export async function runCapacity(
  options: CapacityOptions,
  io: CommandIo,
  entry: string,
): Promise<void> {
  const { mix, duration, jobs, threads, seed, circuits } = options;
  const gpu = gpuBasis(options.gpuResults);
  const cluster = forecastCluster(options.clusterResults);
  const onStep = (what: string) => void io.err.write(`${what} …\n`);
  const service = options.simulateOnly ? undefined : await measureOwn(options, io, entry, onStep);
  const fleet = forecastFleet({
    gpu,
    circuits,
    numJobs: jobs,
    numThreads: threads,
    seed,
    measured: service,
    onStep,
  });
  const report: CapacityReport = capacityReport({
    date: new Date(io.now()).toISOString(),
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: availableParallelism(),
      memoryGib: Math.round(totalmem() / 2 ** 30),
      node: process.version,
    },
    mix,
    secondsOfAStep: duration,
    ...(service && { service }),
    fleet,
    cluster,
  });
  if (options.json !== undefined) {
    writeFileSync(options.json, `${JSON.stringify(report, rounded, 2)}\n`);
  }
  if (options.html !== undefined) writeFileSync(options.html, capacityPage(report));
  io.out.write(`${capacityText(report)}\n`);
}

async function measureOwn(
  { mix: name, connections, rates, duration, starts, processor, seed }: CapacityOptions,
  io: CommandIo,
  entry: string,
  onStep: (what: string) => void,
): Promise<ServiceMeasurement> {
  const mix = findMix(name);
  if (mix === undefined) throw new Error(`unreachable: there is no mix ${name}`);
  // Ctrl-C also stops the service and removes its folder.
  const interrupt = Promise.withResolvers<never>();
  using _listener = io.onInterrupt(() => interrupt.reject(new InterruptedError()));
  // Ctrl-C may come before the promise is awaited.
  interrupt.promise.catch(() => {});
  onStep('starting the service');
  await using own = await startOwnService(entry, io.environment);
  const target = { origin: own.origin, key: own.key, processor };
  const measured = measureService(target, {
    mix,
    connections,
    rates,
    secondsOfAStep: duration,
    numStarts: starts,
    seed,
    now: io.now,
    onStep,
  });
  return await Promise.race([measured, interrupt.promise]);
}

/** Rounds to six significant digits; more are noise. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(6)) : value;
}
