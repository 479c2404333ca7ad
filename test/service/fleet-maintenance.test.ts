// @needs processes
/** Devices of a real fleet taken out of service over HTTP, and what becomes of circuits then. */
import type { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Fleet, type FleetOptions } from '../../src/fleet/fleet.ts';
import { createSqliteMaintenanceStore } from '../../src/service/systems/maintenance.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { adapter, FAKE_GPU, FAKE_WORKER } from '../support/fleet-fixtures.ts';
import { BELL, openTestService, START, type TestService } from './support/test-service.ts';

const DEVICES = '/quantum/processors/gpu-fleet/devices';
const BELL_ON_FLEET = { ...BELL, target_processor: 'gpu-fleet' };

interface LiveService extends AsyncDisposable {
  readonly service: TestService;
}

/** A service over a fleet of its own; maintenance is restored before the fleet starts, as in main.ts. */
async function openLive(
  database: DatabaseSync,
  options: Partial<FleetOptions> = {},
): Promise<LiveService> {
  const fleet = new Fleet({
    machine: { cpuModel: 'a CPU', numCores: 1, memoryBytes: 2 ** 30 },
    engine: 'auto',
    numThreads: 1,
    memoryBytes: 2 ** 26,
    maxShots: 1000,
    maxGates: 1000,
    queueLimit: 100,
    now: () => START,
    discover: async () => ({ adapters: [] }),
    findCards: async () => [],
    ...options,
  });
  const service = await openTestService({
    fleet,
    devices: fleet.deviceDirectory,
    maintenance: createSqliteMaintenanceStore(database),
  });
  await fleet.start();
  return {
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await fleet.close();
    },
  };
}

/** Orders by an operator's key, for devices from the first number up to the last. */
async function order(service: TestService, [first, last]: readonly number[], body: object) {
  const headers = { 'x-api-key': await service.createKey('standard', ['admin']) };
  for (let number = first ?? 0; number <= (last ?? first ?? 0); number++) {
    const url = `/admin/fleet/devices/gpu-${String(number).padStart(2, '0')}/maintenance`;
    const answer = await service.request({ method: 'POST', url, headers, payload: body });
    expect(answer.statusCode).toBe(200);
  }
}

async function summaryOf(service: TestService) {
  return (await service.get(DEVICES)).json().data.summary;
}

const OUT = { enabled: true, reason: 'new fans' };
const BACK = { enabled: false };

describe('a fleet on the CPU', () => {
  let live: LiveService;
  let service: TestService;
  beforeAll(async () => {
    live = await openLive(openDatabase(':memory:'));
    service = live.service;
  });
  afterAll(() => live[Symbol.asyncDispose]());

  test('has 48 devices, all of them models that the CPU backs', async () => {
    expect(await summaryOf(service)).toEqual({
      total: 48,
      available: 48,
      in_maintenance: 0,
      quarantined: 0,
      busy: 0,
      backings: [{ kind: 'cpu', name: 'a CPU', software: true, devices: 48, available: 48 }],
    });
    const { data } = (await service.get(`${DEVICES}/gpu-47`)).json();
    expect(data).toMatchObject({ node: 'node-5', slot: 7, modelled: true, available: true });
    expect(data.memory_bytes).toBeGreaterThan(0);
    expect(data.max_qubits).toBeGreaterThan(0);
  });

  test('with one device out runs circuits on the others', async () => {
    await order(service, [3], OUT);
    expect(await summaryOf(service)).toMatchObject({ available: 47, in_maintenance: 1 });
    const used = new Set<string>();
    for (let i = 0; i < 50; i++) {
      const answer = await service.submit({ ...BELL_ON_FLEET, seed: i });
      expect(answer.statusCode).toBe(201);
      for (const id of answer.json().data.backend.devices) used.add(id);
    }
    expect(used.size).toBe(47);
    expect(used).not.toContain('gpu-03');
    await order(service, [3], BACK);
    expect(await summaryOf(service)).toMatchObject({ available: 48, in_maintenance: 0 });
  });

  test('counts what each device has run', async () => {
    const completed = async () => {
      const { devices } = (await service.get(DEVICES)).json().data;
      return devices.reduce(
        (sum: number, { counters }: { counters: { completed: number } }) =>
          sum + counters.completed,
        0,
      );
    };
    const before = await completed();
    for (let i = 0; i < 5; i++) await service.submit(BELL_ON_FLEET);
    expect((await completed()) - before).toBe(5);
  });

  test('with all devices out is unavailable and says so everywhere, until one is back', async () => {
    await order(service, [0, 47], OUT);
    expect(await summaryOf(service)).toMatchObject({ available: 0, in_maintenance: 48 });
    const refused = await service.submit(BELL_ON_FLEET);
    expect(refused.statusCode).toBe(503);
    expect(refused.json().error.details).toMatchObject([{ code: 'FLEET_PROCESSOR_UNAVAILABLE' }]);
    const { data } = (await service.get('/quantum/processors/gpu-fleet')).json();
    expect(data).toMatchObject({ available: false, qubits: 0, devices: { available: 0 } });
    expect(data.reason).toContain('maintenance');
    const inStatus = async () => {
      const { processors } = (await service.get('/status')).json().data;
      return processors.find(({ id }: { id: string }) => id === 'gpu-fleet').available;
    };
    expect(await inStatus()).toBe(false);
    expect((await service.submit(BELL)).statusCode).toBe(201);

    await order(service, [40], BACK);
    expect((await service.submit(BELL_ON_FLEET)).json().data.backend.devices).toEqual(['gpu-40']);
    await order(service, [0, 47], BACK);
    expect(await inStatus()).toBe(true);
  });
});

test('devices are still out after a restart, and circuits keep off them', async () => {
  const database = openDatabase(':memory:');
  await using first = await openLive(database);
  await order(first.service, [0, 46], OUT);
  await using second = await openLive(database);
  expect(await summaryOf(second.service)).toMatchObject({ available: 1, in_maintenance: 47 });
  const { data } = (await second.service.submit(BELL_ON_FLEET)).json();
  expect(data.backend.devices).toEqual(['gpu-47']);
  await order(second.service, [0, 46], BACK);
  await using third = await openLive(database);
  expect(await summaryOf(third.service)).toMatchObject({ available: 48, in_maintenance: 0 });
});

test('a fleet of two adapters is unavailable once the devices of both are out', async () => {
  await using live = await openLive(openDatabase(':memory:'), {
    discover: async () => ({ adapters: [adapter('a'), adapter('b')] }),
    workerEntry: FAKE_WORKER,
    gpuWorkerEntry: FAKE_GPU,
    spreadWorkerEntry: FAKE_GPU,
  });
  const { service } = live;
  const fleet = async () => (await service.get('/quantum/processors/gpu-fleet')).json().data;
  await order(service, [0, 23], OUT);
  expect(await fleet()).toMatchObject({
    available: true,
    devices: {
      backings: [
        { kind: 'adapter', name: 'a', software: false, devices: 24, available: 0 },
        { kind: 'adapter', name: 'b', software: false, devices: 24, available: 24 },
      ],
    },
  });
  await order(service, [24, 47], OUT);
  expect(await fleet()).toMatchObject({ available: false, qubits: 0 });
  expect((await service.submit(BELL_ON_FLEET)).statusCode).toBe(503);
  await order(service, [30], BACK);
  expect(await fleet()).toMatchObject({ available: true, devices: { available: 1 } });
});
