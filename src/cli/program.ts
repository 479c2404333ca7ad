/**
 * Commands of `qcs` with their names and options. The code of a command is loaded when it runs, so `--help`
 * and small commands do not wait for the service and its engines.
 */
import { Command, CommanderError } from 'commander';
import { version } from '../service/http/software-version.ts';
import { addCapacityCommand } from './capacity.ts';
import { addClusterCommand } from './cluster.ts';
import { type CommandIo, EXIT_CODES } from './command-io.ts';
import { addCompileCommand } from './compile.ts';
import { addDevicesCommand } from './devices.ts';
import { exitCodeOf, faultText } from './failures.ts';
import { addGatesCommand } from './gates.ts';
import { addJobsCommand } from './jobs.ts';
import { addKeysCommand } from './keys.ts';
import { addRunCommand } from './run.ts';
import { addStorageCommands } from './storage.ts';
import { addSubmitCommand } from './submit.ts';
import { addTrainCommand } from './train.ts';

/** Parts that only the entry point provides. */
export interface Entry {
  /** Module of the entry point; `qcs capacity` starts it again. */
  readonly module: string;
  /** Serves until the process is told to stop. */
  readonly serve: () => Promise<void>;
}

/**
 * Runs one command line. Errors are written to `io.err`.
 *
 * @param args - Arguments without the names of Node and of the module.
 * @returns One of EXIT_CODES.
 */
export async function runCommandLine(
  args: readonly string[],
  io: CommandIo,
  entry: Entry,
): Promise<number> {
  const program = createProgram(io, entry, args.includes('serve') ? await settingsText() : '');
  try {
    await program.parseAsync(args, { from: 'user' });
    return EXIT_CODES.ok;
  } catch (error) {
    // Commander has already written its own messages.
    if (!(error instanceof CommanderError)) io.err.write(`${faultText(error)}\n`);
    return exitCodeOf(error);
  }
}

/** @param settings - Text about the environment for `serve --help`. */
function createProgram(io: CommandIo, { module, serve }: Entry, settings: string): Command {
  const program = new Command('qcs')
    .description('Quantum circuits on this machine, and the service that runs them over HTTP')
    .version(version())
    .showHelpAfterError('(`qcs --help` lists the commands)')
    .addHelpText(
      'after',
      `\nExit codes: ${Object.entries(EXIT_CODES)
        .map(([name, code]) => `${code} ${name.replace('notFound', 'not found')}`)
        .join(', ')}.`,
    )
    .configureOutput({
      writeOut: (text) => io.out.write(text),
      writeErr: (text) => io.err.write(text),
    })
    // Inherited by the commands added below, so that they throw instead of ending the process.
    .exitOverride();

  program
    .command('serve')
    .description('start the HTTP service')
    .addHelpText('after', settings)
    .action(serve);
  addRunCommand(program, io);
  addSubmitCommand(program, io);
  addCompileCommand(program, io);
  addJobsCommand(program, io);
  addKeysCommand(program, io);
  addStorageCommands(program, io);
  addClusterCommand(program, io);
  addDevicesCommand(program, io);
  addGatesCommand(program, io);
  addTrainCommand(program, io);
  addCapacityCommand(program, io, module);
  return program;
}

/** Loaded before the program is made, because Commander takes help texts as strings. */
async function settingsText(): Promise<string> {
  const { settingsHelp } = await import('../config.ts');
  return `\nSettings, from the environment:\n${settingsHelp()}`;
}
