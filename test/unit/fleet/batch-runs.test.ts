/** Batch tasks through a fleet of real engines: what comes back, and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Circuit, withAngles } from '../../../src/circuit/circuit.ts';
import type { PauliSum } from '../../../src/circuit/observable.ts';
import type { BatchRequest } from '../../../src/engine/batch-request.ts';
import { openReferenceEngine } from '../../../src/engine/reference/reference-engine.ts';
import { Fleet } from '../../../src/fleet/fleet.ts';
import type { CircuitRun, Processor } from '../../../src/fleet/processor.ts';
import { runCircuit } from '../../support/engine-runs.ts';
import { never } from '../../support/fleet-fixtures.ts';
import { gate } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { runOf } from '../../support/run-of.ts';
import { randomShape, sweepOf } from '../../support/sweeps.ts';

let fleet: Fleet;

beforeAll(async () => {
  fleet = new Fleet({
    machine: { cpuModel: 'a CPU', numCores: 2, memoryBytes: 2 ** 30 },
    engine: 'cpu',
    numThreads: 2,
    memoryBytes: 2 ** 26,
    maxShots: 1000,
    maxGates: 1000,
    queueLimit: 100,
    now: () => 1_700_000_000_000,
    discover: async () => ({ adapters: [], reason: 'No GPU driver was found.' }),
  });
  await fleet.start();
});

afterAll(() => fleet.close());

function processor(id: string): Processor {
  const found = fleet.get(id);
  if (found === undefined) throw new Error(`unreachable: no ${id}`);
  return found;
}

let numTasks = 0;

function head(keyId = 'key-1') {
  const id = `task-${numTasks++}`;
  return { id, priority: 'normal', keyId, tier: 'standard' } as const;
}

function batchTask(shape: Circuit, request: BatchRequest, keyId?: string): CircuitRun {
  return { ...head(keyId), circuit: shape, request };
}

/** The angles of all gates, circuit after circuit. */
function anglesOf(circuits: readonly Circuit[]): Float64Array {
  return Float64Array.from(
    circuits.flatMap(({ operations }) =>
      operations.flatMap((operation) => (operation.kind === 'gate' ? operation.angles : [])),
    ),
  );
}

/** Counts as a batch has them: how often the register read each value. */
async function countsAlone(id: string, circuit: Circuit, shots: number, seed: number) {
  const request = { shots, seed };
  const run = runOf(await processor(id).run({ ...head(), circuit, request }, {}, never()));
  const dense = new Uint32Array(2 ** circuit.numBits);
  for (const [i, value] of run.counts.outcomes.entries()) dense[value] = run.counts.occurrences[i]!;
  return [...dense];
}

function rowsOf(numbers: ArrayLike<number> | undefined, numRows: number): readonly number[][] {
  const all = Array.from(numbers ?? []);
  const length = all.length / numRows;
  return Array.from({ length: numRows }, (_, row) => all.slice(row * length, (row + 1) * length));
}

function expectClose(found: ArrayLike<number>, wanted: ArrayLike<number>, tolerance: number) {
  expect(found.length).toBe(wanted.length);
  let worst = 0;
  for (let i = 0; i < wanted.length; i++) {
    worst = Math.max(worst, Math.abs(found[i]! - wanted[i]!));
  }
  expect(worst).toBeLessThan(tolerance);
}

const ROTATED: Circuit = {
  numQubits: 2,
  numBits: 2,
  operations: [
    gate('RY', [0], [], [0]),
    gate('RZ', [0], [], [0]),
    gate('CX', [1], [0]),
    { kind: 'measure', qubits: [0, 1], bits: [0, 1] },
  ],
};

const Z0: PauliSum = [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }];

