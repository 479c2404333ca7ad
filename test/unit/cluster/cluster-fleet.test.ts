/** Processors of a cluster: what is shown of them, what is admitted, and what this node may run. */
import { describe, expect, test } from 'vitest';
import { ClusterFleet, type ClusterFleetOptions } from '../../../src/cluster/cluster-fleet.ts';
import { fitsWidths } from '../../../src/cluster/job-lines.ts';
import { widthFor } from '../../../src/cluster/merge-specs.ts';
import type { NodeStatus } from '../../../src/cluster/node-status.ts';
import { methodsOf } from '../../../src/fleet/method-limits.ts';
import type { ComingRun, ProcessorSpec } from '../../../src/fleet/processor.ts';
import type { RunMethod, RunWork } from '../../../src/fleet/schedule/scheduled-run.ts';
import { placeOnScale } from '../../../src/fleet/schedule/width-scale.ts';
import { emulatedSpec } from '../../../src/fleet/simulated-processor.ts';
import { FakeDevices } from '../../service/support/fake-devices.ts';
import { FakeProcessor } from '../../service/support/fake-processor.ts';
import { CLUSTER_NOW, FakePeers, fakeNode } from '../../support/fake-peers.ts';

const SIMULATOR = 'statevector-sim';

/** A simulator of this width. */
function simulator(maxQubits: number, spec: Partial<ProcessorSpec> = {}): FakeProcessor {
  return new FakeProcessor({ maxQubits, maxSingleQubits: maxQubits + 1, ...spec });
}

function down(reason: string, spec: Partial<ProcessorSpec> = {}): FakeProcessor {
  const processor = new FakeProcessor(spec);
  processor.reason = reason;
  return processor;
}

function open(
  own: readonly FakeProcessor[],
  nodes: readonly NodeStatus[],
  more: Partial<ClusterFleetOptions> = {},
) {
  const peers = new FakePeers(nodes);
  const fleet = new ClusterFleet({
    processors: own,
    devices: new FakeDevices([0]),
    peers,
    silentAfterMs: 2500,
    numThreads: 2,
    queueLimit: 10,
    waitingInDatabase: () => ({ count: 0, costMs: 0 }),
    ...more,
  });
  const processor = fleet.get(own[0]?.spec.id ?? '');
  if (processor === undefined) throw new Error('unreachable: a fleet without its processor');
  return { peers, fleet, processor };
}

function coming(numQubits: number, work: Partial<RunWork> = {}): ComingRun {
  const size = { numQubits, numOperations: 10, gateCost: 10, isBranching: false };
  return {
    id: 'job',
    keyId: 'key',
    methodReason: 'A state vector.',
    work: { ...size, shots: 1, numReadouts: 0, ...work },
  };
}

