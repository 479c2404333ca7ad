/** A service for the programs of examples/, which run as their readers run them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';
import { type ServiceProcess, startServiceProcess, temporaryFolder } from './service-process.ts';

/** Starts the service before the first test of the suite around it, and stops it after the last. */
export function openExamples() {
  const folder = temporaryFolder();
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startServiceProcess(folder.path, { QCS_ENGINE: 'cpu' });
  });
  afterAll(async () => {
    await service?.stop('SIGTERM');
    folder[Symbol.dispose]();
  });

  /** Runs a program with a new key, which has the limits of any, and gives its output. */
  async function printed(
    command: string,
    file: string,
    ...options: readonly string[]
  ): Promise<string> {
    const made = await promisify(execFile)(
      process.execPath,
      ['src/cli.ts', 'keys', 'create', '--name', 'examples', '--json'],
      { env: { ...process.env, QCS_DATA_DIR: folder.path } },
    );
    const { key } = z.object({ key: z.string() }).parse(JSON.parse(made.stdout));
    const env = {
      ...process.env,
      QCS_URL: service.origin,
      QCS_API_KEY: key,
      PYTHONIOENCODING: 'utf-8',
    };
    return (await promisify(execFile)(command, [`examples/${file}`, ...options], { env })).stdout;
  }

  return { printed };
}
