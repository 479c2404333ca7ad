/**
 * `npm run bench:capacity`: measures the service on this machine and forecasts a fleet of 48 GPUs. It starts the
 * service, sends it load, and simulates the fleet with the same scheduler in virtual time. docs/capacity.md says how to
 * read the figures.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { Command, Option } from 'commander';
import { startOwnService } from '../src/cli/capacity/own-service.ts';
import { list, number, whole } from '../src/cli/option-parsers.ts';
import { capacityPage } from './capacity/capacity-page.ts';
import { capacityReport, capacityText } from './capacity/capacity-report.ts';
import { MIXES } from './capacity/circuit-mix.ts';
import { CIRCUIT_NOVELTIES, type CircuitNovelty } from './capacity/circuit-novelty.ts';
import { forecastCluster } from './capacity/cluster-forecast.ts';
import { forecastFleet } from './capacity/fleet-forecast.ts';
import { gpuBasis } from './capacity/gpu-basis.ts';
import { measureService, type ServiceMeasurement } from './capacity/measure-load.ts';

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
  readonly clusterResults: string;
  readonly simulateOnly?: boolean;
  readonly json?: string;
  readonly html?: string;
}

const program = new Command('capacity')
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
  .option(
    '--gpu-results <file>',
    'of `npm run bench -- webgpu-engine`, if that is there',
    'bench/results/webgpu-engine.json',
  )
  .option(
    '--cluster-results <file>',
    'of `npm run bench -- cluster`, likewise',
    'bench/results/cluster.json',
  )
  .option('--simulate-only', 'do not measure: everything is modelled')
  .option('--json <file>', 'write everything as JSON')
  .option('--html <file>', 'write a page with charts')
  .action(run);

async function run(options: CapacityOptions): Promise<void> {
  const { mix, duration, jobs, threads, seed, circuits } = options;
  const gpu = gpuBasis(options.gpuResults);
  const cluster = forecastCluster(options.clusterResults);
  const service = options.simulateOnly ? undefined : await measureOwn(options);
  const fleet = forecastFleet({
    gpu,
    circuits,
    numJobs: jobs,
    numThreads: threads,
    seed,
    measured: service,
    onStep,
  });
  const report = capacityReport({
    date: new Date().toISOString(),
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
  process.stdout.write(`${capacityText(report)}\n`);
}

async function measureOwn(options: CapacityOptions): Promise<ServiceMeasurement> {
  const { mix: name, connections, rates, duration, starts, processor, seed } = options;
  const mix = MIXES[name];
  if (mix === undefined) throw new Error(`unreachable: there is no mix ${name}`);
  onStep('starting the service');
  await using own = await startOwnService('src/cli.ts', process.env);
  const target = { origin: own.origin, key: own.key, processor };
  return await measureService(target, {
    mix,
    connections,
    rates,
    secondsOfAStep: duration,
    numStarts: starts,
    seed,
    now: Date.now,
    onStep,
  });
}

function onStep(what: string): void {
  process.stderr.write(`${what} …\n`);
}

/** Rounds to six significant digits; more are noise. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(6)) : value;
}

await program.parseAsync();
