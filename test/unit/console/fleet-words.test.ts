/** The words of the fleet's page: states, reasons, effects of maintenance, processors, figures. */
import { describe, expect, test } from 'vitest';
import type { Device, Processor, ServiceLoad } from '../../../src/client/api-types.ts';
import {
  backingInWords,
  countStates,
  deviceInWords,
  deviceLabel,
  fleetInWords,
  maintenanceEffects,
  outOfServiceInWords,
  silentSince,
  stateOf,
} from '../../../src/console/fleet/device-words.ts';
import {
  failuresInWords,
  historyInWords,
  laneInWords,
  laneName,
  latencyInWords,
  loadCurves,
} from '../../../src/console/fleet/load-words.ts';
import {
  availabilityInWords,
  basisOf,
  deviceFacts,
  executionInWords,
  maintenanceReason,
  methodInWords,
  neededScope,
  processorState,
  processorsByKind,
  withStatus,
} from '../../../src/console/fleet/processor-words.ts';
import { ago, load, memory, span } from '../../../src/console/numbers.ts';
import type { KeyInfo } from '../../../src/console/shell/session.ts';
import { device, processor } from './fleet-fixtures.ts';

const SILENT = 'Node b was not heard of since 2026-01-02T03:04:05.678Z.';
const NOTHING = { kind: 'none', name: 'none', software: false, shared_by: 0 } as const;

describe('the state of a device', () => {
  const cases: readonly (readonly [string, Partial<Device>])[] = [
    ['idle', {}],
    ['busy', { busy: true }],
    ['maintenance', { available: false, maintenance: { reason: 'a fan' } }],
    ['quarantine', { available: false, reason: 'The adapter was lost.' }],
    ['silent', { available: false, reason: SILENT }],
    ['draining', { available: false, reason: 'Node b is being drained.' }],
    ['unserved', { available: false, backing: NOTHING, reason: 'No node serves node-3.' }],
  ];

  test.each(cases)('is %s', (state, changes) => {
    expect(stateOf(device(changes))).toBe(state);
  });

  test('stays maintenance while the circuit that runs on it finishes', () => {
    const finishing = device({ available: false, busy: true, maintenance: { reason: 'a fan' } });
    expect(stateOf(finishing)).toBe('maintenance');
    expect(deviceInWords(finishing)).toContain('It still runs a circuit.');
  });

  test('tells since when its node is silent', () => {
    expect(silentSince(device({ reason: SILENT }))).toBe('2026-01-02T03:04:05.678Z');
    expect(silentSince(device({}))).toBeUndefined();
  });

  test('is counted, states in service first', () => {
    const devices = [
      device({ available: false, reason: 'Lost.' }),
      device({}),
      device({ busy: true }),
    ];
    expect(countStates(devices)).toEqual([
      ['busy', 1],
      ['idle', 1],
      ['quarantine', 1],
    ]);
  });
});

describe('a device in words', () => {
  test('says what it does, what waits and when the next circuit would start', () => {
    expect(deviceInWords(device({ busy: true, queue_depth: 2, expected_wait_ms: 1200 }))).toBe(
      'It runs a circuit now. 2 circuits wait for it. A circuit sent now would start in about 1.2 s.',
    );
    expect(deviceInWords(device({}))).toBe(
      'It runs nothing now. A circuit sent now would start at once.',
    );
  });

  test('gives the reason why it is out of service', () => {
    expect(deviceInWords(device({ available: false, reason: SILENT }))).toBe(SILENT);
  });

  test('has a label with all that its tile shows', () => {
    expect(deviceLabel(device({ queue_depth: 3 }), 0.25)).toBe(
      'gpu-07: Idle, load 25%, 3 waiting, CPU, modelled',
    );
  });

  test('names what is behind it, and whether that is a GPU', () => {
    const behind = (backing: Device['backing']) => backingInWords(device({ backing }));
    expect(behind(device({}).backing)).toBe('the CPU engine on EPYC, shared by 48 devices');
    expect(behind({ kind: 'adapter', name: 'H100', software: false, shared_by: 1 })).toBe(
      'the GPU H100',
    );
    expect(behind({ kind: 'adapter', name: 'llvmpipe', software: true, shared_by: 2 })).toBe(
      'a software adapter, llvmpipe, shared by 2 devices',
    );
    expect(behind(NOTHING)).toBe('nothing');
  });
});

