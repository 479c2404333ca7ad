/**
 * `qcs run FILE`: runs a circuit on this machine without a server, the way the service would; or, with
 * options of an engine, on that engine in this process, for measuring.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandIo } from './command-io.ts';
import { count, digits } from './option-parsers.ts';
import type { RunOptions } from './run-circuit.ts';
import { DEFAULT_PROCESSOR, DEFAULT_SHOTS } from './run-defaults.ts';

/** Adds the command to the program. */
export function addRunCommand(program: Command, io: CommandIo): void {
  program
    .command('run')
    .description('run a circuit on this machine, without a server, and print a histogram')
    .argument(
      '<file>',
      'OpenQASM; or .json with a list of gate objects, or with a whole request body of POST /quantum/circuits',
    )
    .option('--processor <id>', `gpu-fleet, or ${DEFAULT_PROCESSOR} by default`)
    .option('--shots <n>', `repetitions (default ${DEFAULT_SHOTS})`, digits)
    .option('--seed <n>', 'the same seed gives the same counts (drawn by default)', digits)
    .option('--input <name=value>', 'value of an OpenQASM 3 input; may be repeated', addInput)
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
    .option('--json', 'print the fields of the HTTP response as one JSON object')
    .addHelpText(
      'after',
      '\nWith any of --engine, --threads, --precision and --repeat the circuit is compiled once, run on\nthe engine in this process, and timed: evolution and sampling apart, for each run.',
    )
    .action(async (file: string, options: RunOptions) => {
      const { runCircuit } = await import('./run-circuit.ts');
      await runCircuit(file, options, io);
    });
}

function addInput(
  text: string,
  earlier: Readonly<Record<string, number | boolean>> = {},
): Readonly<Record<string, number | boolean>> {
  const [name = '', value = ''] = text.split(/=(.*)/s, 2);
  const isBoolean = value === 'true' || value === 'false';
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (name === '' || (!isBoolean && !Number.isFinite(number))) {
    throw new InvalidArgumentError('Write it as name=value, with a number, true or false.');
  }
  return { ...earlier, [name]: isBoolean ? value === 'true' : number };
}
