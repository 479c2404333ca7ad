// @needs processes
/** A machine that is some of the fleet's six nodes, or none. */
import { afterEach, describe, expect, test } from 'vitest';
import { Fleet, type FleetOptions } from '../../../src/fleet/fleet.ts';
import { devicePlaces } from '../../../src/fleet/fleet-device.ts';
import {
  adapter,
  FAKE_GPU,
  FAKE_WORKER,
  instruction,
  never,
} from '../../support/fleet-fixtures.ts';

const open: Fleet[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((fleet) => fleet.close()));
});

async function openFleet(options: Partial<FleetOptions>): Promise<Fleet> {
  const fleet = new Fleet({
    machine: { cpuModel: 'a CPU', numCores: 1, memoryBytes: 2 ** 30 },
    engine: 'auto',
    numThreads: 1,
    memoryBytes: 2 ** 26,
    maxShots: 1000,
    maxGates: 1000,
    queueLimit: 10,
    now: () => 1_700_000_000_000,
    discover: async () => ({ adapters: [] }),
    findCards: async () => [],
    workerEntry: FAKE_WORKER,
    gpuWorkerEntry: FAKE_GPU,
    spreadWorkerEntry: FAKE_GPU,
    ...options,
  });
  open.push(fleet);
  await fleet.start();
  return fleet;
}

function run(fleet: Fleet, numQubits: number) {
  const circuit = instruction('OK', new Float64Array(3), numQubits);
  const job = { id: 'job', priority: 'normal', keyId: 'key', tier: 'standard' } as const;
  const gpuFleet = fleet.get('gpu-fleet');
  if (gpuFleet === undefined) throw new Error('unreachable: no gpu-fleet');
  return gpuFleet.run({ ...job, circuit, request: { shots: 3, seed: 4 } }, {}, never());
}

const idsOf = (fleet: Fleet) => fleet.deviceDirectory.devices().map(({ id }) => id);

describe('places of devices', () => {
  test('are 48 for all nodes, eight of each, in the order of their ids', () => {
    const places = devicePlaces();
    expect(places).toHaveLength(48);
    expect(places[0]).toEqual({ id: 'gpu-00', node: 'node-0', slot: 0 });
    expect(places[13]).toEqual({ id: 'gpu-13', node: 'node-1', slot: 5 });
    expect(places[47]).toEqual({ id: 'gpu-47', node: 'node-5', slot: 7 });
  });

  test('are those of the nodes that are named, each once', () => {
    const ids = devicePlaces([4, 2, 4]).map(({ id }) => id);
    expect(ids).toHaveLength(16);
    expect([ids[0], ids[7], ids[8], ids[15]]).toEqual(['gpu-16', 'gpu-23', 'gpu-32', 'gpu-39']);
  });
});

describe('a machine that is one node of the fleet', () => {
  test('serves its eight devices, each an eighth of the memory', async () => {
    const fleet = await openFleet({ fleetNodes: [3] });
    const devices = fleet.deviceDirectory.devices();
    expect(idsOf(fleet)).toEqual(devicePlaces([3]).map(({ id }) => id));
    expect(devices[5]).toMatchObject({
      id: 'gpu-29',
      node: 'node-3',
      slot: 5,
      backing: { kind: 'cpu', sharedBy: 8 },
    });
    const whole = await openFleet({ numThreads: 1 });
    const [of48] = whole.deviceDirectory.devices();
    expect(devices[0]?.memoryBytes).toBeCloseTo(6 * (of48?.memoryBytes ?? 0));
    expect(fleet.get('gpu-fleet')?.spec.maxQubits).toBe(whole.get('gpu-fleet')?.spec.maxQubits);
  });

  test('lays its devices out over its adapters, and runs circuits on them', async () => {
    const adapters = [adapter('A'), adapter('B')];
    const fleet = await openFleet({ fleetNodes: [0], discover: async () => ({ adapters }) });
    const backings = fleet.deviceDirectory.devices().map(({ backing }) => backing);
    expect(backings.map(({ name }) => name)).toEqual([...'AAAABBBB']);
    expect(backings.map(({ sharedBy }) => sharedBy)).toEqual(Array(8).fill(4));
    const { backend } = await run(fleet, 18);
    expect(idsOf(fleet)).toEqual(expect.arrayContaining([...(backend.devices ?? [])]));
  });

  test('says that all are in maintenance once its eight are', async () => {
    const fleet = await openFleet({ fleetNodes: [1] });
    const { deviceDirectory: devices } = fleet;
    for (const { id } of devices.devices()) devices.setMaintenance(id, { reason: 'new fans' });
    expect(fleet.get('gpu-fleet')?.availability()).toMatchObject({
      available: false,
      reason: 'All devices are in maintenance.',
    });
    expect(devices.summary()).toEqual({
      total: 8,
      available: 0,
      inMaintenance: 8,
      quarantined: 0,
      busy: 0,
    });
  });

  test('is named in results, if it has a name', async () => {
    const fleet = await openFleet({ fleetNodes: [1], nodeName: 'kant' });
    await expect(run(fleet, 2)).resolves.toMatchObject({ backend: { servedBy: 'kant' } });
  });
});

describe('a machine that is no node of the fleet', () => {
  test.each([{ adapters: [] }, { adapters: [adapter('A')] }])(
    'serves no devices, and its fleet says so: $adapters.length adapters',
    async (found) => {
      const fleet = await openFleet({ fleetNodes: [], discover: async () => found });
      expect(fleet.deviceDirectory.devices()).toEqual([]);
      expect(fleet.deviceDirectory.device('gpu-00')).toBeUndefined();
      expect(fleet.deviceDirectory.summary()).toEqual({
        total: 0,
        available: 0,
        inMaintenance: 0,
        quarantined: 0,
        busy: 0,
      });
      expect(fleet.get('gpu-fleet')?.availability()).toMatchObject({
        available: false,
        reason: 'This node serves no devices.',
      });
      expect(fleet.describe()[1]).toBe('gpu-fleet: not available. This node serves no devices.');
      await expect(run(fleet, 2)).rejects.toMatchObject({ code: 'FLEET_PROCESSOR_UNAVAILABLE' });
    },
  );

  test('runs circuits on its CPU engines', async () => {
    const fleet = await openFleet({ fleetNodes: [] });
    expect(fleet.get('statevector-sim')?.availability()).toMatchObject({ available: true });
  });
});
