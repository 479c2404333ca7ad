/** The command `qcs experiment`: logical error rates of circuits, as `sinter collect` finds them. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { DecoderChoice } from '../decoding/decoders.ts';
import type { CommandIo } from './command-io.ts';
import type { ExperimentOptions } from './experiment-tasks.ts';
import { withAddress } from './jobs.ts';
import { count, digits, list, number, several, whole } from './option-parsers.ts';

/** Most shots or errors of a task. */
const MOST = 10 ** 12;
/** Decoders. They are repeated here because importing the list of the decoders loads all of them. */
const DECODERS: Readonly<Record<DecoderChoice, true>> = {
  matching: true,
  union_find: true,
  bp_osd: true,
  lookup: true,
  none: true,
};
const numbers = list(whole(0, 1e9));

/** Adds the command to the program. */
export function addExperimentCommand(program: Command, io: CommandIo): void {
  withAddress(program.command('experiment'))
    .description('sample and decode circuits until enough logical errors are counted')
    .argument(
      '<files...>',
      "circuits in Stim's format (.stim) with detectors and observables, or request bodies (.json)",
    )
    .addOption(
      new Option(
        '--decoder <name>',
        'matching by default; given several times: each circuit with each',
      ).argParser((text, before?: readonly string[]) => several(decoder(text), before)),
    )
    .requiredOption('--max-shots <n>', 'shots after which a task ends', count(MOST))
    .option('--max-errors <n>', 'errors after which a task ends', count(MOST))
    .option(
      '--relative-error <part>',
      'a task ends once its rate is known so well, such as 0.1',
      number(0, 1),
    )
    .option('--seed <n>', 'the same seed gives the same counts (drawn by default)', digits)
    .option(
      '--postselect-detectors <numbers>',
      'discard shots in which one of these detectors fires: all, or numbers such as 0,1,5',
      (text) => (text === 'all' ? text : numbers(text)),
    )
    .option(
      '--postselect-detectors-with-non-zero-4th-coord',
      'discard shots in which one of the detectors fires whose fourth coordinate is not 0',
    )
    .option(
      '--postselect-observables <numbers>',
      'discard shots in which the prediction of one of these observables is wrong',
      numbers,
    )
    .addOption(
      new Option(
        '--sampling <method>',
        'stratified: shots by their number of faults, for rates too low to be sampled',
      ).choices(['stratified']),
    )
    .option(
      '--min-faults <n>',
      'with --sampling: fewer faults are taken as corrected',
      whole(0, 1000),
    )
    .option('--metadata <name=value>', 'of all tasks; may be repeated', several)
    .option('--save-resume <file>', "append counts to a table of Sinter's, and go on where it ends")
    .option('--processor, --target <id>', 'a simulator', 'qvm')
    .option('--submit', 'run at a running service, and not on this machine')
    .option(
      '--estimate',
      'print how long a running service would take for --max-shots, and run nothing',
    )
    .option('--csv', "print Sinter's table")
    .addHelpText(
      'after',
      '\nThe metadata of a circuit are the names and values of its file, such as d=3,p=0.001.stim, or else its path. For example:\n\n  qcs experiment circuits/*.stim --max-shots 1000000 --max-errors 1000 --save-resume stats.csv\n  sinter plot --in stats.csv --x_func "metadata[\'p\']" --group_func "metadata[\'d\']" --show',
    )
    .action(async (files: readonly string[], options: ExperimentOptions) => {
      const { runExperiment } = await import('./run-experiment.ts');
      await runExperiment(files, options, io);
    });
}

function decoder(text: string): string {
  const names = Object.keys(DECODERS);
  if (names.includes(text)) return text;
  throw new InvalidArgumentError(`It must be one of ${names.join(', ')}.`);
}
