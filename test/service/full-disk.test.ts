// @needs processes
/**
 * A service whose database cannot be written for a while. Its own limit on the size of files (RLIMIT_FSIZE)
 * plays the full disk: it needs no file system of its own, and can be lifted while the service runs.
 */
import { spawnSync } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { lastingCircuit } from '../support/lasting-circuit.ts';
import {
  type ServiceProcess,
  SMALL_SERVICE,
  startServiceProcess,
  temporaryFolder,
} from '../support/service-process.ts';

const canLimit = spawnSync('prlimit', ['--version']).status === 0;
if (!canLimit) process.stderr.write('SKIPPED: full-disk.test.ts needs prlimit (util-linux).\n');

let running: ServiceProcess | undefined;
afterEach(async () => {
  await running?.stop('SIGKILL');
});

function limitFiles({ process: { pid } }: ServiceProcess, bytes: '0' | 'unlimited'): void {
  const { status, stderr } = spawnSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
}

test.skipIf(!canLimit)(
  'while nothing can be written it says so, and then finishes what it had accepted',
  async () => {
    using folder = temporaryFolder();
    running = await startServiceProcess(folder.path, {
      ...SMALL_SERVICE,
      QCS_RATE_LIMIT_STANDARD: '1000000',
    });
    const service = running;
    const headers = { 'x-api-key': running.key ?? '', 'content-type': 'application/json' };
    const url = `${running.origin}/api/v1/quantum/circuits`;
    const submit = (circuit: unknown, prefer: string) =>
      fetch(url, {
        method: 'POST',
        headers: { ...headers, prefer },
        body: JSON.stringify({ circuit, target_processor: 'statevector-sim', shots: 100 }),
      });
    const get = async (path: string) => (await fetch(service.origin + path, { headers })).json();
    const bell = [{ gate: 'H', qubit: 0 }];

    const accepted = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const answer = await submit(lastingCircuit(16, 60), 'respond-async');
        expect(answer.status).toBe(201);
        return ((await answer.json()) as { data: { circuit_id: string } }).data.circuit_id;
      }),
    );
    limitFiles(running, '0');

    const refused = await submit(bell, 'wait=30');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('30');
    const { error } = (await refused.json()) as { error: { details: { code: string }[] } };
    expect(error.details[0]?.code).toBe('STORAGE_UNWRITABLE');
    expect(await get('/api/v1/status')).toMatchObject({ data: { status: 'degraded' } });
    expect((await fetch(`${running.origin}/readyz`)).status).toBe(503);
    expect(await get(`/api/v1/quantum/circuits/${accepted[0]}`)).toMatchObject({ success: true });
    // At least one of those that were accepted has ended by now, and its outcome waits to be written.
    await eventually(() => service.log().includes('cannot be written'));

    limitFiles(running, 'unlimited');
    await eventually(async () => {
      const records = await Promise.all(
        accepted.map((id) => get(`/api/v1/quantum/circuits/${id}`)),
      );
      return (records as { data: { status: string } }[]).every(
        ({ data }) => data.status === 'completed',
      );
    });
    await eventually(async () => (await fetch(`${service.origin}/readyz`)).status === 200);
    expect((await submit(bell, 'wait=30')).status).toBe(201);
    expect(await running.stop('SIGTERM')).toBe(0);
  },
);
