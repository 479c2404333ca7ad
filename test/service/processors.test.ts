/** Processors, their maintenance, the status of the service, and the catalog of operations. */
import { describe, expect, test } from 'vitest';
import { createSqliteMaintenanceStore } from '../../src/service/systems/maintenance.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { FakeProcessor } from './support/fake-processor.ts';
import { BELL, openTestService, type TestService } from './support/test-service.ts';

describe('GET /quantum/processors', () => {
  test('lists each processor as it stands now', async () => {
    const hardware = new FakeProcessor({
      id: 'superconducting-1',
      family: 'superconducting',
      precision: null,
      execution: 'hardware',
    });
    hardware.reason = 'no provider is configured';
    const fleet = new FakeProcessor({ id: 'gpu-fleet', family: 'gpu-fleet', physicalGpus: 0 });
    await using service = await openTestService({ processors: [fleet, hardware] });
    const { data } = (await service.get('/quantum/processors')).json();
    expect(data.processors).toEqual([
      {
        id: 'gpu-fleet',
        name: 'Statevector simulator',
        family: 'gpu-fleet',
        available: true,
        checked_at: '2023-11-14T22:13:20.000Z',
        qubits: 24,
        max_qubits: 24,
        max_shots: 1_000_000,
        max_gates: 1000,
        methods: [{ method: 'statevector', max_qubits: 24, max_noisy_qubits: 24 }],
        precision: 'f64',
        execution: 'cpu',
        physical_gpus: 0,
        devices: expect.objectContaining({ total: 48, available: 48 }),
        queue_depth: 0,
        expected_wait_ms: 12,
        expected_wide_wait_ms: 46,
      },
      expect.objectContaining({
        id: 'superconducting-1',
        available: false,
        reason: 'no provider is configured',
        qubits: 0,
        precision: null,
        execution: 'hardware',
      }),
    ]);
    expect((await service.get('/quantum/processors/gpu-fleet')).json().data).toEqual(
      data.processors[0],
    );
  });

  test('answers 404 to an unknown one and names the known', async () => {
    await using service = await openTestService();
    const answer = await service.get('/quantum/processors/abacus');
    expect(answer.statusCode).toBe(404);
    expect(answer.json().error.message).toContain('statevector-sim');
  });
});

describe('POST /admin/processors/{processor_id}/maintenance', () => {
  const setMaintenance = async (service: TestService, body: object, id = 'statevector-sim') =>
    service.request({
      method: 'POST',
      url: `/admin/processors/${id}/maintenance`,
      headers: { 'x-api-key': await service.createKey('standard', ['admin']) },
      payload: body,
    });

  test('takes a processor out of service and back', async () => {
    await using service = await openTestService();
    const off = await setMaintenance(service, { enabled: true, reason: 'new fans' });
    expect(off.statusCode).toBe(200);
    expect(off.json().data).toMatchObject({ available: false, reason: 'new fans', qubits: 0 });
    expect((await service.submit(BELL)).statusCode).toBe(503);
    const on = await setMaintenance(service, { enabled: false });
    expect(on.json().data).toMatchObject({ available: true });
    expect((await service.submit(BELL)).statusCode).toBe(201);
  });

  test('is in force after a restart, until it is ended', async () => {
    const maintenance = createSqliteMaintenanceStore(openDatabase(':memory:'));
    await using first = await openTestService({ maintenance });
    await setMaintenance(first, { enabled: true });
    expect(await maintenance.list()).toEqual([
      {
        kind: 'processor',
        id: 'statevector-sim',
        reason: 'no reason given',
        since: first.clock.now,
      },
    ]);
    await using second = await openTestService({ maintenance });
    expect((await second.submit(BELL)).statusCode).toBe(503);
    await setMaintenance(second, { enabled: false });
    await using third = await openTestService({ maintenance });
    expect((await third.submit(BELL)).statusCode).toBe(201);
  });

  test.each([
    [{}, 'enabled'],
    [{ enabled: 'yes' }, 'enabled'],
    [{ enabled: true, reason: '' }, 'reason'],
    [{ enabled: true, reason: 'x'.repeat(201) }, 'reason'],
    [{ enabled: false, reason: 'done' }, 'reason'],
    [{ enabled: true, until: 'noon' }, 'until'],
  ])('answers 400 to %j and names %s', async (body, path) => {
    await using service = await openTestService();
    const answer = await setMaintenance(service, body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details).toMatchObject([{ path }]);
  });

  test('answers 404 to an unknown processor', async () => {
    await using service = await openTestService();
    expect((await setMaintenance(service, { enabled: true }, 'abacus')).statusCode).toBe(404);
  });
});

describe('GET /quantum/operations', () => {
  test('lists operations whose examples are taken as circuits', async () => {
    await using service = await openTestService();
    const { data } = (await service.get('/quantum/operations')).json();
    const names = data.operations.map(({ gate }: { gate: string }) => gate);
    for (const name of ['H', 'X', 'Y', 'Z', 'CX', 'CZ', 'CCX', 'RX', 'UNITARY', 'M', 'RESET']) {
      expect(names).toContain(name);
    }
    for (const { gate, example } of data.operations) {
      // The processor of these tests has no state.
      if (gate === 'SAVE') continue;
      const answer = await service.submit({ ...BELL, circuit: [example], qubits: 4 });
      expect([gate, answer.statusCode]).toEqual([gate, 201]);
    }
  });
});