describe.each(['statevector-sim', 'gpu-fleet'])('a batch run on %s', (id) => {
  test.each([1, 2, 5, 9, 12])(
    'has the counts that each circuit has alone: %i qubits',
    async (numQubits) => {
      const stream = new RandomStream(100 + numQubits);
      const shape = randomShape(stream, numQubits, 3 * numQubits);
      const circuits = sweepOf(stream, shape, 7);
      const seeds = circuits.map((_, k) => 50 + 3 * k);
      const angles = anglesOf(circuits);
      const request = { numCircuits: 7, angles, shots: 300, seeds };
      const { outputs: batch } = await processor(id).run(batchTask(shape, request), {}, never());
      const alone = [];
      for (const [k, circuit] of circuits.entries()) {
        alone.push(await countsAlone(id, circuit, 300, seeds[k]!));
      }
      expect(rowsOf(batch.counts, 7)).toEqual(alone);
    },
  );

  test.each<[string, number, (shape: Circuit) => Circuit]>([
    ['as wide as no batch of an engine', 14, (shape) => shape],
    [
      'with a measurement in the middle',
      4,
      ({ operations, ...rest }) => ({
        ...rest,
        numBits: 5,
        operations: [
          gate('RX', [1], [], [0]),
          { kind: 'measure', qubits: [1], bits: [4] },
          { ...gate('RY', [2], [], [0]), condition: { bits: [4], value: 1 } },
          ...operations,
        ],
      }),
    ],
    [
      'with a matrix',
      3,
      ({ operations, ...rest }) => ({
        ...rest,
        operations: [
          { kind: 'reset', qubits: [0] },
          {
            kind: 'unitary',
            controls: [],
            targets: [1],
            matrix: Float64Array.of(0, 0, 1, 0, 1, 0, 0, 0),
          },
          ...operations,
        ],
      }),
    ],
    ['with an unread qubit', 4, (shape) => ({ ...shape, numQubits: 5 })],
  ])('has the counts that each circuit has alone: %s', async (_, numQubits, change) => {
    const stream = new RandomStream(200 + numQubits);
    const shape = change(randomShape(stream, numQubits, 2 * numQubits));
    const circuits = sweepOf(stream, shape, 5);
    const request = {
      numCircuits: 5,
      angles: anglesOf(circuits),
      shots: 100,
      seed: 70,
      countsOfSingles: true,
    };
    const { outputs: batch } = await processor(id).run(batchTask(shape, request), {}, never());
    for (const [k, circuit] of circuits.entries()) {
      if (batch.countsByRow === undefined) {
        const found = rowsOf(batch.counts, 5)[k];
        expect(found).toEqual(await countsAlone(id, circuit, 100, 70 + k));
        continue;
      }
      const alone = { ...head(), circuit, request: { shots: 100, seed: 70 + k } };
      const run = runOf(await processor(id).run(alone, {}, never()));
      expect(batch.countsByRow[k]).toEqual(run.counts);
    }
  });

  test('gives the values of wide circuits, row by row, with progress', async () => {
    const stream = new RandomStream(77);
    const shape = randomShape(stream, 13, 20);
    const circuits = sweepOf(stream, shape, 4);
    const request = {
      numCircuits: 4,
      angles: anglesOf(circuits),
      observables: [Z0],
      probabilities: true,
      statevector: true,
    };
    const progress: number[] = [];
    const hooks = { onProgress: (fraction: number) => progress.push(fraction) };
    const { outputs: batch } = await processor(id).run(batchTask(shape, request), hooks, never());
    const tolerance = id === 'gpu-fleet' ? 1e-5 : 1e-12;
    for (const [k, circuit] of circuits.entries()) {
      const asked = {
        shots: 0,
        seed: 0,
        observables: [Z0],
        probabilities: true,
        statevector: true,
      };
      const engine = openReferenceEngine({ maxQubits: 13 });
      const alone = await runCircuit(engine, circuit, asked);
      await engine.close();
      expectClose(rowsOf(batch.expectations, 4)[k]!, alone.expectations!, tolerance);
      expectClose(rowsOf(batch.probabilities, 4)[k]!, alone.probabilities!, tolerance);
      expectClose(rowsOf(batch.statevectors, 4)[k]!, alone.statevector!, tolerance);
    }
    expect(progress.every((fraction) => fraction <= 1)).toBe(true);
  });

  test('draws circuit k with the seed + k where no seeds are given', async () => {
    const angles = Float64Array.of(1, 2, 3, 4, 5, 6);
    const request = { numCircuits: 3, angles, shots: 200 };
    const run = async (more: Partial<BatchRequest>) => {
      const task = batchTask(ROTATED, { ...request, ...more });
      return (await processor(id).run(task, {}, never())).outputs.counts;
    };
    const found = await run({ seed: 8 });
    expect(found).toEqual(await run({ seeds: [8, 9, 10] }));
    expect(found).not.toEqual(await run({ seed: 9 }));
  });

  test('gives the exact values of the reference engine, and only what was asked for', async () => {
    const stream = new RandomStream(9);
    const shape = randomShape(stream, 4, 12);
    const circuits = sweepOf(stream, shape, 5);
    const observables: readonly PauliSum[] = [
      Z0,
      [
        { coefficient: 0.5, factors: [] },
        {
          coefficient: -2,
          factors: [
            { pauli: 'X', qubit: 3 },
            { pauli: 'Y', qubit: 1 },
          ],
        },
      ],
    ];
    const request = {
      numCircuits: 5,
      angles: anglesOf(circuits),
      observables,
      probabilities: true,
    };
    const task = batchTask(shape, request);
    const { outputs: batch } = await processor(id).run(task, {}, never());
    expect(Object.keys(batch).sort()).toEqual(['expectations', 'probabilities']);
    const reference = openReferenceEngine({ maxQubits: 4 });
    const [expectations, probabilities] = [
      rowsOf(batch.expectations, 5),
      rowsOf(batch.probabilities, 5),
    ];
    for (const [k, circuit] of circuits.entries()) {
      const exact = await runCircuit(reference, circuit, { observables, probabilities: true });
      for (const [i, value] of exact.expectations!.entries()) {
        expect(expectations[k]![i]).toBeCloseTo(value, 12);
      }
      for (const [i, value] of exact.probabilities!.entries()) {
        expect(probabilities[k]![i]).toBeCloseTo(value, 12);
      }
    }
    await reference.close();
  });

  test('takes shapes with matrices and with qubits that nobody reads', async () => {
    const matrix = Float64Array.of(0, 0, 1, 0, 1, 0, 0, 0);
    const shape: Circuit = {
      numQubits: 2,
      numBits: 1,
      operations: [
        gate('RX', [1], [], [0]),
        { kind: 'unitary', controls: [], targets: [0], matrix },
        { kind: 'measure', qubits: [0], bits: [0] },
      ],
    };
    const observables = [Z0];
    for (const one of [
      shape,
      { ...shape, operations: shape.operations.toSpliced(1, 1, gate('X', [0])) },
    ]) {
      const request = { numCircuits: 2, angles: Float64Array.of(0, 1), shots: 10, observables };
      const { outputs: batch } = await processor(id).run(batchTask(one, request), {}, never());
      expect(batch.expectations).toEqual(Float64Array.of(-1, -1));
      expect(batch.counts).toEqual(Uint32Array.of(0, 10, 0, 10));
    }
  });

  test('says what ran it and how long it took', async () => {
    const request = { numCircuits: 1, angles: Float64Array.of(1, 2), observables: [Z0] };
    const { backend, timing } = await processor(id).run(batchTask(ROTATED, request), {}, never());
    expect(backend).toMatchObject({ engine: 'cpu', precision: 'f64', hardware: 'a CPU' });
    expect(backend.devices?.length).toBe(id === 'gpu-fleet' ? 1 : undefined);
    expect(timing.queueMs).toBeGreaterThanOrEqual(0);
    expect(timing.executionMs).toBeGreaterThan(0);
    expect(timing.compileMs).toBeGreaterThanOrEqual(0);
  });

  test('of one shape from two keys at once has each its own rows', async () => {
    const stream = new RandomStream(12);
    const shape = randomShape(stream, 3, 9);
    const all = await Promise.all(
      ['key-1', 'key-2', 'key-1', 'key-2'].map(async (keyId, i) => {
        const circuits = sweepOf(new RandomStream(20 + i), shape, 3);
        const request = { numCircuits: 3, angles: anglesOf(circuits), shots: 100, seed: i };
        const task = batchTask(shape, request, keyId);
        const { outputs: batch } = await processor(id).run(task, {}, never());
        return { found: rowsOf(batch.counts, 3), circuits };
      }),
    );
    for (const [i, { found, circuits }] of all.entries()) {
      for (const [k, circuit] of circuits.entries()) {
        expect(found[k]).toEqual(await countsAlone(id, circuit, 100, i + k));
      }
    }
  });
});