describe('the limits of a processor', () => {
  test('are those of the widest live node', () => {
    const wide = simulator(30, { maxNoisyQubits: 29 });
    const { processor, peers } = open(
      [simulator(24)],
      [fakeNode('b', { processors: [wide] }), fakeNode('c', { processors: [simulator(26)] })],
    );
    expect(processor.spec).toMatchObject({
      id: SIMULATOR,
      maxQubits: 30,
      maxNoisyQubits: 29,
      maxSingleQubits: 31,
    });
    peers.read([
      fakeNode('b', { processors: [wide], seenAt: CLUSTER_NOW - 2501 }),
      fakeNode('c', { processors: [simulator(26)] }),
    ]);
    expect(processor.spec.maxQubits).toBe(26);
    peers.clock += 2501;
    expect(processor.spec.maxQubits).toBe(24);
  });

  test('come with the memory and the compiler profile of that node', () => {
    const stateMemory = { bytes: 2 ** 34, bytesPerAmplitude: 16 } as const;
    const { target } = simulator(24).spec;
    const wide = simulator(30, { stateMemory, target: target && { ...target, maxQubits: 30 } });
    const { processor } = open([simulator(24)], [fakeNode('b', { processors: [wide] })]);
    expect(processor.spec).toMatchObject({ stateMemory, target: { maxQubits: 30 } });
  });

  test('leave out nodes that are drained, take requests only, or have it unavailable', () => {
    const { processor } = open(
      [simulator(24)],
      [
        fakeNode('b', { processors: [simulator(30)], isDraining: true }),
        fakeNode('c', { processors: [simulator(31)], role: 'api' }),
        fakeNode('d', { processors: [down('broken', { maxQubits: 32 })] }),
      ],
    );
    expect(processor.spec.maxQubits).toBe(24);
  });

  test('are those of nodes that run jobs where this one does not', () => {
    const own = [simulator(33)];
    const { processor, peers } = open(own, [fakeNode('b', { processors: [simulator(30)] })]);
    peers.role = 'api';
    expect(processor.spec.maxQubits).toBe(30);
  });

  test('stay while nobody runs it, so that its callers learn that it is offline', () => {
    const { processor, peers } = open(
      [simulator(20)],
      [fakeNode('b', { processors: [simulator(30)], isUp: false })],
    );
    peers.role = 'api';
    expect(processor.spec.maxQubits).toBe(30);
    peers.read([]);
    expect(processor.spec.maxQubits).toBe(20);
  });

  test('are those of methods, too', () => {
    const qvm = (maxQubits: number) => simulator(maxQubits, { id: 'qvm', family: 'qvm' });
    const { processor } = open([qvm(24)], [fakeNode('b', { processors: [qvm(30)] })]);
    expect(methodsOf(processor.spec)).toEqual([
      { method: 'statevector', maxQubits: 30, maxNoisyQubits: 30 },
      { method: 'density_matrix', maxQubits: 15, maxNoisyQubits: 15, maxDoubleQubits: 15 },
      {
        method: 'stabilizer',
        maxQubits: 20_000,
        maxNoisyQubits: 20_000,
        nearClifford: { maxQubits: 2000, maxStates: 2 ** 24, maxActiveQubits: 22 },
      },
      { method: 'matrix_product_state', maxQubits: 20_000, maxNoisyQubits: 20_000 },
      { method: 'sparse', maxQubits: 20_000, maxNoisyQubits: 20_000 },
      { method: 'pauli_propagation', maxQubits: 20_000, maxNoisyQubits: 20_000 },
    ]);
  });

  test('are qubits in use, for an emulated device', () => {
    const { processor } = open([emulation(24)], [fakeNode('b', { processors: [emulation(30)] })]);
    expect(processor.spec.maxQubits).toBe(156);
    expect(processor.spec.device?.emulation?.maxUsedQubits).toBe(30);
    expect(processor.spec.device?.couplers).toBe(processor.own.spec.device?.couplers);
  });

  test('are one object until something changes', () => {
    const { processor, peers } = open(
      [simulator(24)],
      [fakeNode('b', { processors: [simulator(30)] })],
    );
    const { spec } = processor;
    peers.clock += 100;
    expect(processor.spec).toBe(spec);
    processor.setMaintenance({ reason: 'new fans' });
    expect(processor.spec).not.toBe(spec);
  });
});

/** IBM Fez of 156 qubits, emulated on a simulator of this width. */
function emulation(maxQubits: number): FakeProcessor {
  return new FakeProcessor(emulatedSpec('ibm-fez', simulator(maxQubits).spec));
}

describe('the hardware of the fleet', () => {
  const onCpu = { id: 'gpu-fleet', family: 'gpu-fleet', execution: 'cpu-fallback' } as const;
  const none = { ...onCpu, physicalGpus: 0, adapters: [] };
  const gpus = (physicalGpus: number, name: string) =>
    simulator(30, {
      ...onCpu,
      execution: 'webgpu',
      physicalGpus,
      adapters: Array.from({ length: physicalGpus }, () => ({ name, isSoftware: false })),
    });

  test('is that of all nodes that run jobs', () => {
    const { processor } = open(
      [simulator(24, none)],
      [
        fakeNode('b', { processors: [gpus(2, 'Card')] }),
        fakeNode('c', { processors: [gpus(1, 'Other')] }),
        fakeNode('d', { processors: [gpus(4, 'Away')], isUp: false }),
      ],
    );
    const { execution, physicalGpus, adapters = [] } = processor.spec;
    expect(execution).toBe('webgpu');
    expect(physicalGpus).toBe(3);
    expect(adapters.map(({ name }) => name)).toEqual(['Card', 'Card', 'Other']);
  });

  test('is none once these nodes are away', () => {
    const away = fakeNode('b', { processors: [gpus(2, 'Card')], isUp: false });
    const { processor } = open([simulator(24, none)], [away]);
    expect(processor.spec).toMatchObject({ execution: 'cpu-fallback', physicalGpus: 0 });
    expect(processor.spec.adapters).toEqual([]);
  });
});