describe('the fleet in words', () => {
  const summary = {
    total: 2,
    available: 2,
    in_maintenance: 0,
    quarantined: 0,
    busy: 0,
    backings: [{ kind: 'cpu', name: 'EPYC', software: true, devices: 2, available: 2 }],
  } as const;

  test('says that devices are models, some of them or none', () => {
    expect(fleetInWords([device({}), device({})], summary)).toBe(
      'Shares of real hardware: 2 of the CPU engine on EPYC. Each device is a model of a GPU, not a GPU of its own.',
    );
    expect(fleetInWords([device({}), device({ modelled: false })], summary)).toContain(
      '1 of the 2 devices are models of a GPU, the others are GPUs of their own.',
    );
    expect(fleetInWords([device({ modelled: false })], summary)).toContain(
      'Each device is a GPU of its own.',
    );
  });

  test('names devices that are out of service, the first four of many', () => {
    expect(outOfServiceInWords([device({ busy: true })])).toBe('All devices are in service.');
    const lost = Array.from({ length: 6 }, (_, i) =>
      device({ id: `gpu-0${i}`, available: false, reason: 'Lost.' }),
    );
    expect(outOfServiceInWords(lost)).toContain('gpu-03 (Quarantine) and 2 more.');
  });
});

describe('the effects of maintenance', () => {
  const target = { kind: 'device', id: 'gpu-07', isOut: false, queueDepth: 0 } as const;

  test('are that a device finishes its circuit and others take what waits', () => {
    const [first] = maintenanceEffects({ ...target, isBusy: true, queueDepth: 2 });
    expect(first).toBe(
      'The circuit that runs on gpu-07 now finishes there. 2 circuits that wait for it run on other devices. No new circuit is placed on it.',
    );
    expect(maintenanceEffects({ ...target, isBusy: false })[0]).toContain(
      'gpu-07 runs nothing now.',
    );
  });

  test('are that what waits for a processor keeps its place, and new circuits are refused', () => {
    const effects = maintenanceEffects({ ...target, kind: 'processor', id: 'qvm', queueDepth: 1 });
    expect(effects[0]).toBe(
      'Circuits that run on qvm now finish there. 1 circuit waits and keeps its place.',
    );
    expect(effects[1]).toContain('refused with the status 503');
  });

  test('end when it is put back', () => {
    expect(maintenanceEffects({ ...target, isOut: true })).toEqual([
      'gpu-07 takes circuits again if its last self-test passed.',
    ]);
  });
});

