/** Starts the real service as a process of its own, on a free port with a data folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awaited } from './eventually.ts';

/** A running service and what it printed. */
export interface ServiceProcess {
  readonly process: ChildProcess;
  /** `http://ADDRESS:PORT`; the address is 127.0.0.1 unless QCS_HOST says otherwise. */
  readonly origin: string;
  /** The key printed at the first start; undefined when one existed. */
  readonly key: string | undefined;
  readonly output: () => string;
  readonly log: () => string;
  /** Sends the signal and waits for the end; gives the exit code (null after SIGKILL). */
  stop(signal: 'SIGTERM' | 'SIGKILL' | 'SIGINT'): Promise<number | null>;
}

/** A folder that is removed on disposal. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'qcs-test-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * Settings of a service whose engines and processes are no concern of the test. It starts with two thirds of the
 * processor time that the default settings take on two cores, where adapters are looked for, and there is one process of
 * tasks more.
 */
export const SMALL_SERVICE = {
  QCS_ENGINE: 'cpu',
  QCS_THREADS: '1',
  QCS_TASK_PROCESSES: '1',
} as const;

/** How a service is started. */
export interface ServiceStart {
  /**
   * What it has to say before the start is over. `Ready`, unless given: all its self-tests are through. `Listening`
   * comes before most of them, in half of the time.
   */
  readonly says?: 'Ready' | 'Listening';
  /** Kills it while it starts, with SIGKILL. */
  readonly signal?: AbortSignal;
  /** What runs Node, where that is not Node itself: it ends as Node ends. */
  readonly command?: readonly string[];
  /** What Node runs; `src/main.ts` unless given. */
  readonly entry?: readonly string[];
}

/** Starts the service with these settings. */
export async function startServiceProcess(
  dataDir: string,
  environment: Readonly<Record<string, string>> = {},
  { says = 'Ready', signal, command = [], entry = ['src/main.ts'] }: ServiceStart = {},
): Promise<ServiceProcess> {
  const [program = '', ...args] = [...command, process.execPath, ...entry];
  const child = spawn(program, args, {
    // Whatever room the machine's disk has.
    env: {
      ...process.env,
      QCS_PORT: '0',
      QCS_DATA_DIR: dataDir,
      QCS_MIN_FREE_DISK_MIB: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const started = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => {
      if (output.includes(says)) resolve();
    });
    signal?.addEventListener('abort', () => child.kill('SIGKILL'));
    child.once('exit', (code) => reject(new Error(`the service ended (${code}): ${output}${log}`)));
  });
  await awaited(started, () => new Error(`the service never said "${says}": ${output}${log}`));
  const origin = /(http:\/\/\d+\.\d+\.\d+\.\d+:\d+)/.exec(output)?.[1];
  if (origin === undefined) throw new Error(`no address in: ${output}`);
  return {
    process: child,
    origin,
    key: /\b(qcs_[A-Za-z0-9_-]+)/.exec(output)?.[1],
    output: () => output,
    log: () => log,
    async stop(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      // Its last words may come after it has ended; one that is killed may leave a process that holds the pipe.
      const exit = once(child, signal === 'SIGKILL' ? 'exit' : 'close');
      child.kill(signal);
      const [code] = await awaited(
        exit,
        () => new Error(`the service never ended after ${signal}: ${output}${log}`),
      );
      return code as number | null;
    },
  };
}