describe('the availability of a processor', () => {
  test('is good where one live node has it available', () => {
    const { processor, peers } = open(
      [down('broken')],
      [fakeNode('b', { processors: [simulator(30)] })],
    );
    expect(processor.availability()).toMatchObject({ available: true });
    peers.clock += 2501;
    expect(processor.availability()).toMatchObject({
      available: false,
      reason: 'Node a: broken',
    });
  });

  test('has the reason of the node that tested it last, where this one runs no jobs', () => {
    const later: FakeProcessor = down('broken later');
    later.availability = () => ({ available: false, reason: 'broken later', checkedAt: 2e12 });
    const { processor, peers } = open(
      [simulator(24)],
      [fakeNode('b', { processors: [down('broken')] }), fakeNode('c', { processors: [later] })],
    );
    peers.role = 'api';
    expect(processor.availability()).toMatchObject({
      available: false,
      reason: 'Node c: broken later',
    });
  });

  test.each([
    ['No node of the cluster that runs jobs is up.', { isUp: false }],
    ['All nodes of the cluster that run jobs are being drained.', { isDraining: true }],
  ])('says %s', (reason, status) => {
    const node = fakeNode('b', { processors: [simulator(30)], ...status });
    const { processor, peers } = open([simulator(24)], [node]);
    peers.role = 'api';
    const checkedAt = CLUSTER_NOW;
    expect(processor.availability()).toEqual({ available: false, reason, checkedAt });
    expect(() => processor.admit()).toThrow(reason);
  });

  test('is that of maintenance at once, whatever other nodes report', () => {
    const { processor } = open([simulator(24)], [fakeNode('b', { processors: [simulator(30)] })]);
    processor.setMaintenance({ reason: 'new fans' });
    expect(processor.availability()).toMatchObject({ reason: 'In maintenance: new fans' });
    expect(processor.own.availability().available).toBe(false);
    processor.setMaintenance(undefined);
    expect(processor.availability()).toMatchObject({ available: true });
  });
});

describe('hardware', () => {
  const spec = { id: 'superconducting-1', family: 'superconducting', maxQubits: 0 } as const;

  test('that is not configured here is offline here', () => {
    const other = simulator(156, spec);
    const { processor } = open(
      [down('No hardware provider is configured.', spec)],
      [fakeNode('b', { processors: [other] })],
    );
    expect(processor.availability().reason).toBe('No hardware provider is configured.');
    expect(processor.spec.maxQubits).toBe(0);
    expect(processor.runOnDevice).toBeUndefined();
  });

  test('counts the queue of its vendor once', () => {
    const device = (waiting: number) =>
      Object.assign(simulator(156, spec), {
        runOnDevice: async () => Promise.reject(new Error('unreachable')),
        report: () => ({ vendor: 'V', device: 'D', queueDepth: 50, fetchedAt: 0 }),
        load: () => ({ queueDepth: 50 + waiting, running: 1 }),
      });
    const { processor } = open([device(1)], [fakeNode('b', { processors: [device(2)] })]);
    expect(processor.load()).toEqual({ queueDepth: 53, running: 2 });
    expect(processor.runOnDevice).toBeDefined();
    expect(processor.report?.()).toMatchObject({ vendor: 'V' });
  });
});

describe('the load of a processor', () => {
  const loaded = (queueDepth: number, running: number, expectedWaitMs: number) =>
    Object.assign(simulator(24), {
      load: () => ({
        queueDepth,
        running,
        expectedWaitMs,
        expectedWideWaitMs: 10 * expectedWaitMs,
      }),
    });

  test('is the sum over nodes and what waits in the database', () => {
    const { processor } = open(
      [loaded(1, 2, 50)],
      [
        fakeNode('b', { processors: [loaded(3, 4, 20)], numThreads: 6 }),
        fakeNode('c', { processors: [loaded(5, 6, 1)], isDraining: true }),
        fakeNode('d', { processors: [loaded(7, 8, 0)], isUp: false }),
      ],
      { waitingInDatabase: (id) => ({ count: id === SIMULATOR ? 100 : 0, costMs: 800 }) },
    );
    expect(processor.load()).toEqual({
      queueDepth: 109,
      running: 12,
      // On eight threads, after the node that is free first.
      expectedWaitMs: 20 + 100,
      // On two nodes.
      expectedWideWaitMs: 200 + 400,
    });
  });

  test('has no expected wait while nobody runs it', () => {
    const { processor, peers } = open([loaded(0, 0, 0)], []);
    peers.role = 'api';
    expect(processor.load()).toEqual({ queueDepth: 0, running: 0 });
  });

  test('leaves out waits without an end, as nodes report them', () => {
    const { processor, peers } = open(
      [loaded(0, 0, 0)],
      [fakeNode('b', { processors: [loaded(0, 0, Number.POSITIVE_INFINITY)] })],
    );
    peers.role = 'api';
    expect(processor.load()).toEqual({ queueDepth: 0, running: 0 });
  });
});

