/** The devices of the fleet: how they are shown, summed up, and taken out of service. */
import { describe, expect, test } from 'vitest';
import { createSqliteMaintenanceStore } from '../../src/service/systems/maintenance.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { FakeDevices } from './support/fake-devices.ts';
import { FakeProcessor } from './support/fake-processor.ts';
import { openTestService, type TestOverrides, type TestService } from './support/test-service.ts';

const DEVICES = '/quantum/processors/gpu-fleet/devices';

const IDLE = {
  id: 'gpu-00',
  node: 'node-0',
  slot: 0,
  modelled: true,
  backing: { kind: 'adapter', name: 'Card', software: false, shared_by: 24 },
  memory_bytes: 2 ** 30,
  max_qubits: 27,
  available: true,
  checked_at: '2026-01-02T00:00:00.000Z',
  queue_depth: 0,
  busy: false,
  expected_wait_ms: 0,
  counters: { completed: 0, failed: 0, lost: 0, busy_ms: 0 },
  utilisation: { fraction: 0, basis: 'measured', since: '2026-01-01T00:00:00.000Z' },
};

/** A service with a simulator, a fleet and its devices. */
function open(devices = new FakeDevices(), more: TestOverrides = {}): Promise<TestService> {
  const fleet = new FakeProcessor({ id: 'gpu-fleet', family: 'gpu-fleet', physicalGpus: 1 });
  return openTestService({ processors: [new FakeProcessor(), fleet], devices, ...more });
}

async function setMaintenance(service: TestService, id: string, body: object) {
  return service.request({
    method: 'POST',
    url: `/admin/fleet/devices/${id}/maintenance`,
    headers: { 'x-api-key': await service.createKey('standard', ['admin']) },
    payload: body,
  });
}

describe(`GET ${DEVICES}`, () => {
  test('lists all devices in the order of their ids, and sums them up', async () => {
    const devices = new FakeDevices();
    devices.change('gpu-09', { isBusy: true });
    devices.change('gpu-47', {
      availability: { available: false, reason: 'failed its self-test', checkedAt: 0 },
    });
    devices.setMaintenance('gpu-01', { reason: 'new fans' });
    await using service = await open(devices);
    const { data } = (await service.get(DEVICES)).json();
    const ids = Array.from({ length: 48 }, (_, i) => `gpu-${i < 10 ? '0' : ''}${i}`);
    expect(data.devices.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(data.devices[0]).toEqual(IDLE);
    expect(data.devices[13]).toMatchObject({ node: 'node-1', slot: 5 });
    expect(data.summary).toEqual({
      total: 48,
      available: 46,
      in_maintenance: 1,
      quarantined: 1,
      busy: 1,
      backings: [
        { kind: 'adapter', name: 'Card', software: false, devices: 24, available: 23 },
        { kind: 'cpu', name: 'Cores', software: true, devices: 24, available: 23 },
      ],
    });
  });

  test('answers 404 for a processor that has no devices, naming the one that has', async () => {
    await using service = await open();
    const answer = await service.get('/quantum/processors/statevector-sim/devices');
    expect(answer.statusCode).toBe(404);
    expect(answer.json().error).toMatchObject({
      code: 'NOT_FOUND',
      details: [{ code: 'SERVICE_NO_DEVICES' }],
    });
    expect(answer.json().error.message).toContain('gpu-fleet has');
  });

  test('answers 404 for a processor that does not exist', async () => {
    await using service = await open();
    const answer = await service.get('/quantum/processors/abacus/devices');
    expect(answer.statusCode).toBe(404);
    expect(answer.json().error.details).toMatchObject([{ code: 'SERVICE_PROCESSOR_NOT_FOUND' }]);
  });

  test('takes HEAD as it takes GET, and names both where another method is used', async () => {
    await using service = await open();
    const head = await service.request({ method: 'HEAD', url: DEVICES });
    expect([head.statusCode, head.body]).toEqual([200, '']);
    const answer = await service.request({ method: 'DELETE', url: `${DEVICES}/gpu-00` });
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['allow']).toBe('GET, HEAD');
  });

  test.each([[DEVICES], [`${DEVICES}/gpu-00`]])('%s needs the scope read', async (url) => {
    await using service = await open();
    const key = await service.createKey('standard', ['circuits', 'admin']);
    expect((await service.get(url, { 'x-api-key': key })).statusCode).toBe(403);
    expect((await service.get(url, { 'x-api-key': '' })).statusCode).toBe(401);
  });
});

describe(`GET ${DEVICES}/{device_id}`, () => {
  test('is the item of the listing', async () => {
    await using service = await open();
    expect((await service.get(`${DEVICES}/gpu-00`)).json().data).toEqual(IDLE);
  });

  test('tells what a device is doing, has done, and why it is away', async () => {
    const devices = new FakeDevices();
    devices.change('gpu-30', {
      isBusy: true,
      queueDepth: 3,
      expectedWaitMs: 12.6,
      counters: { completed: 5, failed: 1, lost: 2, busyMs: 1234.5678 },
      utilisation: 1 / 3,
    });
    devices.setMaintenance('gpu-30', { reason: 'new fans' });
    await using service = await open(devices);
    const { data } = (await service.get(`${DEVICES}/gpu-30`)).json();
    expect(data).not.toHaveProperty('expected_wait_ms');
    expect(data).toMatchObject({
      backing: { kind: 'cpu', name: 'Cores', software: true },
      available: false,
      reason: 'new fans',
      maintenance: { reason: 'new fans' },
      busy: true,
      queue_depth: 3,
      counters: { completed: 5, failed: 1, lost: 2, busy_ms: 1235 },
      utilisation: { fraction: 0.3333, basis: 'measured' },
    });
  });

  test.each(['gpu-48', 'gpu-0', 'GPU-00', 'node-0', 'gpu-00%20', '0'.repeat(150)])(
    'answers 404 to %s and says how devices are called',
    async (id) => {
      await using service = await open();
      const answer = await service.get(`${DEVICES}/${id}`);
      expect(answer.statusCode).toBe(404);
      expect(answer.json().error.details).toMatchObject([{ code: 'SERVICE_DEVICE_NOT_FOUND' }]);
      expect(answer.json().error.message).toContain('they are gpu-00 to gpu-47');
    },
  );

  test('answers 404 below a processor that has none', async () => {
    await using service = await open();
    const answer = await service.get('/quantum/processors/statevector-sim/devices/gpu-00');
    expect(answer.json().error.details).toMatchObject([{ code: 'SERVICE_NO_DEVICES' }]);
  });
});

