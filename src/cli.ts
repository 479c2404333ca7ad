#!/usr/bin/env node
/** The command line, `qcs`. Results go to stdout, everything else to stderr. */
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import { addCapacityCommand } from './cli/capacity.ts';
import { type CommandIo, EXIT_CODES } from './cli/command-io.ts';
import { addCompileCommand } from './cli/compile.ts';
import { addDevicesCommand } from './cli/devices.ts';
import { exitCodeOf, faultText } from './cli/failures.ts';
import { addGatesCommand } from './cli/gates.ts';
import { addKeysCommand } from './cli/keys.ts';
import { addRunCommand } from './cli/run.ts';
import { addTrainCommand } from './cli/train.ts';
import { settingsHelp } from './config.ts';
import { main } from './main.ts';
import { version } from './service/software-version.ts';

// `qcs … | head`: the reader has what it wanted. Anything else (a full disk) is a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT_CODES.ok);
  process.stderr.write(`The output cannot be written: ${error.message}\n`);
  process.exit(EXIT_CODES.failed);
});

const io: CommandIo = {
  out: process.stdout,
  err: process.stderr,
  environment: process.env,
  now: Date.now,
  random: Math.random,
  onInterrupt(listener) {
    process.once('SIGINT', listener);
    return { [Symbol.dispose]: () => process.off('SIGINT', listener) };
  },
};

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
  // Inherited by the commands added below: they throw instead of ending the process.
  .exitOverride();

program
  .command('serve')
  .description('start the HTTP service')
  .addHelpText('after', `\nSettings, from the environment:\n${settingsHelp()}`)
  .action(main);
addRunCommand(program, io);
addCompileCommand(program, io);
addKeysCommand(program, io);
addDevicesCommand(program, io);
addGatesCommand(program, io);
addTrainCommand(program, io);
addCapacityCommand(program, io, fileURLToPath(import.meta.url));

try {
  await program.parseAsync();
} catch (error) {
  // Commander has already written its own messages.
  if (!(error instanceof CommanderError)) process.stderr.write(`${faultText(error)}\n`);
  process.exitCode = exitCodeOf(error);
}
