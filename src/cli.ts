#!/usr/bin/env node
/** The command line, `qcs`. Results go to stdout, everything else to stderr. */
import { enableCompileCache } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type CommandIo, EXIT_CODES } from './cli/command-io.ts';

// As bin/qcs.js does: half of a short command's time is compiling what it loads.
enableCompileCache();

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
    await main();
  },
});
if (code !== EXIT_CODES.ok) process.exitCode = code;