describe('admission', () => {
  test('takes what the widest node takes, and reserves nothing here', () => {
    const own = simulator(20);
    let numAdmitted = 0;
    own.admit = () => {
      numAdmitted++;
    };
    const { processor } = open([own], [fakeNode('b', { processors: [simulator(30)] })]);
    processor.admit(coming(30));
    expect(numAdmitted).toBe(0);
    expect(() => processor.admit(coming(31))).toThrow(
      expect.objectContaining({ code: 'FLEET_CIRCUIT_TOO_LARGE' }),
    );
  });

  test('knows the widths of methods', () => {
    const wide = simulator(30, { maxNoisyQubits: 26 });
    const { processor } = open([simulator(20)], [fakeNode('b', { processors: [wide] })]);
    processor.admit(coming(26, { method: 'trajectories' }));
    expect(() => processor.admit(coming(27, { method: 'trajectories' }))).toThrow(/27 qubits/);
    processor.admit(coming(31, { method: 'density_matrix' }));
    expect(() => processor.admit(coming(32, { method: 'density_matrix' }))).toThrow(/32 qubits/);
  });

  test('wants one node that holds all runs of a batch', () => {
    const gpus = { id: 'gpu-fleet', family: 'gpu-fleet' } as const;
    const { processor } = open(
      [simulator(30, { ...gpus, maxNoisyQubits: 20 })],
      [fakeNode('b', { processors: [simulator(24, { ...gpus, maxNoisyQubits: 24 })] })],
    );
    const noisy = coming(22, { method: 'trajectories' }).work;
    const admit = (numQubits: number) => {
      const run = coming(numQubits);
      processor.admit({ ...run, together: [noisy, run.work] });
    };
    processor.admit(coming(30));
    admit(24);
    expect(() => admit(25)).toThrow(/25 qubits.*24/);
  });

  test('refuses what would take too long on the fastest node that takes it', () => {
    const timed = (timeFactor: number) => (report: NonNullable<NodeStatus['report']>) => ({
      ...report,
      processors: report.processors.map((each) => ({ ...each, timeFactor })),
    });
    const { processor, peers } = open(
      [simulator(20)],
      [
        fakeNode('b', { processors: [simulator(30)], change: timed(1) }),
        fakeNode('c', { processors: [simulator(28)], change: timed(0.01) }),
      ],
      { maxRunMs: 60_000 },
    );
    peers.role = 'api';
    const long = { numOperations: 1000, gateCost: 100_000 };
    processor.admit(coming(28, long));
    expect(() => processor.admit(coming(29, long))).toThrow(
      expect.objectContaining({ code: 'FLEET_CIRCUIT_TOO_LONG' }),
    );
  });

  test('is bounded by what waits in the database, for each node that runs jobs', () => {
    let count = 19;
    const { processor } = open([simulator(24)], [fakeNode('b', { processors: [simulator(24)] })], {
      waitingInDatabase: () => ({ count, costMs: 6000 * count }),
    });
    processor.admit(coming(3));
    count = 20;
    expect(() => processor.admit(coming(3))).toThrow(
      expect.objectContaining({ code: 'FLEET_QUEUE_FULL', retryAfterS: 3 }),
    );
  });

  test('is another thing than running, which this node does itself', async () => {
    const own = simulator(20);
    const { processor, fleet } = open([own], [fakeNode('b', { processors: [simulator(30)] })]);
    const circuit = { numQubits: 1, numBits: 1, operations: [] };
    const whose = { id: 'job', priority: 'normal', keyId: 'key', tier: 'standard' } as const;
    const run = { ...whose, circuit, request: { shots: 1, seed: 1 } };
    await processor.run(run, {}, new AbortController().signal);
    expect(own.tasks).toEqual([run]);
    expect(fleet.own(SIMULATOR)).toBe(own);
  });
});

