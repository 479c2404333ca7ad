// @needs processes
/**
 * Measured figures move with the load: those of agents and of the TPU fleet before, under and after
 * work that runs in processes of its own, over HTTP. The clock stands still until the test puts it
 * forward, and the processor holds circuits as long as the test says, so that no figure depends on how
 * fast the machine is.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AGENTS } from '../../src/workloads/agents/agents.ts';
import { type Benchmark, MonitoredProcedures } from '../../src/workloads/monitored-procedures.ts';
import { ProcedurePool } from '../../src/workloads/procedures/procedure-pool.ts';
import { PROCEDURE_CATALOG, Workloads } from '../../src/workloads/workloads.ts';
import { EngineProcessor } from '../support/engine-processor.ts';
import { eventually } from '../support/eventually.ts';
import { openTestService, START, type TestService } from './support/test-service.ts';

/** Longer than the window of the rates. */
const WINDOW_MS = 61_000;
/** Runs circuits. */
const TASK = { task: 'vqe', input: { problem: 'h2' } };
/** Computes for some tenths of a second, and waits for no processor meanwhile. */
const COMPUTING = { task: 'randomness_tests', input: { hex: '6a09e667f3bcc908'.repeat(3000) } };
/** Runs circuits, too. */
const TPU_JOB = {
  job_type: 'training',
  tpu_type: 'v4',
  zone: 'us-central2-b',
  chips: 32,
  input: { steps: 5 },
};

let clock = START;
const now = () => clock;
const processor = new EngineProcessor('statevector-sim');
const pool = new ProcedurePool({
  catalog: PROCEDURE_CATALOG,
  processors: [processor],
  numProcesses: 1,
  heapLimitMb: 256,
  queueLimit: 100,
});
let workloads: Workloads;
let service: TestService;

beforeAll(async () => {
  workloads = new Workloads({ processors: [], pool, queueLimit: 100, now, elapsedMs: now });
  await workloads.prepare();
  await workloads.start();
  service = await openTestService({ workloads, now });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await workloads.close();
  await processor[Symbol.asyncDispose]();
});

const stats = z.looseObject({
  queued: z.number(),
  running: z.number(),
  completed: z.number(),
  tasks_per_sec: z.number(),
  units_per_sec: z.number(),
  duration_ms_p50: z.number().nullable(),
  duration_ms_p95: z.number().nullable(),
});
const agentView = z.looseObject({ stats });
const fleetView = z.looseObject({
  available_chips: z.number(),
  jobs_placed: z.number(),
  jobs_waiting: z.number(),
  measured_tasks_per_sec: z.number(),
  stats,
});

const research = async () =>
  agentView.parse((await service.get('/agents/research')).json().data).stats;
const fleet = async () => fleetView.parse((await service.get('/tpu/fleet')).json().data);

/** Submits so many; gives where their records are. */
async function submit(url: string, body: object, count: number): Promise<readonly string[]> {
  const headers = { 'content-type': 'application/json' };
  const payload = JSON.stringify(body);
  const locations: string[] = [];
  for (let i = 0; i < count; i++) {
    const answer = await service.request({ method: 'POST', url, headers, payload });
    expect([answer.statusCode, answer.body.slice(0, 300)]).toEqual([201, expect.anything()]);
    locations.push(String(answer.headers.location).replace('/api/v1', ''));
  }
  return locations;
}

async function completed(locations: readonly string[]): Promise<void> {
  for (const location of locations) {
    await eventually(async () => {
      const { status } = (await service.get(location)).json().data;
      if (['queued', 'running'].includes(status)) return false;
      expect(status).toBe('completed');
      return true;
    });
  }
}

/** Has the processor hold what comes from now on; gives what lets it go. */
function holdCircuits(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  processor.gate = promise;
  return () => {
    processor.gate = undefined;
    resolve();
  };
}

/** Lets so much time pass. */
async function passed(ms: number): Promise<void> {
  const since = performance.now();
  await eventually(() => performance.now() - since > ms);
}

