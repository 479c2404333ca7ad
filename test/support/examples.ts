/** The programs of examples/, which run as their readers run them, with a service. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type SharedService, test } from './shared-service.ts';

/** Has a service there before the first test of the suite around it. */
export function openExamples() {
  let service: SharedService;
  test.beforeAll(({ service: shared }) => {
    service = shared;
  });

  /** Runs a program with a new Standard key, which has the limits of any, and gives its output. */
  async function printed(
    command: string,
    file: string,
    ...options: readonly string[]
  ): Promise<string> {
    const env = {
      ...process.env,
      QCS_URL: service.origin,
      QCS_API_KEY: await service.createKey('standard'),
      PYTHONIOENCODING: 'utf-8',
    };
    return (await promisify(execFile)(command, [`examples/${file}`, ...options], { env })).stdout;
  }

  return { printed };
}
