// @needs processes
/** An experiment over several lives of the service: killed with kill -9 and started again, on one thread or on two. */
import { expect, test, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { ServiceClient } from '../support/service-client.ts';
import {
  type ServiceProcess,
  SMALL_SERVICE,
  startServiceProcess,
  temporaryFolder,
} from '../support/service-process.ts';

vi.setConfig({ testTimeout: 240_000 });

const SETTINGS = { ...SMALL_SERVICE, QCS_RATE_LIMIT_STANDARD: '1000000' };

/** A repetition code on a ring, measured many times, so that a shot takes ten microseconds. */
const ROUNDS = 200;
/** Shots of a life of the service: more than a second of work, so that some counts are stored. */
const SHOTS_OF_LIFE = 500_000;
const CODE = [
  'R 0 1 2 3 4 5 6 7 8 9',
  `REPEAT ${ROUNDS} {`,
  '  DEPOLARIZE1(0.02) 0 2 4 6 8',
  '  CX 0 1 2 3 4 5 6 7 8 9',
  '  CX 2 1 4 3 6 5 8 7 0 9',
  '  X_ERROR(0.02) 1 3 5 7 9',
  '  MR 1 3 5 7 9',
  '}',
  'M 0 2 4 6 8',
  'DETECTOR rec[-10] rec[-5] rec[-4]',
  'OBSERVABLE_INCLUDE(0) rec[-1]',
  '',
].join('\n');

interface Counts {
  readonly shots: number;
  readonly errors: number;
}
interface Experiment {
  readonly status: string;
  readonly tasks?: readonly Counts[];
  readonly resumed_shots?: number;
}

const countsOf = ({ tasks = [] }: Experiment) => tasks.map(({ shots, errors }) => [shots, errors]);

test('goes on from its stored counts, and ends with those of an undisturbed run', async () => {
  using folder = temporaryFolder();
  const start = (threads: number, port = '0') =>
    startServiceProcess(folder.path, {
      ...{ ...SETTINGS, QCS_THREADS: String(threads), QCS_PORT: port },
    });
  let running: ServiceProcess = await start(2);
  const { origin, key = '' } = running;
  const client = new ServiceClient(origin, key);
  const { port } = new URL(origin);
  const body = {
    tasks: [
      { stim: CODE, max_errors: 300_000 },
      { stim: CODE, seed: 5 },
    ],
    ...{ max_shots: 1_000_000, decoder: 'none', seed: 9 },
  };
  const submit = async () => {
    const { data } = await client.request('POST', '/quantum/experiments', { body });
    return (data as { readonly experiment_id: string }).experiment_id;
  };
  const get = async (id: string) =>
    (await client.get(`/quantum/experiments/${id}`)) as unknown as Experiment;
  const completed = (id: string) => eventually(async () => (await get(id)).status === 'completed');

  const undisturbed = await submit();
  await completed(undisturbed);
  const expected = countsOf(await get(undisturbed));
  const killed = await submit();
  let seen = 0;
  for (const threads of [1, 2]) {
    const before = seen;
    await eventually(async () => {
      const counts = countsOf(await get(killed)).map(([shots = 0]) => shots);
      seen = counts.reduce((sum, shots) => sum + shots, 0);
      return seen >= before + SHOTS_OF_LIFE;
    });
    await running.stop('SIGKILL');
    running = await start(threads, port);
  }
  await completed(killed);
  const record = await get(killed);
  expect(countsOf(record)).toEqual(expected);
  expect(record.resumed_shots).toBeGreaterThan(0);
  await running.stop('SIGTERM');
});
