/** Service under measurement, started as a child process on a free port with an empty data folder. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { LoadFailedError } from '../errors.ts';

/** Running service that this process started. */
export interface OwnService extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: URL;
  readonly key: string;
}

/** Settings that lift the limits of a key: the whole load uses one key. */
const NO_LIMITS = {
  QCS_RATE_LIMIT_STANDARD: '1000000000',
  QCS_RATE_LIMIT_ENTERPRISE: '1000000000',
  QCS_IN_FLIGHT_STANDARD: '1000000',
  QCS_IN_FLIGHT_ENTERPRISE: '1000000',
};

/** Time for running jobs to finish when the service stops. */
const STOP_MS = 60_000;
/** Time for a service to listen and pass its self-tests, which are slow on a software adapter. */
const START_MS = 120_000;

/**
 * Starts `qcs serve` with the caller's settings, except address, data folder, log and limits of a key.
 *
 * @param entry - Module of the command line.
 * @param startMs - Time limit for listening.
 * @throws {LoadFailedError} if the service ends before it listens, does not listen in time, or does not print
 *   its address. The process has then ended and its folder is removed.
 */
export async function startOwnService(
  entry: string,
  environment: Readonly<Record<string, string | undefined>>,
  startMs = START_MS,
): Promise<OwnService> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'qcs-capacity-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const settings = { QCS_HOST: '127.0.0.1', QCS_PORT: '0', QCS_DATA_DIR: folder };
  const child = spawn(process.execPath, [...process.execArgv, entry, 'serve'], {
    env: { ...environment, ...NO_LIMITS, ...settings, QCS_LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  stack.defer(() => end(child));
  const output = await untilReady(child, startMs);
  const origin = /(http:\/\/127\.0\.0\.1:\d+)/.exec(output)?.[1];
  const key = /\b(qcs_[A-Za-z0-9_-]+)/.exec(output)?.[1];
  if (origin === undefined || key === undefined) {
    throw new LoadFailedError(`the service does not say its address and key: ${output}`);
  }
  const owned = stack.move();
  return {
    origin: new URL(origin),
    key,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

type ServiceProcess = ChildProcessByStdio<null, Readable, Readable>;

/** Waits until the service says that it is ready; returns its output. */
async function untilReady(child: ServiceProcess, startMs: number): Promise<string> {
  let output = '';
  let log = '';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.includes('Ready.')) resolve();
  });
  child.once('error', reject);
  child.once('exit', (code) => reject(new LoadFailedError(`the service ended (${code}): ${log}`)));
  const late = () =>
    reject(new LoadFailedError(`the service is not ready in ${startMs} ms: ${log}`));
  const timer = setTimeout(late, startMs);
  try {
    await promise;
    return output;
  } finally {
    clearTimeout(timer);
  }
}

/** Stops the process; kills it if it does not end in time. */
async function end(child: ServiceProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exit;
  clearTimeout(timer);
}