/** Whether claims of this node take a run of that width. */
function fits(fleet: ClusterFleet, id: string, width: number, method: RunMethod): boolean {
  const limits = fleet.localLimits().get(id);
  return limits !== undefined && width <= widthFor(limits, method);
}

describe('what this node may run', () => {
  test('is what its own processors take', () => {
    const qvm = simulator(24, { id: 'qvm', family: 'qvm', maxNoisyQubits: 23 });
    const { fleet } = open(
      [simulator(24), qvm, down('broken', { id: 'gpu-fleet' })],
      [fakeNode('b', { processors: [simulator(30)] })],
    );
    expect([...fleet.localLimits().keys()]).toEqual([SIMULATOR, 'qvm']);
    expect(fleet.localLimits().get('qvm')).toEqual({
      maxQubits: 24,
      maxNoisyQubits: 23,
      maxDensityQubits: 25,
    });
    expect(fits(fleet, SIMULATOR, 24, 'statevector')).toBe(true);
    expect(fits(fleet, SIMULATOR, 25, 'statevector')).toBe(false);
    expect(fits(fleet, 'qvm', 24, 'trajectories')).toBe(false);
    expect(fits(fleet, 'gpu-fleet', 1, 'statevector')).toBe(false);
    expect(fits(fleet, 'unknown', 1, 'statevector')).toBe(false);
  });

  test('leaves density matrices in double precision to the nodes that have room', () => {
    const { fleet, peers } = open(
      [simulator(25)],
      [fakeNode('b', { processors: [simulator(30)] })],
    );
    expect(fits(fleet, SIMULATOR, 26, 'density_matrix')).toBe(false);
    peers.read([fakeNode('b', { processors: [simulator(25)] })]);
    expect(fits(fleet, SIMULATOR, 26, 'density_matrix')).toBe(true);
  });

  test('is what fits the qubits in use of an emulated device', () => {
    const { fleet } = open([emulation(24)], []);
    expect(fits(fleet, 'emulator-ibm-fez', 24, 'statevector')).toBe(true);
    expect(fits(fleet, 'emulator-ibm-fez', 25, 'statevector')).toBe(false);
  });

  test('is nothing on a node that takes requests only, or is drained', () => {
    const { fleet, peers } = open([simulator(24)], []);
    peers.role = 'api';
    expect(fleet.localLimits().size).toBe(0);
    expect(fits(fleet, SIMULATOR, 1, 'statevector')).toBe(false);
    peers.role = 'worker';
    expect(fits(fleet, SIMULATOR, 1, 'statevector')).toBe(true);
    peers.isDraining = true;
    expect(fits(fleet, SIMULATOR, 1, 'statevector')).toBe(false);
  });
});

