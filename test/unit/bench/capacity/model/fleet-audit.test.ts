import { describe, expect, test } from 'vitest';
import { BrokenPromiseError, FleetAudit } from '../../../../../bench/capacity/model/fleet-audit.ts';
import { modelFleet } from '../../../../../bench/capacity/model/fleet-model.ts';
import type { SimulatedJob } from '../../../../../bench/capacity/model/workload.ts';

const FLEET = modelFleet({
  adapters: [
    { memoryBytes: 2 ** 30, numDevices: 2 },
    { memoryBytes: 2 ** 30, numDevices: 2 },
  ],
  cpu: { numThreads: 2, maxSmallQubits: 17, wideBytes: 0 },
});

const job = (index: number, numQubits: number): SimulatedJob => ({
  id: `${index}`,
  index,
  processor: 'gpu-fleet',
  key: 'key',
  level: 3,
  tier: 'standard',
  sizeClass: 'any',
  mayRunOn: 'adapter-or-cpu',
  precision: 'f32',
  work: {
    numQubits,
    numOperations: 10,
    gateCost: 80,
    isBranching: false,
    shots: 100,
    numReadouts: 0,
  },
  needsDevice: true,
  failedOn: new Set(),
});

const run = (index: number, numQubits: number, devices: readonly string[]) => ({
  lane: 'adapter-0' as const,
  devices,
  runs: [job(index, numQubits)],
});

describe('the audit of a simulated fleet refuses', () => {
  test('a state larger than the budget of its devices', () => {
    const audit = new FleetAudit<SimulatedJob>(FLEET);

    // 2^27 amplitudes are all of the adapter's memory; each of its devices has half.
    expect(() => audit.started(run(0, 27, ['gpu-00']))).toThrow(BrokenPromiseError);
  });

  test('more at once than a pool has slots', () => {
    const audit = new FleetAudit<SimulatedJob>(FLEET);
    audit.started(run(0, 20, ['gpu-00']));

    expect(() => audit.started(run(1, 20, ['gpu-01']))).toThrow('2 at once on adapter-0');
  });

  test('two things at once on a device', () => {
    const audit = new FleetAudit<SimulatedJob>(FLEET);
    audit.started(run(0, 20, ['gpu-00']));
    const other = { ...run(1, 10, ['gpu-00']), lane: 'small' as const };

    expect(() => audit.started(other)).toThrow('gpu-00 is given two things at once');
  });

  test('a job that starts again, also after its end', () => {
    const audit = new FleetAudit<SimulatedJob>(FLEET);
    const dispatch = run(0, 20, ['gpu-00']);
    audit.started(dispatch);
    audit.ended(job(0, 20));
    audit.freed(dispatch);

    expect(() => audit.started(dispatch)).toThrow('0 started twice');
  });

  test('a job that ends and does not run', () => {
    const audit = new FleetAudit<SimulatedJob>(FLEET);

    expect(() => audit.ended(job(0, 20))).toThrow(BrokenPromiseError);
  });

  test('a circuit wider than its lane, and one without a device', () => {
    const audit = new FleetAudit<SimulatedJob>(FLEET);

    expect(() => audit.started({ ...run(0, 18, ['gpu-00']), lane: 'small' })).toThrow('too wide');
    expect(() => audit.started(run(1, 18, []))).toThrow('has 0 devices');
  });
});

test('a fleet takes what fits it exactly, up to all of its devices together', () => {
  const audit = new FleetAudit<SimulatedJob>(FLEET);

  expect(() => audit.started(run(0, 27, ['gpu-00', 'gpu-01']))).not.toThrow();
});
