/** Commands that take a circuit file: `qcs run` and `qcs submit`, with the options that they share. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { InputValue } from '../circuit/input-columns.ts';
import { SHOT_FORMATS } from '../circuit/stim/shot-formats.ts';
import { METHODS } from '../fleet/method-names.ts';
import type { JobPriority } from '../jobs/job.ts';
import type { RunOptions } from './circuit-file.ts';
import type { CommandIo } from './command-io.ts';
import { OptionsConflictError } from './errors.ts';
import type { SubmitOptions } from './jobs/submit-circuit.ts';
import { withAddress } from './jobs.ts';
import { count, digits, inputValue, number, several } from './option-parsers.ts';
import { DEFAULT_PROCESSOR, DEFAULT_SHOTS } from './run-defaults.ts';
import { type ShotFileOptions, writesShots } from './shot-files.ts';
import { isSweep, type SweepOptions, withSweep } from './sweep-options.ts';

/** Adds the command to the program. */
export function addRunCommand(program: Command, io: CommandIo): void {
  withSweep(withCircuit(program.command('run')))
    .description('run a circuit on this machine, without a server, and print a histogram')
    .addOption(
      new Option('--engine <engine>', 'measure an engine in this process (default cpu)').choices([
        'cpu',
        'reference',
        'webgpu',
      ]),
    )
    .option('--threads <n>', 'measure on so many threads (default one a core)', count(256))
    .addOption(
      new Option(
        '--precision <p>',
        'measure in this precision (default f64; webgpu has f32 alone)',
      ).choices(['f32', 'f64']),
    )
    .option('--repeat <n>', 'measure so many runs (default 1)', count(1_000_000))
    .option(
      '--save-state <file>',
      'write the final state to a file: two little-endian 64-bit floats for each amplitude',
    )
    .option('--json', 'print the fields of the HTTP response as one JSON object')
    .addHelpText(
      'after',
      '\nWith --sweep the circuit is run at each point of its inputs, and --observable values are drawn as lines;\nwithout an --observable, the share of the shots of each outcome. For example:\n\n  qcs run examples/ramsey.qasm --sweep phase=0:2pi:101 --observable Z0\n\nWith any of --engine, --threads, --precision and --repeat the circuit is compiled once, run on\nthe engine in this process, and timed: evolution and sampling apart, for each run.',
    )
    .action(async (file: string, options: RunOptions & SweepOptions) => {
      const isOther = isSweep(options) || isMeasurement(options);
      refuseShotFiles(options, isOther);
      if (options.saveState !== undefined && isOther) {
        throw new OptionsConflictError(
          '--save-state is of one circuit: not of a sweep or an engine.',
        );
      }
      if (isSweep(options)) {
        if (isMeasurement(options)) {
          throw new OptionsConflictError(
            '--sweep, --observable, --gradient and --table run the circuit as the service would, unmeasured.',
          );
        }
        const { runSweep } = await import('./run-sweep.ts');
        await runSweep(file, options, io);
      } else if (isMeasurement(options)) {
        const { measureFile } = await import('./measure-file.ts');
        await measureFile(file, options, io);
      } else {
        const { runCircuit } = await import('./run-circuit.ts');
        await runCircuit(file, options, io);
      }
    });
}

/** @throws {OptionsConflictError} if a file of shots is asked for where the command has no shots of one circuit. */
function refuseShotFiles(options: ShotFileOptions, hasNoShots: boolean): void {
  if (!hasNoShots || !writesShots(options)) return;
  throw new OptionsConflictError(
    'files of shots are written when one circuit has run: not of a sweep, a measurement of an engine, an estimate, or a job that goes on (--async).',
  );
}

/** Whether an option asks to measure an engine. */
function isMeasurement({ engine, threads, precision, repeat }: RunOptions): boolean {
  return [engine, threads, precision, repeat].some((option) => option !== undefined);
}

/** Priorities. They are repeated here because importing the service's list loads all of jobs. */
const PRIORITIES: Readonly<Record<JobPriority, true>> = { low: true, normal: true, high: true };