describe('a processor in words', () => {
  const words: readonly (readonly [Partial<Processor>, string])[] = [
    [
      {
        family: 'qvm',
        methods: [
          { method: 'statevector', max_qubits: 24, max_noisy_qubits: 24 },
          { method: 'stabilizer', max_qubits: 8000, max_noisy_qubits: 8000 },
          { method: 'matrix_product_state', max_qubits: 20_000, max_noisy_qubits: 0 },
        ],
      },
      'Takes circuits of up to 24 qubits, and of up to 20,000 by stabilizer and matrix product state. Nothing waits. A small circuit would start at once.',
    ],
    [{}, 'Takes circuits of up to 24 qubits. Nothing waits. A small circuit would start at once.'],
    [
      { qubits: 20, queue_depth: 1, expected_wait_ms: 40, expected_wide_wait_ms: 2500 },
      'Takes circuits of up to 20 qubits now, 24 when all of it is in service. 1 circuit waits. A small circuit would start in about 40 ms, a wide one in about 2.5 s.',
    ],
    [
      { available: false, reason: 'In maintenance: a fan', queue_depth: 3 },
      'In maintenance: a fan. 3 circuits wait.',
    ],
  ];

  test.each(words)('%o', (changes, text) => {
    expect(availabilityInWords(processor(changes))).toBe(text);
  });

  test('is in maintenance if its reason says so', () => {
    const out = processor({ available: false, reason: 'In maintenance: a fan' });
    expect(maintenanceReason(out)).toBe('a fan');
    expect(processorState(out).word).toBe('Maintenance');
    const broken = processor({ available: false, reason: 'The self-test failed.' });
    expect(maintenanceReason(broken)).toBeUndefined();
    expect(processorState(broken).word).toBe('Not available');
  });

  test('says what it runs on and how its results are to be taken', () => {
    const fleet = processor({ execution: 'cpu-fallback', precision: 'f32', physical_gpus: 0 });
    expect(executionInWords(fleet)).toBe(
      'the CPU engine, since no adapter takes circuits, single precision, 0 real GPUs',
    );
    expect(basisOf(processor({}))).toBe('simulated');
    expect(basisOf(processor({ family: 'emulator', basis: 'modelled' }))).toBe('modelled');
  });

  test('has methods with their widths where these differ', () => {
    const density = { method: 'density_matrix', max_qubits: 14, max_noisy_qubits: 12 } as const;
    expect(methodInWords({ ...density, max_qubits_f64: 13 })).toBe(
      'Density matrix: up to 14 qubits, 12 with noise, 13 in double precision',
    );
    const wide = { method: 'stabilizer', max_qubits: 20_000, max_noisy_qubits: 20_000 } as const;
    const near = { max_qubits: 2000, max_stabilizer_states: 2 ** 24, max_active_qubits: 16 };
    expect(methodInWords({ ...wide, near_clifford: near })).toBe(
      'Stabilizer: up to 20,000 qubits, 2,000 in near-Clifford circuits',
    );
  });

  test('has the figures of a device only if it has a device', () => {
    const known = (one: Processor) => deviceFacts(one).filter(([, text]) => text !== undefined);
    expect(known(processor({}))).toEqual([]);
    const rows = known(
      processor({ max_qubits: 156, max_used_qubits: 27, t1_us: 145.2, t2_us: 9.61 }),
    );
    expect(rows).toEqual([
      ['One circuit uses', 'up to 27 qubits of them'],
      ['Median T1, T2', '145 µs, 9.6 µs'],
    ]);
  });

  test('stands with its kind', () => {
    const all = [
      processor({ id: 'sc', family: 'superconducting' }),
      processor({ id: 'em', family: 'emulator' }),
      processor({ id: 'sv' }),
      processor({ id: 'qvm', family: 'qvm' }),
    ];
    const kinds = processorsByKind(all).map(([kind, own]) => [kind, own.map(({ id }) => id)]);
    expect(kinds).toEqual([
      ['Simulators', ['sv', 'qvm']],
      ['Emulated devices', ['em']],
      ['Hardware', ['sc']],
    ]);
  });
});

describe('a service', () => {
  test('says which scope a key needs, and whether it has it', () => {
    // The words need the scopes alone.
    const key = { scopes: ['read'] } as unknown as KeyInfo;
    expect(neededScope('agents', undefined)).toBe('Needs a key with the scope agents.');
    expect(neededScope('agents', key)).toContain('which yours lacks');
    expect(neededScope('read', key)).toContain('which yours has');
  });

  test('takes the state of a later status, and loses a reason that no longer holds', () => {
    const entry = { id: 'a', name: 'A', available: false, reason: 'Starting.', checked_at: '1' };
    const status = [{ id: 'a', available: true, checked_at: '2' }];
    expect(withStatus([entry], status)).toEqual([
      { id: 'a', name: 'A', available: true, checked_at: '2' },
    ]);
    expect(withStatus([entry], undefined)).toEqual([entry]);
  });
});

