/** `qcs capacity`: starts the service on this machine and measures how many small circuits it serves. */
import type { Command } from 'commander';
import type { MeasureOptions } from './capacity/measure-capacity.ts';
import type { CommandIo } from './command-io.ts';
import { list, whole } from './option-parsers.ts';

/**
 * Adds the command to the program.
 *
 * @param entry - Module of the command line; it is started again with `serve`.
 */
export function addCapacityCommand(program: Command, io: CommandIo, entry: string): void {
  program
    .command('capacity')
    .description('measure how many Bell circuits the service serves on this machine')
    .option('--connections <list>', 'of each load', list(whole(1, 1024)), [1, 4, 16, 64])
    .option('--requests <n>', 'circuits of each load', whole(1, 1e7), 5000)
    .option('--processor <id>', 'where they are sent', 'gpu-fleet')
    .addHelpText(
      'after',
      '\nThe service is started with the settings of the environment, a folder and a port of its own, and\nwithout limits on its key. Mixes of circuits, open loops and the model of a fleet of 48 GPUs are in the\nrepository: npm run bench:capacity. docs/capacity.md describes both.',
    )
    .action(async (options: MeasureOptions) => {
      const { measureCapacity } = await import('./capacity/measure-capacity.ts');
      await measureCapacity(options, io, entry);
    });
}
