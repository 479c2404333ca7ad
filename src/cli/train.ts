/** `qcs train MODEL`: trains a model from scratch and writes the file that the service deploys. */
import { Argument, type Command } from 'commander';
import { QNN_HYBRID_ID } from '../workloads/models/qnn-hybrid/model-id.ts';
import type { trainQnnHybrid } from '../workloads/models/qnn-hybrid/train-qnn-hybrid.ts';
import type { CommandIo } from './command-io.ts';
import type { TrainOptions } from './train-model.ts';

const DEFAULT_FILE = 'models/qnn-hybrid.json';

/**
 * Adds the command to the program.
 *
 * @param trainer - Function that trains; tests pass a quick one.
 */
export function addTrainCommand(
  program: Command,
  io: CommandIo,
  trainer?: typeof trainQnnHybrid,
): void {
  program
    .command('train')
    .description('train a model from scratch, measure it, and write the file that is deployed')
    .addArgument(new Argument('<model>', 'which').choices([QNN_HYBRID_ID]))
    .option('--out <file>', 'where it is written', DEFAULT_FILE)
    .option('--check', 'write nothing; fail unless the file already holds exactly this')
    .option('--json', 'print the model card as one JSON object')
    .addHelpText(
      'after',
      '\nTraining again gives the same bytes: everything is seeded, and the date is kept where nothing\nelse has changed.',
    )
    .action(async (_model: string, options: TrainOptions) => {
      const { trainModel } = await import('./train-model.ts');
      await trainModel(options, io, trainer);
    });
}