describe('figures', () => {
  const now = Date.parse('2026-01-02T00:00:00Z');
  test.each([
    ['2026-01-02T00:00:09Z', 'just now'],
    ['2026-01-01T23:59:48Z', '12 s ago'],
    ['2026-01-01T23:57:00Z', '3 min ago'],
    ['2026-01-01T21:30:00Z', '2 h ago'],
    ['2025-12-28T00:00:00Z', '5 d ago'],
  ])('%s is %s', (at, words) => {
    expect(ago(at, now)).toBe(words);
  });

  test('are short', () => {
    expect([0, 0.0004, 0.004, 0.37, 1].map(load)).toEqual(['0%', '<0.1%', '0.4%', '37%', '100%']);
    expect([0, 512, 261_374_592, 1.5 * 2 ** 30].map(memory)).toEqual([
      '0 B',
      '512 B',
      '249 MiB',
      '1.5 GiB',
    ]);
    expect([40_000, 240_000].map(span)).toEqual(['40 s', '4 min']);
  });
});

describe('the load of the service', () => {
  const figures = {
    busy: { small: 0.5 },
    jobs: { completed: 3, failed: 1, cancelled: 2 },
    latency_ms: { p50: 0.5, p95: 12.4, p99: 1430 },
    requests: { answered: 1000, failed: 5 },
  };
  const minute = (at: string, rest: object = {}) => ({ at, sampled_s: 60, ...figures, ...rest });
  const loaded: ServiceLoad = {
    since: '2026-01-02T03:04:05.678Z',
    engines: [
      { id: 'small', kind: 'small', engines: 2, busy: 1 },
      { id: 'adapter-3', kind: 'adapter', engines: 1, busy: 0 },
    ],
    now: { waiting: 0 },
    hour: figures,
    minutes: [
      minute('2026-01-02T03:04:00.000Z', { waiting: { mean: 1.5, most: 4 } }),
      minute('2026-01-02T03:06:00.000Z', { latency_ms: undefined, busy: {} }),
    ],
  };

  test('is in words', () => {
    const [small, adapter] = loaded.engines;
    if (small === undefined || adapter === undefined) throw new Error('unreachable: two lanes');
    expect(laneInWords(small, figures)).toBe('1 of 2 busy now, 25% on average');
    expect(laneInWords(adapter, figures)).toBe('0 of 1 busy now');
    expect(laneName(adapter)).toBe('GPU 3');
    expect(failuresInWords(figures)).toEqual([
      '1 of 4 jobs failed (25%)',
      '5 of 1,000 requests failed (0.5%)',
    ]);
    expect(latencyInWords(figures)).toBe('half within 1 ms, 95% within 12 ms and 99% within 1.4 s');
    expect(historyInWords(loaded)).toMatch(
      /^Kept by the service since its start at \d\d:\d\d:05\.$/,
    );
    const whole = { ...loaded, minutes: [minute('2026-01-02T04:03:00.000Z')] };
    expect(historyInWords(whole)).toBe('Kept by the service for the last hour.');
    expect(historyInWords({ ...whole, node: 'b', nodes: 3 })).toBe(
      'Kept by the node b, which answered, for the last hour: its engines, the jobs that it ran, the requests that it answered. 3 nodes are up; each keeps its own.',
    );
  });

  test('is drawn by minutes, with gaps where nothing is known', () => {
    const { x, busy, waiting, latency, failures } = loadCurves(loaded);
    expect(x.values).toEqual([-2, -1, 0]);
    expect(busy.map(({ values }) => values)).toEqual([
      [25, NaN, NaN],
      [NaN, NaN, NaN],
    ]);
    expect(waiting[1]?.values).toEqual([4, NaN, NaN]);
    expect(latency[2]?.values).toEqual([1430, NaN, NaN]);
    expect(failures.map(({ values }) => values)).toEqual([
      [25, NaN, 25],
      [0.5, NaN, 0.5],
    ]);
  });
});
