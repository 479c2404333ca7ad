/** The service, started as a process of its own for a measurement, on a free port and an empty folder. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { LoadFailedError } from './errors.ts';

/** A running service of our own. */
export interface OwnService extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: URL;
  readonly key: string;
}

/** Nobody's limits are to be measured: a load is one key. */
const NO_LIMITS = {
  QCS_RATE_LIMIT_STANDARD: '1000000000',
  QCS_RATE_LIMIT_ENTERPRISE: '1000000000',
  QCS_IN_FLIGHT_STANDARD: '1000000',
  QCS_IN_FLIGHT_ENTERPRISE: '1000000',
};

/** For what runs to be through. */
const STOP_MS = 60_000;
/** Until a service listens and has tested itself, which on a software adapter takes a while. */
const START_MS = 120_000;

/**
 * Starts `qcs serve` with the caller's settings but for address, folder, log and limits of a key.
 *
 * @param entry - The module of the command line.
 * @param startMs - How long it may take to listen.
 * @throws {LoadFailedError} if it ends before it listens, or does not in time, or does not say where. Then
 *   it has ended, and its folder is gone.
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

/** What it has written once it says that it is ready. */
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

/** One that does not end when it is asked to is killed. */
async function end(child: ServiceProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exit;
  clearTimeout(timer);
}
