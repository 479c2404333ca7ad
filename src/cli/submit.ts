/**
 * `qcs submit FILE`: runs a circuit, with a sweep at many values of its inputs, at a running service, and prints what
 * `qcs run` prints.
 */
import { type Command, Option } from 'commander';
import type { JobPriority } from '../jobs/job.ts';
import { withCircuit } from './circuit-options.ts';
import type { CommandIo } from './command-io.ts';
import { withAddress } from './jobs/address-options.ts';
import type { SubmitOptions } from './jobs/submit-circuit.ts';
import { isSweep, type SweepOptions, withSweep } from './sweep-options.ts';

/** Priorities. They are repeated here because importing the service's list loads all of jobs. */
const PRIORITIES: Readonly<Record<JobPriority, true>> = { low: true, normal: true, high: true };

/** Adds the command to the program. */
export function addSubmitCommand(program: Command, io: CommandIo): void {
  withSweep(withAddress(withCircuit(program.command('submit'))))
    .description('run a circuit at a running service, wait for it and print a histogram')
    .option('--name <name>', 'what the job is to be called')
    .option('--tag <tag>', 'a tag of the job; may be repeated', addTag)
    .addOption(new Option('--priority <level>', 'of the job').choices(Object.keys(PRIORITIES)))
    .option('--async', 'print the id of the job and leave; `qcs jobs follow ID` waits for it')
    .option('--json', 'print the record of the job as one JSON object')
    .addHelpText(
      'after',
      '\nWith --sweep the circuit is run at each point of its inputs, and the results are drawn, as by `qcs run`.\n\nThe API key is read from QCS_API_KEY, or from a file (--key-file).',
    )
    .action(async (file: string, options: SubmitOptions & SweepOptions) => {
      if (isSweep(options)) {
        const { submitSweep } = await import('./jobs/submit-sweep.ts');
        await submitSweep(file, options, io);
        return;
      }
      const { submitCircuit } = await import('./jobs/submit-circuit.ts');
      await submitCircuit(file, options, io);
    });
}

function addTag(tag: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, tag];
}
