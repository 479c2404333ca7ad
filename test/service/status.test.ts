/** GET /status: one word for the whole service, and how each part is. */
import { describe, expect, test } from 'vitest';
import { ServiceMetrics } from '../../src/service/metrics/service-metrics.ts';
import { Workloads } from '../../src/workloads/workloads.ts';
import { FakeDevices } from './support/fake-devices.ts';
import { FakeProcessor } from './support/fake-processor.ts';
import { InProcessPool } from './support/in-process-pool.ts';
import { openModelService } from './support/model-service.ts';
import { BELL, openTestService, START } from './support/test-service.ts';

async function readyWorkloads(pool = new InProcessPool()): Promise<Workloads> {
  const workloads = new Workloads({ processors: [], pool, queueLimit: 9, now: () => START });
  await workloads.start();
  return workloads;
}

describe('the load', () => {
  test('is of the last hour, minute by minute, of this process', async () => {
    await using service = await openTestService({
      engines: () => [{ id: 'small', kind: 'small', slots: 2, busy: 1, busyMs: 0 }],
    });
    service.deps.metrics.history.sample({ waiting: 5, expectedWaitMs: 20, engines: [] });
    service.clock.now += 60_000;
    service.deps.metrics.history.sample({ waiting: 2, expectedWaitMs: 30, engines: [] });
    await service.submit(BELL);
    await service.get('/nothing');
    const { data } = (await service.get('/status/load')).json();
    expect(data.node).toBeUndefined();
    expect(data.since).toBe(new Date(START).toISOString());
    expect(data.engines).toEqual([{ id: 'small', kind: 'small', engines: 2, busy: 1 }]);
    expect(data.now.waiting).toBe(0);
    expect(data.hour).toMatchObject({
      waiting: { mean: 2, most: 5 },
      jobs: { completed: 1, failed: 0, cancelled: 0 },
      latency_ms: { p50: 0.5, p95: 0.5, p99: 0.5 },
      requests: { answered: 2, failed: 0 },
    });
    expect(data.minutes.map(({ at }: { at: string }) => at)).toEqual([
      '2026-01-02T03:04:00.000Z',
      '2026-01-02T03:05:00.000Z',
    ]);
    expect(data.minutes[1]).toMatchObject({ sampled_s: 60, expected_wait_ms: 30 });
  });

  test('says in a cluster whose it is', async () => {
    const metrics = new ServiceMetrics(() => START);
    metrics.setCluster({
      node: 'b',
      figures: () => ({
        nodes: ['up', 'up', 'silent'],
        leaseAgeMs: 0,
        numClaims: 0,
        numGivenUp: 0,
        queuedJobs: new Map(),
        notifications: { sent: 0, received: 0 },
      }),
    });
    await using service = await openTestService({ metrics });
    const { data } = (await service.get('/status/load')).json();
    expect(data).toMatchObject({ node: 'b', nodes: 2, engines: [] });
  });
});

describe('the status of everything', () => {
  test('is operational when all that is promised is available, hardware or not', async () => {
    const workloads = await readyWorkloads();
    await using opened = await openModelService({ workloads });
    const { service } = opened;
    service.clock.now += 2500;
    const { data } = (await service.get('/status')).json();
    expect(data).toMatchObject({ status: 'operational', uptime_s: 2.5 });
    expect(data.systems).toEqual([
      expect.objectContaining({ id: 'qvm', available: true }),
      expect.objectContaining({ id: 'quantum-os', available: true }),
      expect.objectContaining({ id: 'asi', available: true }),
      expect.objectContaining({ id: 'llma', available: false }),
    ]);
    expect(data.agents.map(({ id }: { id: string }) => id)).toEqual([
      'computation',
      'research',
      'security',
      'design',
      'robotics',
    ]);
    expect(data.tpu).toMatchObject({ available: true, chips: 320, available_chips: 320 });
    await workloads.close();
  });

  test.each(['computation', 'research', 'security', 'design', 'robotics', 'tpu'])(
    'is degraded when a self-test of %s is answered wrongly, and says which',
    async (owner) => {
      const pool = new InProcessPool();
      const lying = {
        start: () => pool.start(),
        admit: () => pool.admit(),
        withdraw: () => pool.withdraw(),
        queuePosition: (id: string) => pool.queuePosition(id),
        load: () => pool.load(),
        close: () => pool.close(),
        run: (...[call, hooks, signal]: Parameters<InProcessPool['run']>) => {
          pool.lie = call.address.owner === owner ? { result: 'nonsense' } : undefined;
          return pool.run(call, hooks, signal);
        },
      };
      const workloads = new Workloads({
        processors: [],
        pool: lying,
        queueLimit: 9,
        now: () => START,
      });
      await workloads.start();
      await using opened = await openModelService({ workloads });
      const { data } = (await opened.service.get('/status')).json();
      expect(data.status).toBe('degraded');
      const unwell = [...data.agents, { id: 'tpu', ...data.tpu }].filter(
        ({ available }) => !available,
      );
      expect(unwell).toEqual([
        expect.objectContaining({ id: owner, reason: expect.stringContaining('wrongly') }),
      ]);
      await workloads.close();
    },
  );

  test('is degraded when a simulator is not available, and down when none is', async () => {
    const workloads = await readyWorkloads();
    await using opened = await openModelService({ workloads });
    const { service, simulator, fleet } = opened;
    const statusNow = async () => (await service.get('/status')).json().data.status;
    simulator.reason = 'failed its self-test';
    expect(await statusNow()).toBe('degraded');
    fleet.reason = 'failed its self-test';
    expect(await statusNow()).toBe('down');
    simulator.reason = undefined;
    fleet.reason = undefined;
    expect(await statusNow()).toBe('operational');
    await workloads.close();
  });

  test('is degraded while what backs a device is in quarantine, and not for maintenance', async () => {
    const workloads = await readyWorkloads();
    const devices = new FakeDevices();
    await using opened = await openModelService({ workloads, devices });
    const statusNow = async () => (await opened.service.get('/status')).json().data.status;
    devices.setMaintenance('gpu-01', { reason: 'new fans' });
    expect(await statusNow()).toBe('operational');
    devices.change('gpu-00', {
      availability: { available: false, reason: 'lost', checkedAt: START },
    });
    expect(await statusNow()).toBe('degraded');
    await workloads.close();
  });

  test('is degraded before the first self-tests of agents', async () => {
    await using service = await openTestService({ processors: [new FakeProcessor()] });
    const { data } = (await service.get('/status')).json();
    expect(data.status).toBe('degraded');
    expect(data.agents[0]).toMatchObject({
      available: false,
      reason: 'The first self-test is not through yet.',
      tasks_per_sec: 0,
    });
  });
});
