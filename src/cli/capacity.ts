/**
 * `qcs capacity`: measures the service on this machine and forecasts a fleet of 48 GPUs. It starts the
 * service, sends it load, and simulates the fleet with the same scheduler in virtual time.
 */
import { type Command, Option } from 'commander';
import { MIXES } from './capacity/circuit-mix.ts';
import { CIRCUIT_NOVELTIES } from './capacity/circuit-novelty.ts';
import type { CapacityOptions } from './capacity/run-capacity.ts';
import type { CommandIo } from './command-io.ts';
import { list, number, whole } from './option-parsers.ts';

/** Results file of `npm run bench -- webgpu-engine`. A published package has none; the report says so. */
const GPU_RESULTS = 'bench/results/webgpu-engine.json';
/** Results file of `npm run bench -- cluster`, likewise. */
const CLUSTER_RESULTS = 'bench/results/cluster.json';

/**
 * Adds the command to the program.
 *
 * @param entry - Module of the command line; it is started again with `serve`.
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
    .option('--cluster-results <file>', 'measurements of a cluster, likewise', CLUSTER_RESULTS)
    .option('--simulate-only', 'do not measure: everything is modelled')
    .option('--json <file>', 'write everything as JSON')
    .option('--html <file>', 'write a page with charts')
    .addHelpText(
      'after',
      '\nThe service is started with the settings of the environment, a folder and a port of its own, and\nwithout limits on its key. docs/capacity.md says how to read the figures.',
    )
    .action(async (options: CapacityOptions) => {
      const { runCapacity } = await import('./capacity/run-capacity.ts');
      await runCapacity(options, io, entry);
    });
}
