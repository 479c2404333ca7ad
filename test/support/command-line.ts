/** `qcs` within this process, with the same messages and exit codes but without a start of Node, and as a process. */
import { execFile } from 'node:child_process';
import type { CommandIo } from '../../src/cli/command-io.ts';
import { runCommandLine } from '../../src/cli/program.ts';

/** Output and exit code of a command line. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Properties of the process around the command that a test sets. */
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

type Environment = Readonly<Record<string, string>>;

/** Runs a command line as a process. The environment is that of the tests, with these variables. */
export function runQcsProcess(
  args: readonly string[],
  environment: Environment = {},
): Promise<Ended> {
  return processEnd(process.execPath, ['bin/qcs.js', ...args], environment);
}

/** Runs any command to its end. */
export function processEnd(
  command: string,
  args: readonly string[],
  environment: Environment = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...environment };
    execFile(command, args, { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}
