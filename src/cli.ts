#!/usr/bin/env node
/** The command line, `qcs`. Results go to stdout, everything else to stderr. */
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type CommandIo, EXIT_CODES } from './cli/command-io.ts';
import { keepCompiled } from './processes/compile-cache.ts';

// As bin/qcs.js does, and also for threads: compiling takes half the time of a short command.
keepCompiled(process.env);

// EPIPE is no error: in `qcs … | head` the reader has stopped reading. Others (a full disk) are failures.
const stopUnread = (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT_CODES.ok);
  process.stderr.write(`The output cannot be written: ${error.message}\n`);
  process.exit(EXIT_CODES.failed);
};
process.stdout.on('error', stopUnread);

const io: CommandIo = {
  out: process.stdout,
  err: process.stderr,
  environment: process.env,
  now: Date.now,
  random: Math.random,
  async sleep(ms, signal) {
    try {
      await setTimeout(ms, undefined, signal && { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
  onInterrupt(listener) {
    process.once('SIGINT', listener);
    return { [Symbol.dispose]: () => process.off('SIGINT', listener) };
  },
};

const { runCommandLine } = await import('./cli/program.ts');
const code = await runCommandLine(process.argv.slice(2), io, {
  module: fileURLToPath(import.meta.url),
  async serve() {
    const { main } = await import('./main.ts');
    // A service goes on when nobody reads its output.
    process.stdout.off('error', stopUnread);
    await main();
  },
});
if (code !== EXIT_CODES.ok) process.exitCode = code;