/** Adds the command to the program. */
export function addSubmitCommand(program: Command, io: CommandIo): void {
  withSweep(withAddress(withCircuit(program.command('submit'))))
    .description('run a circuit at a running service, wait for it and print a histogram')
    .option('--name <name>', 'what the job is to be called')
    .option('--tag <tag>', 'a tag of the job; may be repeated', several)
    .addOption(new Option('--priority <level>', 'of the job').choices(Object.keys(PRIORITIES)))
    .option('--async', 'print the id of the job and leave; `qcs jobs follow ID` waits for it')
    .option('--estimate', 'print the expected time, memory, method and start, and submit nothing')
    .option('--json', 'print the record of the job, or the estimate, as one JSON object')
    .addHelpText(
      'after',
      '\nWith --sweep the circuit is run at each point of its inputs, and the results are drawn, as by `qcs run`.\n\nThe API key is read from QCS_API_KEY, or from a file (--key-file).',
    )
    .action(async (file: string, options: SubmitOptions & SweepOptions) => {
      const hasNoShots = isSweep(options) || options.async === true || options.estimate === true;
      refuseShotFiles(options, hasNoShots);
      if (isSweep(options)) {
        const { submitSweep } = await import('./jobs/submit-sweep.ts');
        await submitSweep(file, options, io);
        return;
      }
      const { submitCircuit } = await import('./jobs/submit-circuit.ts');
      await submitCircuit(file, options, io);
    });
}

/** Adds the file argument and the options of SubmissionOptions. */
function withCircuit(command: Command): Command {
  return command
    .argument(
      '<file>',
      'OpenQASM; or .json with a list of gate objects, or with a whole request body of POST /quantum/circuits',
    )
    .option(
      '--processor, --target <id>',
      `gpu-fleet, qvm, emulator-ibm-fez, …, or ${DEFAULT_PROCESSOR} by default`,
    )
    .option('--shots <n>', `repetitions (default ${DEFAULT_SHOTS})`, digits)
    .option('--seed <n>', 'the same seed gives the same counts (drawn by default)', digits)
    .option(
      '--input <name=value>',
      'value of an input, such as 0.5 or pi/2; may be repeated',
      addInput,
    )
    .option(
      '--noise <model>',
      'a .json file with a noise model, or the name of one from GET /quantum/noise-models',
    )
    .addOption(
      new Option('--method <method>', 'how to simulate (default automatic)').choices(METHODS),
    )
    .option(
      '--max-bond-dimension <n>',
      'largest bond of matrix product states (default 256)',
      digits,
    )
    .option(
      '--truncation-threshold <weight>',
      'weight that a cut of a bond may leave out (default 1e-12)',
      number(0, 1),
    )
    .option('--approximate', 'let Pauli propagation leave strings out, with a bound on the error')
    .option('--max-terms <n>', 'Pauli strings of an observable at a time (default 1048576)', digits)
    .option(
      '--min-coefficient <c>',
      'with --approximate, leave out Pauli strings with smaller coefficients',
      number(0, 1),
    )
    .option(
      '--max-weight <n>',
      'with --approximate, leave out Pauli strings on more qubits',
      digits,
    )
    .option('--detection-events <file>', 'write the detection events of all shots to a file')
    .option(
      '--observables <file>',
      'write the flips of logical observables to a file of their own, not after the detection events',
    )
    .option('--measurements <file>', 'write the measured bits of all shots to a file')
    .option(
      '--reference-sample <file>',
      'write the measured bits of one run without noise to a file',
    )
    .addOption(
      new Option('--out-format <format>', "Stim's format of these files")
        .choices(SHOT_FORMATS)
        .default('01'),
    );
}

function addInput(
  text: string,
  earlier: Readonly<Record<string, InputValue>> = {},
): Readonly<Record<string, InputValue>> {
  const [name = '', value = ''] = text.split(/=(.*)/s, 2).map((part) => part.trim());
  const parsed = inputValue(value);
  if (name === '' || parsed === undefined) {
    throw new InvalidArgumentError(
      'Write it as name=value, with a number such as 0.5 or pi/2, with true or false, or with a label of bits such as "011" in quotation marks.',
    );
  }
  return { ...earlier, [name]: parsed };
}
