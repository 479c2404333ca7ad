/**
 * `qcs capacity`: how much the service does on this machine, and what a fleet of 48 GPUs would do. Starts
 * the service itself, drives it, and simulates the fleet with the same scheduler in virtual time.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { capacityPage } from './capacity/capacity-page.ts';
import { type CapacityReport, capacityReport, capacityText } from './capacity/capacity-report.ts';
import { MIXES } from './capacity/circuit-mix.ts';
import {
  CIRCUIT_NOVELTIES,
  type CircuitNovelty,
  forecastFleet,
} from './capacity/fleet-forecast.ts';
import { gpuBasis } from './capacity/gpu-basis.ts';
import { findMix, measureService, type ServiceMeasurement } from './capacity/measure-load.ts';
import { startOwnService } from './capacity/own-service.ts';
import type { CommandIo } from './command-io.ts';
import { InterruptedError } from './errors.ts';

/** What the command is told. */
interface CapacityOptions {
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
  readonly simulateOnly?: boolean;
  readonly json?: string;
  readonly html?: string;
}

/** What `npm run bench -- webgpu-engine` writes. A published package has none; the report says so. */
const GPU_RESULTS = 'bench/results/webgpu-engine.json';

/**
 * Adds the command to the program.
 *
 * @param entry - The module of the command line, which is started again with `serve`.
 */
export function addCapacityCommand(program: Command, io: CommandIo, entry: string): void {
  program
    .command('capacity')
    .description('measure the service on this machine, and simulate a fleet of 48 GPUs')
    .option('--duration <s>', 'seconds of each load', number(0.1, 3600), 5)
    .option('--connections <list>', 'of the closed loops', list(whole(1, 1024)), [1, 4, 16, 64])
    .option(
      '--rates <list>',
      'of the open loops, circuits a second (default 0.2 to 0.9 of the best closed loop)',
      list(number(0.1, 1e6)),
    )
    .option(
      '--starts <n>',
      'circuits sent at once to check their expected starts',
      whole(0, 500),
      100,
    )
    .addOption(
      new Option('--mix <name>', 'which circuits').choices(Object.keys(MIXES)).default('mixed'),
    )
    .option('--processor <id>', 'where they are sent', 'gpu-fleet')
    .option('--jobs <n>', 'circuits of the long simulation', whole(1000, 1e8), 1_000_000)
    .addOption(
      new Option('--circuits <which>', 'of the simulated fleet: compiled each, or kept so')
        .choices(CIRCUIT_NOVELTIES)
        .default('new'),
    )
    .option('--threads <n>', 'CPU threads of the simulated fleet', whole(0, 10_000), 48)
    .option(
      '--seed <n>',
      'of circuits, arrivals and the simulation',
      whole(0, Number.MAX_SAFE_INTEGER),
      1,
    )
    .option('--gpu-results <file>', 'measurements of a GPU, if that is there', GPU_RESULTS)
    .option('--simulate-only', 'do not measure: everything is modelled')
    .option('--json <file>', 'write everything as JSON')
    .option('--html <file>', 'write a page with charts')
    .addHelpText(
      'after',
      '\nThe service is started with the settings of the environment, a folder and a port of its own, and\nwithout limits on its key. docs/capacity.md says how to read the figures.',
    )
    .action((options: CapacityOptions) => runCapacity(options, io, entry));
}

async function runCapacity(options: CapacityOptions, io: CommandIo, entry: string): Promise<void> {
  const { mix, duration, jobs, threads, seed, circuits } = options;
  const gpu = gpuBasis(options.gpuResults);
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
  // The service is ended and its folder removed, too.
  const interrupt = Promise.withResolvers<never>();
  using _listener = io.onInterrupt(() => interrupt.reject(new InterruptedError()));
  // It may come before anybody waits for it.
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

/** Six significant digits: more is noise. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(6)) : value;
}

function number(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`);
  };
}

function whole(least: number, most: number): (text: string) => number {
  const any = number(least, most);
  return (text) => {
    const value = any(text);
    if (Number.isInteger(value)) return value;
    throw new InvalidArgumentError('It must be a whole number.');
  };
}

function list(one: (text: string) => number): (text: string) => readonly number[] {
  return (text) => text.split(',').map((part) => one(part));
}
