/**
 * What is measured moves with the load: figures of agents and of the TPU fleet before, under and after
 * work that runs in processes of its own, over HTTP. The clock runs, and the test may put it forward.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { AGENTS } from '../../src/workloads/agents/agents.ts';
import { MonitoredProcedures } from '../../src/workloads/monitored-procedures.ts';
import { ProcedurePool } from '../../src/workloads/procedures/procedure-pool.ts';
import { PROCEDURE_CATALOG, Workforce } from '../../src/workloads/workforce.ts';
import { EngineProcessor } from '../support/engine-processor.ts';
import { openTestService, type TestService } from './support/test-service.ts';

/** Longer than the window of the rates. */
const WINDOW_MS = 61_000;
/** Keeps a process for some tenths of a second. */
const LONG = { task: 'vqe', input: { problem: 'tfim', sites: 6, steps: 60 } };
/** Computes for some tenths of a second, and waits for no processor meanwhile. */
const COMPUTING = { task: 'randomness_tests', input: { hex: '6a09e667f3bcc908'.repeat(3000) } };
const TPU_JOB = { job_type: 'training', tpu_type: 'v4', zone: 'us-central2-b', chips: 32 };
const LONG_TPU_JOB = { ...TPU_JOB, input: { steps: 100 } };

let skippedMs = 0;
const now = () => Math.round(performance.timeOrigin + performance.now()) + skippedMs;
const processor = new EngineProcessor('statevector-sim');
const pool = new ProcedurePool({
  catalog: PROCEDURE_CATALOG,
  processors: [processor],
  numProcesses: 1,
  heapLimitMb: 256,
  queueLimit: 100,
});
let workforce: Workforce;
let service: TestService;

beforeAll(async () => {
  workforce = new Workforce({ processors: [], pool, queueLimit: 100, now });
  await workforce.prepare();
  await workforce.start();
  service = await openTestService({ workforce, now });
}, 60_000);
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await workforce.close();
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
    for (;;) {
      const { status } = (await service.get(location)).json().data;
      if (status === 'completed') break;
      expect(['queued', 'running']).toContain(status);
      await until(async () => (await service.get(location)).json().data.status !== status);
    }
  }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('figures of an agent rise with its tasks, and fall back after', async () => {
  const idle = await research();
  expect(idle).toMatchObject({ queued: 0, running: 0, completed: 0, tasks_per_sec: 0 });
  expect(idle).toMatchObject({ duration_ms_p50: null, duration_ms_p95: null });

  const first = await submit('/agents/research/execute', LONG, 4);
  await until(async () => (await research()).running > 0);
  expect((await research()).queued).toBeGreaterThan(0);
  await completed(first);
  const after = await research();
  expect(after).toMatchObject({ queued: 0, running: 0, completed: 4 });
  expect(after.tasks_per_sec).toBeGreaterThan(0);
  expect(after.units_per_sec).toBeGreaterThan(after.tasks_per_sec);
  expect(after.duration_ms_p95).toBeGreaterThan(0);

  // Shorter tasks bring the median down; the longest stay the longest.
  const example = { task: 'vqe', input: { problem: 'h2' } };
  await completed(await submit('/agents/research/execute', example, 12));
  const mixed = await research();
  expect(mixed.completed).toBe(16);
  expect(mixed.duration_ms_p50 ?? 0).toBeLessThan(after.duration_ms_p50 ?? 0);
  expect(mixed.duration_ms_p95 ?? 0).toBeGreaterThan(mixed.duration_ms_p50 ?? 0);

  skippedMs += WINDOW_MS;
  const later = await research();
  expect(later).toMatchObject({ completed: 16, tasks_per_sec: 0, units_per_sec: 0 });
}, 60_000);

test('chips are taken and the measured rate rises with TPU jobs, and both fall back after', async () => {
  const idle = await fleet();
  expect(idle).toMatchObject({ jobs_placed: 0, jobs_waiting: 0, measured_tasks_per_sec: 0 });

  // Two fill the zone, the third waits for chips.
  const jobs = await submit('/tpu/jobs', LONG_TPU_JOB, 3);
  await until(async () => (await fleet()).stats.running > 0);
  const busy = await fleet();
  expect(busy.available_chips).toBe(idle.available_chips - 64);
  expect(busy).toMatchObject({ jobs_placed: 2, jobs_waiting: 1 });
  await completed(jobs);
  const after = await fleet();
  expect(after).toMatchObject({ jobs_placed: 0, jobs_waiting: 0 });
  expect(after.available_chips).toBe(idle.available_chips);
  expect(after.measured_tasks_per_sec).toBeGreaterThan(after.stats.tasks_per_sec);
  expect(after.stats.completed).toBe(3);

  skippedMs += WINDOW_MS;
  const later = await fleet();
  expect(later).toMatchObject({ measured_tasks_per_sec: 0, stats: { completed: 3 } });
}, 60_000);

test('the speed of the repeated self-test falls under load and comes back after', async () => {
  const [computation] = AGENTS;
  if (computation === undefined) throw new Error('there are no agents');
  const owner = { ...computation, title: computation.name };
  const monitored = new MonitoredProcedures(owner, { pool, now, intervalMs: 20 });
  /** The next measurement that begins from now on. */
  const measured = async (): Promise<number> => {
    const numToPass = 2;
    for (let i = 0; i < numToPass; i++) {
      const before = monitored.benchmark;
      await until(async () => monitored.benchmark !== before);
    }
    return monitored.benchmark?.tasksPerSec ?? 0;
  };
  try {
    await monitored.start();
    const idle = await measured();
    const load = await submit('/agents/security/execute', COMPUTING, 8);
    const busy = await measured();
    expect(pool.load().waiting).toBeGreaterThan(0);
    await completed(load);
    const after = await measured();
    expect(busy).toBeLessThan(0.7 * idle);
    expect(after).toBeGreaterThan(busy);
    expect(new Set([idle, busy, after]).size).toBe(3);
  } finally {
    monitored.close();
  }
}, 60_000);