describe('the devices summed up', () => {
  test('stand in the item of the fleet and of no other processor', async () => {
    await using service = await open();
    const { processors } = (await service.get('/quantum/processors')).json().data;
    expect(processors[0]).not.toHaveProperty('devices');
    expect(processors[1].devices).toMatchObject({ total: 48, available: 48, busy: 0 });
    const one = (await service.get('/quantum/processors/gpu-fleet')).json().data;
    expect(one).toEqual(processors[1]);
  });

  test('stand in /status beside the widest circuit, the queue and the expected wait', async () => {
    await using service = await open();
    const { processors } = (await service.get('/status')).json().data;
    expect(processors[1]).toMatchObject({
      id: 'gpu-fleet',
      qubits: 24,
      execution: 'cpu',
      queue_depth: 0,
      expected_wait_ms: 12,
      devices: { total: 48, backings: [{ name: 'Card' }, { name: 'Cores' }] },
    });
  });

  test('name each adapter apart', async () => {
    const devices = new FakeDevices();
    const backing = { kind: 'adapter', name: 'Other', isSoftware: false, sharedBy: 1 } as const;
    devices.change('gpu-01', { backing });
    await using service = await open(devices);
    const { summary } = (await service.get(DEVICES)).json().data;
    expect(summary.backings).toMatchObject([
      { name: 'Card', devices: 23 },
      { name: 'Other', devices: 1 },
      { name: 'Cores', devices: 24 },
    ]);
  });
});

describe('POST /admin/fleet/devices/{device_id}/maintenance', () => {
  test('takes a device out of service and back', async () => {
    await using service = await open();
    const off = await setMaintenance(service, 'gpu-07', { enabled: true, reason: 'new fans' });
    expect(off.statusCode).toBe(200);
    const maintenance = { reason: 'new fans' };
    expect(off.json().data).toMatchObject({ id: 'gpu-07', available: false, maintenance });
    const { summary } = (await service.get(DEVICES)).json().data;
    expect(summary).toMatchObject({ available: 47, in_maintenance: 1 });
    const on = await setMaintenance(service, 'gpu-07', { enabled: false });
    expect(on.json().data).toMatchObject({ available: true });
    expect(on.json().data).not.toHaveProperty('maintenance');
  });

  test('gives a reason where the operator gives none', async () => {
    await using service = await open();
    const { data } = (await setMaintenance(service, 'gpu-00', { enabled: true })).json();
    expect(data.maintenance).toEqual({ reason: 'no reason given' });
  });

  test('is in force after a restart, until it is ended', async () => {
    const maintenance = createSqliteMaintenanceStore(openDatabase(':memory:'));
    await using first = await open(new FakeDevices(), { maintenance });
    await setMaintenance(first, 'gpu-02', { enabled: true, reason: 'new fans' });
    const state = async (service: TestService) =>
      (await service.get(`${DEVICES}/gpu-02`)).json().data;
    await using second = await open(new FakeDevices(), { maintenance });
    expect(await state(second)).toMatchObject({ maintenance: { reason: 'new fans' } });
    await setMaintenance(second, 'gpu-02', { enabled: false });
    await using third = await open(new FakeDevices(), { maintenance });
    expect(await state(third)).toMatchObject({ available: true });
  });

  test('of a device that is there no more does not keep the service from starting', async () => {
    const maintenance = createSqliteMaintenanceStore(openDatabase(':memory:'));
    await maintenance.enter({ kind: 'device', id: 'gpu-99', reason: 'old', since: 1 }, 'x');
    await using service = await open(new FakeDevices(), { maintenance });
    expect((await service.get(DEVICES)).statusCode).toBe(200);
  });

  test.each([
    [{}, 'enabled'],
    [{ enabled: 'yes' }, 'enabled'],
    [{ enabled: true, reason: '' }, 'reason'],
    [{ enabled: true, reason: 'x'.repeat(201) }, 'reason'],
    [{ enabled: false, reason: 'done' }, 'reason'],
    [{ enabled: true, until: 'noon' }, 'until'],
  ])('refuses %j, naming %s, and changes nothing', async (body, path) => {
    await using service = await open();
    const answer = await setMaintenance(service, 'gpu-00', body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details).toMatchObject([{ path }]);
    expect((await service.get(`${DEVICES}/gpu-00`)).json().data).toEqual(IDLE);
  });

  test('answers 404 to an unknown device', async () => {
    await using service = await open();
    expect((await setMaintenance(service, 'gpu-48', { enabled: true })).statusCode).toBe(404);
  });

  test('needs the scope admin', async () => {
    await using service = await open();
    const answer = await service.request({
      method: 'POST',
      url: '/admin/fleet/devices/gpu-00/maintenance',
      payload: { enabled: true },
    });
    expect(answer.statusCode).toBe(403);
  });
});
