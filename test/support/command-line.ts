/** `qcs` within this process: the same commands, options, messages and exit codes, without a start of Node. */
import type { CommandIo } from '../../src/cli/command-io.ts';
import { runCommandLine } from '../../src/cli/program.ts';

/** What a command line wrote and how it ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a test may say of the process around the command. */
export interface Around extends Partial<Pick<CommandIo, 'environment' | 'now' | 'sleep'>> {
  /** Whether stderr is a terminal. */
  readonly isTTY?: boolean;
  /** Is given what Ctrl-C does. */
  readonly onListening?: (interrupt: () => void) => void;
  /** Is given each text as it is written on stderr. */
  readonly onError?: (text: string) => void;
}

/** Runs a command line. The environment is that of the tests, with what `around` adds. */
export async function runQcs(args: readonly string[], around: Around = {}): Promise<Ended> {
  const { isTTY = false, onListening, onError, environment, ...parts } = around;
  const written = { stdout: '', stderr: '' };
  const io: CommandIo = {
    out: { columns: 80, write: (text) => (written.stdout += text) },
    err: {
      isTTY,
      columns: 100,
      write(text) {
        written.stderr += text;
        onError?.(text);
      },
    },
    environment: { ...process.env, ...environment },
    now: Date.now,
    random: () => 0.5,
    sleep: async (_, signal) => signal?.throwIfAborted(),
    onInterrupt(listener) {
      onListening?.(listener);
      return { [Symbol.dispose]: () => {} };
    },
    ...parts,
  };
  const code = await runCommandLine(args, io, {
    module: 'src/cli.ts',
    serve: () => Promise.reject(new Error('serve is for a process of its own')),
  });
  return { code, ...written };
}
