/** The service, started as a process of its own for a measurement, on a free port and an empty folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/**
 * Starts `qcs serve` with the caller's settings but for address, folder, log and limits of a key.
 *
 * @param entry - The module of the command line.
 * @throws {LoadFailedError} if it ends before it listens.
 */
export async function startOwnService(
  entry: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<OwnService> {
  const folder = mkdtempSync(join(tmpdir(), 'qcs-capacity-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  const settings = { QCS_HOST: '127.0.0.1', QCS_PORT: '0', QCS_DATA_DIR: folder };
  const child = spawn(process.execPath, [...process.execArgv, entry, 'serve'], {
    env: { ...environment, ...NO_LIMITS, ...settings, QCS_LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.includes('Ready.')) resolve();
  });
  child.once('error', reject);
  child.once('exit', (code) => reject(new LoadFailedError(`the service ended (${code}): ${log}`)));
  try {
    await promise;
  } catch (error) {
    removeFolder();
    throw error;
  }
  const origin = /(http:\/\/127\.0\.0\.1:\d+)/.exec(output)?.[1];
  const key = /\b(qcs_[A-Za-z0-9_-]+)/.exec(output)?.[1];
  if (origin === undefined || key === undefined) {
    throw new LoadFailedError(`the service does not say its address and key: ${output}`);
  }
  return {
    origin: new URL(origin),
    key,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        const exit = once(child, 'exit');
        child.kill('SIGTERM');
        await exit;
      }
      removeFolder();
    },
  };
}