describe('a batch run', () => {
  const request: BatchRequest = { numCircuits: 2, angles: new Float64Array(4), shots: 10 };
  const [ry, , , measure] = ROTATED.operations;
  const twice = { ...ROTATED, operations: [...ROTATED.operations, ry!, measure!] };

  test.each<[string, Circuit, Partial<BatchRequest>, string]>([
    ['too few angles', ROTATED, { angles: new Float64Array(3) }, 'ENGINE_BATCH_INVALID'],
    [
      'an angle that is no number',
      ROTATED,
      { angles: Float64Array.of(0, 0, Number.NaN, 0) },
      'ENGINE_BATCH_INVALID',
    ],
    ['a seed too few', ROTATED, { seeds: [1] }, 'ENGINE_BATCH_INVALID'],
    [
      'an observable of a qubit that is not there',
      { ...ROTATED, numQubits: 2 },
      { observables: [[{ coefficient: 1, factors: [{ pauli: 'X', qubit: 2 }] }]] },
      'ENGINE_BATCH_INVALID',
    ],
    [
      'probabilities of 17 bits',
      { ...ROTATED, numBits: 17 },
      { probabilities: true },
      'ENGINE_TOO_MANY_OUTCOMES',
    ],
    [
      'an expectation value and a measurement in its middle',
      twice,
      { angles: new Float64Array(6), observables: [Z0] },
      'ENGINE_OUTPUT_NEEDS_FINAL_STATE',
    ],
  ])(
    'with %s is refused, whether or not its processor would take it now',
    async (_, shape, more, code) => {
      const simulator = processor('statevector-sim');
      const task = batchTask(shape, { ...request, ...more });
      await expect(simulator.run(task, {}, never())).rejects.toMatchObject({ code });
      simulator.setMaintenance({ reason: 'new cooling' });
      const refused = simulator.run(task, {}, never());
      simulator.setMaintenance(undefined);
      await expect(refused).rejects.toMatchObject({ code });
      expect(simulator.load().queueDepth).toBe(0);
    },
  );

  test('is refused where there is no processor behind', async () => {
    const run = processor('superconducting-1').run(batchTask(ROTATED, request), {}, never());
    await expect(run).rejects.toMatchObject({ code: 'FLEET_PROCESSOR_UNAVAILABLE' });
  });

  test('of no circuits has empty results', async () => {
    const none = { numCircuits: 0, angles: new Float64Array(), shots: 10, observables: [Z0] };
    const { outputs: batch } = await processor('statevector-sim').run(
      batchTask(ROTATED, none),
      {},
      never(),
    );
    expect(batch).toEqual({ counts: new Uint32Array(), expectations: new Float64Array() });
  });

  test('leaves the caller its arrays, and its answer is the caller’s alone', async () => {
    const shape = { ...randomShape(new RandomStream(4), 12, 30), numBits: 12 };
    const [circuit] = sweepOf(new RandomStream(5), shape, 1);
    const own = anglesOf([circuit!]);
    const numCircuits = Math.ceil(20_000 / own.byteLength);
    const angles = new Float64Array(numCircuits * own.length);
    for (let k = 0; k < numCircuits; k++) angles.set(own, k * own.length);
    const seeds = new Float64Array(numCircuits);
    const task = batchTask(shape, { numCircuits, angles, shots: 20, seeds });
    const answer = processor('statevector-sim').run(task, {}, never());
    const [first] = angles;
    angles.fill(0);
    seeds.fill(7);
    const { outputs: batch } = await answer;
    expect(first).not.toBe(0);
    // One seed and one row of angles for all.
    const rows = rowsOf(batch.counts, numCircuits);
    expect(rows[0]).toEqual(await countsAlone('statevector-sim', withAngles(shape, own), 20, 0));
    for (const row of rows) expect(row).toEqual(rows[0]);
    batch.counts?.fill(0);
  });

  test('of seconds is over when it is cancelled, and others run', async () => {
    const simulator = processor('statevector-sim');
    const shape = randomShape(new RandomStream(6), 12, 200);
    const [circuit] = sweepOf(new RandomStream(7), shape, 1);
    const numCircuits = 4096;
    const angles = new Float64Array(numCircuits * anglesOf([circuit!]).length);
    const cancel = new AbortController();
    const task = batchTask(shape, { numCircuits, angles, shots: 8192, seed: 1 });
    const hasStarted = Promise.withResolvers<void>();
    const hooks = { onStarted: hasStarted.resolve };
    const running = simulator.run(task, hooks, cancel.signal);
    await hasStarted.promise;
    cancel.abort();
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(simulator.load()).toMatchObject({ queueDepth: 0, running: 0 });
    await simulator.run(batchTask(ROTATED, request), {}, never());
  });
});