describe('a job that waits', () => {
  const state = (numQubits: number) => placeOnScale([{ numQubits }]);
  const why = (fleet: ClusterFleet, target: string, line: string, width = 0) =>
    fleet.whyNone({ target }, { line, level: 2, costMs: 1, width });
  const takes = (fleet: ClusterFleet, line: string, target: string, width = 0) =>
    fitsWidths(fleet.widths(line), target, width);

  test('for a node that is wide enough says so once that node is gone', () => {
    const wide = fakeNode('b', { processors: [simulator(30)] });
    const { fleet, peers } = open([simulator(20)], [wide]);
    for (const line of ['small', 'wide', 'batch']) {
      expect(why(fleet, SIMULATOR, line, state(30))).toBeUndefined();
      expect(takes(fleet, line, SIMULATOR, state(30))).toBe(true);
    }
    peers.read([{ ...wide, isUp: false }]);
    expect(why(fleet, SIMULATOR, 'wide', state(20))).toBeUndefined();
    expect(takes(fleet, 'wide', SIMULATOR, state(20))).toBe(true);
    expect(why(fleet, SIMULATOR, 'wide', state(30))).toBe(
      'No node of the cluster that is up holds its state of 30 qubits; statevector-sim holds 20 now.',
    );
    expect(takes(fleet, 'wide', SIMULATOR, state(30))).toBe(false);
  });

  test('for one node that holds all programs of a batch says so', () => {
    const qvm = (maxQubits: number, maxNoisyQubits: number) =>
      simulator(maxQubits, { id: 'qvm', family: 'qvm', maxNoisyQubits });
    const { fleet } = open([qvm(30, 10)], [fakeNode('b', { processors: [qvm(20, 20)] })]);
    const mix = placeOnScale([{ numQubits: 25 }, { method: 'trajectories', numQubits: 15 }]);
    expect(why(fleet, 'qvm', 'batch', mix)).toBe(
      'No node of the cluster that is up holds all programs of the batch on qvm.',
    );
    expect(takes(fleet, 'batch', 'qvm', mix)).toBe(false);
  });

  test('for a processor that is in maintenance or broken says so', () => {
    const { fleet, processor } = open([simulator(20)], []);
    processor.setMaintenance({ reason: 'new fans' });
    expect(why(fleet, SIMULATOR, 'small', state(2))).toBe('In maintenance: new fans');
    expect(takes(fleet, 'small', SIMULATOR, state(2))).toBe(false);
  });

  test('for a processor that only other nodes have says so once they are gone', () => {
    const other = fakeNode('b', { processors: [simulator(20, { id: 'emulator-x' })] });
    const { fleet, peers } = open([simulator(20)], [other]);
    expect(why(fleet, 'emulator-x', 'small', state(5))).toBeUndefined();
    expect(takes(fleet, 'small', 'emulator-x', state(5))).toBe(true);
    peers.read([{ ...other, isUp: false }]);
    expect(why(fleet, 'emulator-x', 'small', state(5))).toBe(
      'No node of the cluster that is up has emulator-x available.',
    );
  });

  test('for hardware counts the nodes that have it configured', () => {
    const spec = { id: 'superconducting-1', family: 'superconducting', maxQubits: 156 } as const;
    const other = fakeNode('b', { processors: [simulator(156, spec)] });
    const { fleet, peers } = open([down('No hardware provider is configured.', spec)], [other]);
    expect(why(fleet, spec.id, 'hardware')).toBeUndefined();
    expect(takes(fleet, 'hardware', spec.id)).toBe(true);
    peers.read([{ ...other, isUp: false }]);
    expect(why(fleet, spec.id, 'hardware')).toBe(
      'No node of the cluster that is up has superconducting-1 available.',
    );
  });

  test('for any node that runs jobs says so while there is none', () => {
    const worker = fakeNode('b', { role: 'worker' });
    const { fleet, peers } = open([simulator(20)], [worker]);
    peers.role = 'api';
    for (const line of ['tpu/us-central1-a', 'task', 'plan']) {
      peers.read([worker]);
      expect(why(fleet, 'any', line)).toBeUndefined();
      peers.read([{ ...worker, isDraining: true }]);
      expect(why(fleet, 'any', line)).toBe(
        'All nodes of the cluster that run jobs are being drained.',
      );
      peers.read([{ ...worker, isUp: false }]);
      expect(why(fleet, 'any', line)).toBe('No node of the cluster that runs jobs is up.');
      expect(fleet.widths(line)).toBeUndefined();
    }
  });
});

describe('maintenance from the store', () => {
  test('is begun and ended as the store lists it', () => {
    const own = simulator(24);
    const { fleet, processor } = open([own], [fakeNode('b', { fleetNodes: [1] })]);
    const reason = 'new fans';
    fleet.applyMaintenance([
      { kind: 'processor', id: SIMULATOR, reason },
      { kind: 'processor', id: 'unknown', reason },
      { kind: 'device', id: 'gpu-00', reason },
      { kind: 'device', id: 'gpu-09', reason },
      { kind: 'device', id: 'gpu-99', reason },
    ]);
    expect(own.availability().available).toBe(false);
    expect(processor.availability().reason).toBe('In maintenance: new fans');
    expect(fleet.devices.summary().inMaintenance).toBe(2);
    fleet.applyMaintenance([{ kind: 'device', id: 'gpu-00', reason: 'other fans' }]);
    expect(own.availability().available).toBe(true);
    expect(fleet.devices.device('gpu-00')?.maintenance).toEqual({ reason: 'other fans' });
    expect(fleet.devices.summary().inMaintenance).toBe(1);
  });
});
