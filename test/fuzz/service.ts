/** The service under test: a process of its own on a free port, or one that runs already. */
import { execFileSync } from 'node:child_process';
import { startServiceProcess, temporaryFolder } from '../support/service-process.ts';
import type { Answer, Service } from './area.ts';

const SETTINGS = {
  QCS_RATE_LIMIT_ENTERPRISE: '1000000000',
  QCS_LOG_LEVEL: 'error',
  QCS_JOB_RETENTION_DAYS: '1',
};

/** A service that ends on disposal. */
export interface OpenService extends Service, AsyncDisposable {}

/** Talks to a running service. */
export function serviceAt(origin: string, key: string): Service {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  return {
    origin,
    key,
    async post(path, body): Promise<Answer> {
      const url = `${origin}/api/v1/quantum/${path}`;
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      const answer = (await response.json()) as {
        data?: Answer['data'];
        error?: { code: string; message: string; details?: { code?: string }[] };
      };
      const { data = {}, error } = answer;
      const code = error?.details?.[0]?.code ?? error?.code ?? '';
      return { status: response.status, data, code, message: error?.message ?? '' };
    },
  };
}

/**
 * Starts `src/main.ts` of a tree with an enterprise key.
 *
 * @param root - The folder of the tree.
 */
export async function startService(root: string): Promise<OpenService> {
  const folder = temporaryFolder();
  const running = await startServiceProcess(folder.path, SETTINGS, {
    entry: ['--', `${root}/src/main.ts`],
  });
  const end = async () => {
    await running.stop('SIGTERM');
    folder[Symbol.dispose]();
  };
  try {
    return { ...serviceAt(running.origin, keyFor(root, folder.path)), [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Makes an enterprise key in a data folder. */
function keyFor(root: string, folder: string): string {
  const args = [`${root}/src/cli.ts`, 'keys', 'create', '--name', 'fuzz', '--tier', 'enterprise'];
  const text = execFileSync(process.execPath, args, {
    env: { ...process.env, QCS_DATA_DIR: folder },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const key = /\bqcs_[A-Za-z0-9_-]+/.exec(text)?.[0];
  if (key === undefined) throw new Error(`no key in: ${text}`);
  return key;
}
