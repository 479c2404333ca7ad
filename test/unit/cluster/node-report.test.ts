// @needs processes
/** What a node reports of its fleet. */
import { describe, expect, test } from 'vitest';
import { buildReport, readReport, reportProcessor } from '../../../src/cluster/node-report.ts';
import { Fleet } from '../../../src/fleet/fleet.ts';
import { modelMs } from '../../../src/fleet/schedule/run-estimates.ts';
import type { RunWork } from '../../../src/fleet/schedule/scheduled-run.ts';
import { FakeDevices } from '../../service/support/fake-devices.ts';
import { FakeProcessor } from '../../service/support/fake-processor.ts';
import { FAKE_WORKER } from '../../support/fleet-fixtures.ts';

describe('the report of a fleet', () => {
  test('of eight devices and four emulated devices has 8 KiB at most', async () => {
    const fleet = new Fleet({
      machine: { cpuModel: 'AMD EPYC 9554P 64-Core Processor', numCores: 1, memoryBytes: 2 ** 30 },
      engine: 'auto',
      numThreads: 1,
      memoryBytes: 2 ** 26,
      maxShots: 1000,
      maxGates: 1000,
      queueLimit: 10,
      emulators: ['ibm-fez', 'ibm-brisbane', 'iqm-garnet', 'google-willow'],
      fleetNodes: [3],
      now: () => 1_700_000_000_000,
      discover: async () => ({ adapters: [] }),
      findCards: async () => [],
      workerEntry: FAKE_WORKER,
    });
    try {
      await fleet.start();
      const text = JSON.stringify({ ...buildReport(fleet), progress: {} });
      expect(text.length).toBeLessThan(8192);
      const report = readReport(text);
      expect(report?.devices.map(({ id }) => id)).toEqual(
        fleet.deviceDirectory.devices().map(({ id }) => id),
      );
      expect(report?.numThreads).toBe(1);
      for (const { spec, availability } of report?.processors ?? []) {
        const own = fleet.get(spec.id);
        expect(own?.spec).toMatchObject(spec);
        expect(availability).toEqual(own?.availability());
      }
      const fez = report?.processors.find(({ spec }) => spec.id === 'emulator-ibm-fez');
      expect(fez?.maxUsedQubits).toBe(fleet.get('statevector-sim')?.spec.maxQubits);
    } finally {
      await fleet.close();
    }
  });

  test('rounds figures that change all the time', () => {
    const devices = new FakeDevices([0]);
    devices.change('gpu-00', {
      memoryBytes: 1000 / 3,
      expectedWaitMs: 12.3456,
      utilisation: 1 / 3,
      counters: { completed: 1, failed: 0, lost: 0, busyMs: 1.234 },
    });
    const { devices: reported } = buildReport({
      processors: [],
      deviceDirectory: devices,
      numThreads: 1,
    });
    expect(reported[0]).toMatchObject({
      memoryBytes: 333,
      expectedWaitMs: 12,
      utilisation: 0.3333,
      counters: { busyMs: 1 },
    });
  });

  test('has how long circuits take beside the cost model', () => {
    const timed = { expectedRun: (work: RunWork) => ({ ms: 2 * modelMs(work), numEngines: 1 }) };
    const processor = Object.assign(new FakeProcessor(), timed);
    expect(reportProcessor(processor).timeFactor).toBe(2);
  });
});

test('a node that has not reported has no report', () => {
  expect(readReport('{}')).toBeUndefined();
});
