/**
 * The commands of `qcs`. What is here says what each is called and takes; its code is loaded when it
 * runs, so that `--help` and the small commands need not wait for the service and its engines.
 */
import { Command, CommanderError } from 'commander';
import { version } from '../service/software-version.ts';
import { addCapacityCommand } from './capacity.ts';
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

/** What only the entry point has. */
export interface Entry {
  /** Its module, which `qcs capacity` starts again. */
  readonly module: string;
  /** Serves until it is told to stop. */
  readonly serve: () => Promise<void>;
}

/**
 * Runs one command line. What goes wrong is said on `io.err`.
 *
 * @param args - Without the names of Node and of the module.
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

/** @param settings - What `serve --help` says of the environment. */
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
    // Inherited by the commands added below: they throw instead of ending the process.
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
  addDevicesCommand(program, io);
  addGatesCommand(program, io);
  addTrainCommand(program, io);
  addCapacityCommand(program, io, module);
  return program;
}

/** Help texts are written at once, so what this one is made from has to be there before. */
async function settingsText(): Promise<string> {
  const { settingsHelp } = await import('../config.ts');
  return `\nSettings, from the environment:\n${settingsHelp()}`;
}