test('figures of an agent rise with its tasks, and fall back after', async () => {
  const idle = await research();
  expect(idle).toMatchObject({ queued: 0, running: 0, completed: 0, tasks_per_sec: 0 });
  expect(idle).toMatchObject({ duration_ms_p50: null, duration_ms_p95: null });

  await completed(await submit('/agents/research/execute', TASK, 12));
  const short = await research();
  expect(short).toMatchObject({ queued: 0, running: 0, completed: 12 });
  expect(short.duration_ms_p50).toBeGreaterThan(0);

  const letGo = holdCircuits();
  const longer = await submit('/agents/research/execute', TASK, 4);
  await eventually(async () => {
    const { queued, running } = await research();
    expect(running).toBeGreaterThan(0);
    expect(queued + running).toBe(4);
  });
  await passed(2 * (short.duration_ms_p95 ?? 0));
  letGo();
  await completed(longer);
  const after = await research();
  expect(after).toMatchObject({ queued: 0, running: 0, completed: 16 });
  expect(after.tasks_per_sec).toBeGreaterThan(0);
  expect(after.units_per_sec).toBeGreaterThan(after.tasks_per_sec);
  // A few that were held for long are the longest now, and no median.
  expect(after.duration_ms_p95).toBeGreaterThan(short.duration_ms_p95 ?? 0);
  expect(after.duration_ms_p50).toBeLessThan(after.duration_ms_p95 ?? 0);

  clock += WINDOW_MS;
  const later = await research();
  expect(later).toMatchObject({ completed: 16, tasks_per_sec: 0, units_per_sec: 0 });
});

test('chips are taken and the measured rate rises with TPU jobs, and both fall back after', async () => {
  const idle = await fleet();
  expect(idle).toMatchObject({ jobs_placed: 0, jobs_waiting: 0, measured_tasks_per_sec: 0 });

  // Two fill the zone, the third waits for chips.
  const letGo = holdCircuits();
  const jobs = await submit('/tpu/jobs', TPU_JOB, 3);
  await eventually(async () => expect((await fleet()).stats.running).toBeGreaterThan(0));
  const busy = await fleet();
  expect(busy.available_chips).toBe(idle.available_chips - 64);
  expect(busy).toMatchObject({ jobs_placed: 2, jobs_waiting: 1 });
  letGo();
  await completed(jobs);
  const after = await fleet();
  expect(after).toMatchObject({ jobs_placed: 0, jobs_waiting: 0 });
  expect(after.available_chips).toBe(idle.available_chips);
  expect(after.measured_tasks_per_sec).toBeGreaterThan(after.stats.tasks_per_sec);
  expect(after.stats.completed).toBe(3);

  clock += WINDOW_MS;
  const later = await fleet();
  expect(later).toMatchObject({ measured_tasks_per_sec: 0, stats: { completed: 3 } });
});

describe('the speed of the repeated self-test', () => {
  const [computation] = AGENTS;
  if (computation === undefined) throw new Error('there are no agents');
  const owner = { ...computation, title: computation.name };
  /** Time added to every call, milliseconds. */
  let delayMs = 0;
  const slowPool: Pick<ProcedurePool, 'run'> = {
    run: async (...call) => {
      if (delayMs > 0) await passed(delayMs);
      return await pool.run(...call);
    },
  };
  let monitored: MonitoredProcedures;

  /** The next measurement that begins from now on. */
  const measured = async (): Promise<Benchmark> => {
    const numToPass = 2;
    for (let i = 0; i < numToPass; i++) {
      const before = monitored.benchmark;
      await eventually(() => monitored.benchmark !== before);
    }
    if (monitored.benchmark === undefined) throw new Error('unreachable: just measured');
    return monitored.benchmark;
  };

  beforeEach(async () => {
    monitored = new MonitoredProcedures(owner, { pool: slowPool, now, intervalMs: 20 });
    await monitored.start();
  });
  afterEach(() => monitored.close());

  test('falls while its tasks take longer and comes back after', async () => {
    const idle = await measured();
    delayMs = 2 * idle.durationMs;
    const busy = await measured();
    expect(busy.tasksPerSec).toBeLessThan(idle.tasksPerSec / 2);
    delayMs = 0;
    await eventually(() =>
      expect(monitored.benchmark?.tasksPerSec).toBeGreaterThan(busy.tasksPerSec),
    );
  });

  test('is measured ahead of the tasks that wait', async () => {
    const load: string[] = [];
    let numWaiting = 0;
    do {
      // Where the load was through before the measurement was looked at: once more.
      load.push(...(await submit('/agents/security/execute', COMPUTING, 8)));
      await measured();
      numWaiting = pool.load().waiting;
    } while (numWaiting === 0);
    await completed(load);
  });
});
