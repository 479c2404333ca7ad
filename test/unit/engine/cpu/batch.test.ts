/** Batches against the state oracle, the reference engine, and the same circuits run alone. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../../../src/circuit/circuit.ts';
import { GATES } from '../../../../src/circuit/gates.ts';
import type { PauliSum } from '../../../../src/circuit/observable.ts';
import type {
  BatchExecutable,
  BatchRequest,
  BatchResult,
} from '../../../../src/engine/batch-request.ts';
import { prepareBatch } from '../../../../src/engine/cpu/batch.ts';
import { type CpuEngine, openCpuEngine } from '../../../../src/engine/cpu/cpu-engine.ts';
import { Crew } from '../../../../src/engine/cpu/crew.ts';
import { PRECISIONS } from '../../../../src/engine/cpu/precision.ts';
import type { Counts, Engine } from '../../../../src/engine/engine.ts';
import { openReferenceEngine } from '../../../../src/engine/reference/reference-engine.ts';
import { NEVER, runCircuit, worstAmplitude } from '../../../support/engine-runs.ts';
import { gate, randomGates, randomUse } from '../../../support/random-circuits.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { finalAmplitudes } from '../../../support/state-oracle.ts';

const TOLERANCE = { f32: 1e-5, f64: 1e-12 };
const PARAMETRIC = GATES.filter(({ parameters }) => parameters.length > 0);

/** The shape with other angles, in the order of its gates. */
function withAngles(shape: Circuit, angles: Float64Array): Circuit {
  let slot = 0;
  const operations = shape.operations.map((operation) =>
    operation.kind === 'gate'
      ? { ...operation, angles: operation.angles.map(() => angles[slot++]!) }
      : operation,
  );
  if (slot !== angles.length) throw new Error(`${angles.length} angles for ${slot}.`);
  return { ...shape, operations };
}

function randomAngles(stream: RandomStream, batch: BatchExecutable, numCircuits: number) {
  return Float64Array.from({ length: numCircuits * batch.numAngles }, () => stream.angle());
}

/** Every circuit of a batch by itself. */
function circuitsOf(shape: Circuit, { angles, numCircuits }: BatchRequest): readonly Circuit[] {
  const each = angles.length / numCircuits;
  return Array.from({ length: numCircuits }, (_, k) =>
    withAngles(shape, angles.subarray(k * each, (k + 1) * each)),
  );
}

/** All qubits tilted, so that every amplitude matters, then the operations. */
function tilted(numQubits: number, operations: readonly Operation[]): Circuit {
  const tilts = Array.from({ length: numQubits }, (_, q) => gate('U', [q], [], [1, 2, 3]));
  return { numQubits, numBits: 0, operations: [...tilts, ...operations] };
}

/** Largest error of any amplitude of a batch. */
function worstOf(shape: Circuit, request: BatchRequest, { statevectors }: BatchResult): number {
  const circuits = circuitsOf(shape, request);
  const length = 2 * 2 ** shape.numQubits;
  expect(statevectors).toHaveLength(length * circuits.length);
  return Math.max(
    ...circuits.map((circuit, k) => {
      const found = statevectors!.subarray(k * length, (k + 1) * length);
      return worstAmplitude(found, finalAmplitudes(circuit));
    }),
  );
}

/** Counts as a histogram over all values of the register. */
function histogramOf({ outcomes, occurrences, numBits }: Counts): Uint32Array {
  const histogram = new Uint32Array(2 ** numBits);
  for (const [i, outcome] of outcomes.entries()) histogram[outcome] = occurrences[i]!;
  return histogram;
}

const Z0: PauliSum = [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }];

describe.each(['f32', 'f64'] as const)('batches in %s', (precision) => {
  let engine: CpuEngine;
  let reference: Engine;
  beforeAll(() => {
    // The smallest tiles: what a bundle needs does not depend on them.
    engine = openCpuEngine({ precision, numThreads: 2, maxQubits: 12, tileQubits: 8 });
    reference = openReferenceEngine({ maxQubits: 12 });
  });
  afterAll(async () => {
    await engine.close();
    await reference.close();
  });

  test.each(GATES.map(({ name }, i) => [name, i]))('apply %s', async (_, index) => {
    const stream = new RandomStream(4000 + index);
    const definition = GATES[index]!;
    for (let attempt = 0; attempt < 4; attempt++) {
      const uses = Array.from({ length: 3 }, () => randomUse(stream, definition, 5));
      const shape = tilted(5, uses);
      await using batch = await engine.prepareBatch(shape);
      const request = { numCircuits: 5, angles: randomAngles(stream, batch, 5) };
      const result = await batch.run({ ...request, statevectors: true }, NEVER);
      expect(worstOf(shape, request, result)).toBeLessThan(TOLERANCE[precision]);
    }
  });

  test.each(PARAMETRIC.map(({ name }, i) => [name, i]))(
    'apply %s from its matrices where it has no recipe',
    async (_, index) => {
      const stream = new RandomStream(4100 + index);
      const crew = new Crew({ precision, numThreads: 1, tileBytes: 4096 });
      const host = {
        crew,
        precision: PRECISIONS[precision],
        takeTurn: <T>(run: () => Promise<T>) => run(),
        takeLast: async (giveBack: () => void) => giveBack(),
      };
      const phases = [0, 1, 2, 3, 4].map((qubit) => gate('T', [qubit]));
      const uses = Array.from({ length: 3 }, () => randomUse(stream, PARAMETRIC[index]!, 5));
      const shape = tilted(5, [...phases, ...uses]);
      await using batch = prepareBatch(host, shape, {});
      const request = { numCircuits: 5, angles: randomAngles(stream, batch, 5) };
      const result = await batch.run({ ...request, statevectors: true }, NEVER);
      expect(worstOf(shape, request, result)).toBeLessThan(TOLERANCE[precision]);
    },
  );

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('run random circuits (%i)', async (seed) => {
    const stream = new RandomStream(4200 + seed);
    const numQubits = 1 + stream.below(7);
    const shape = tilted(numQubits, randomGates(stream, numQubits, 30, 4));
    await using batch = await engine.prepareBatch(shape);
    // Fewer than, as many as, and more than the lanes, and no multiple of them.
    for (const numCircuits of [1, 2, 3, 4, 6, 9]) {
      const request = { numCircuits, angles: randomAngles(stream, batch, numCircuits) };
      const result = await batch.run({ ...request, statevectors: true }, NEVER);
      expect(worstOf(shape, request, result)).toBeLessThan(2 * TOLERANCE[precision]);
    }
  });

  test.each([1, 2])('run circuits of twelve qubits (%i)', async (seed) => {
    const stream = new RandomStream(4300 + seed);
    const shape = tilted(12, randomGates(stream, 12, 20, 6));
    await using batch = await engine.prepareBatch(shape);
    const request = { numCircuits: 3, angles: randomAngles(stream, batch, 3) };
    const { statevectors } = await batch.run({ ...request, statevectors: true }, NEVER);
    for (const [k, circuit] of circuitsOf(shape, request).entries()) {
      const { statevector } = await runCircuit(reference, circuit, { statevector: true });
      const found = statevectors!.subarray(k * 8192, (k + 1) * 8192);
      expect(worstAmplitude(found, statevector!)).toBeLessThan(TOLERANCE[precision]);
    }
  });

  test.each([1, 2, 3])('give what the reference engine reads off (%i)', async (seed) => {
    const stream = new RandomStream(4400 + seed);
    const gates = tilted(4, randomGates(stream, 4, 20, 3));
    const measures: readonly Operation[] = [
      { kind: 'measure', qubits: [3, 0], bits: [1, 4] },
      { kind: 'measure', qubits: [2, 3], bits: [0, 3] },
    ];
    const shape: Circuit = {
      numQubits: 4,
      numBits: 5,
      operations: [...gates.operations, ...measures],
    };
    const observables: readonly PauliSum[] = [
      Z0,
      [],
      [{ coefficient: 2, factors: [] }],
      ...Array.from({ length: 8 }, () =>
        Array.from({ length: 2 }, () => ({
          coefficient: stream.angle(),
          factors: stream.distinct(1 + stream.below(4), 4).map((qubit) => ({
            pauli: stream.pick(['X', 'Y', 'Z'] as const),
            qubit,
          })),
        })),
      ),
    ];
    await using batch = await engine.prepareBatch(shape);
    const request = { numCircuits: 7, angles: randomAngles(stream, batch, 7), observables };
    const result = await batch.run({ ...request, probabilities: true }, NEVER);
    expect(result.statevectors).toBeUndefined();
    expect(result.counts).toBeUndefined();
    for (const [k, circuit] of circuitsOf(shape, request).entries()) {
      const ask = { probabilities: true, observables };
      const alone = await runCircuit(reference, circuit, ask);
      for (const [i, value] of alone.probabilities!.entries()) {
        const error = Math.abs(result.probabilities![32 * k + i]! - value);
        expect(error).toBeLessThan(TOLERANCE[precision]);
      }
      for (const [i, value] of alone.expectations!.entries()) {
        const found = result.expectations![observables.length * k + i]!;
        expect(Math.abs(found - value)).toBeLessThan(20 * TOLERANCE[precision]);
      }
    }
  });

  test('give each circuit the counts that it has when it runs alone', async () => {
    const stream = new RandomStream(4500);
    const gates = tilted(3, randomGates(stream, 3, 12, 2));
    const measure: Operation = { kind: 'measure', qubits: [2, 0, 1], bits: [0, 1, 3] };
    const shape: Circuit = { numQubits: 3, numBits: 4, operations: [...gates.operations, measure] };
    await using batch = await engine.prepareBatch(shape);
    const request = { numCircuits: 6, angles: randomAngles(stream, batch, 6), shots: 1001 };
    const seeds = [5, 2 ** 53 - 1, 2 ** 32, 0, 7, 5];
    const counted = await batch.run({ ...request, seed: 2 ** 40 }, NEVER);
    const seeded = await batch.run({ ...request, seeds }, NEVER);
    // A single draw next to a boundary may differ where the amplitudes do.
    const slack = precision === 'f64' ? 0 : 1;
    for (const [k, circuit] of circuitsOf(shape, request).entries()) {
      const runs = [
        { counts: counted.counts!, seed: 2 ** 40 + k },
        { counts: seeded.counts!, seed: seeds[k]! },
      ];
      for (const { counts, seed } of runs) {
        const alone = await runCircuit(engine, circuit, { shots: 1001, seed });
        for (const [outcome, occurrences] of histogramOf(alone.counts).entries()) {
          expect(Math.abs(counts[16 * k + outcome]! - occurrences)).toBeLessThanOrEqual(slack);
        }
      }
    }
  });

  test('take angles of any size', async () => {
    const sizes = [1e-300, 1e-9, 3.1, Math.PI, 50, 4000, 65_000, 70_000, 1e7, 1e15, 1e300];
    const values = sizes.flatMap((size) => [size, -size]);
    const shape = tilted(1, [gate('RX', [0], [], [0]), gate('P', [0], [], [0])]);
    await using batch = await engine.prepareBatch(shape);
    const angles = Float64Array.from(values.flatMap((x) => [1, 2, 3, x, x]));
    const request = { numCircuits: values.length, angles };
    const result = await batch.run({ ...request, statevectors: true }, NEVER);
    // Two gates' rounding, of which the angles' own is a part.
    const tolerance = precision === 'f64' ? 3e-15 : 4e-7;
    expect(worstOf(shape, request, result)).toBeLessThan(tolerance);
  });

  test('give the same bits on any number of threads', async () => {
    const stream = new RandomStream(4600);
    const gates = tilted(6, randomGates(stream, 6, 30, 3));
    const measure: Operation = { kind: 'measure', qubits: [0, 5], bits: [0, 1] };
    const shape: Circuit = { numQubits: 6, numBits: 2, operations: [...gates.operations, measure] };
    const results: BatchResult[] = [];
    for (const numThreads of [1, 2, 3]) {
      const other = openCpuEngine({ precision, numThreads, maxQubits: 12 });
      const batch = await other.prepareBatch(shape);
      const angles = randomAngles(new RandomStream(4601), batch, 2001);
      const request = { numCircuits: 2001, angles, shots: 10, observables: [Z0] };
      const all = { ...request, probabilities: true, statevectors: true };
      // The second run finds its helpers awake.
      await batch.run(all, NEVER);
      results.push(await batch.run(all, NEVER));
      await other.close();
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });

  test('run more circuits than are in shared memory at a time', async () => {
    const operations: readonly Operation[] = [
      gate('RX', [0], [], [0]),
      { kind: 'measure', qubits: [0], bits: [0] },
    ];
    await using batch = await engine.prepareBatch({ numQubits: 1, numBits: 1, operations });
    const numCircuits = 500_001;
    const angles = Float64Array.from({ length: numCircuits }, (_, k) => k);
    const request = { numCircuits, angles, observables: [Z0], shots: 20, seed: 3 };
    const { expectations, counts } = await batch.run(request, NEVER);
    const wrong = expectations!.findIndex((z, k) => !(Math.abs(z - Math.cos(k)) <= 1e-5));
    expect(wrong).toBe(-1);
    const last = { numCircuits: 1, angles: angles.slice(-1), shots: 20, seed: 3 + numCircuits - 1 };
    const alone = await batch.run(last, NEVER);
    expect([...counts!.slice(-2)]).toEqual([...alone.counts!]);
  });
});

describe('a batch', () => {
  let engine: CpuEngine;
  beforeAll(() => {
    engine = openCpuEngine({ precision: 'f32', numThreads: 2, maxQubits: 14 });
  });
  afterAll(() => engine.close());
  const shape = tilted(2, []);

  test('may have no circuit', async () => {
    await using batch = await engine.prepareBatch(shape);
    const request = { numCircuits: 0, angles: new Float64Array(0), shots: 5, observables: [Z0] };
    const { counts, expectations } = await batch.run(request, NEVER);
    expect(counts).toHaveLength(0);
    expect(expectations).toHaveLength(0);
  });

  test('reads 0 where nothing is measured', async () => {
    await using batch = await engine.prepareBatch(shape);
    const request = { numCircuits: 2, angles: new Float64Array(12), shots: 5, probabilities: true };
    const { counts, probabilities } = await batch.run(request, NEVER);
    expect([...counts!]).toEqual([5, 5]);
    for (const probability of probabilities!) expect(probability).toBeCloseTo(1, 5);
  });

  test('may have no angles', async () => {
    const operations: readonly Operation[] = [
      gate('X', [1]),
      { kind: 'measure', qubits: [0, 1], bits: [0, 1] },
    ];
    await using batch = await engine.prepareBatch({ numQubits: 2, numBits: 2, operations });
    expect(batch.numAngles).toBe(0);
    const request = { numCircuits: 1, angles: new Float64Array(0), shots: 3 };
    const { counts } = await batch.run(request, NEVER);
    expect([...counts!]).toEqual([0, 0, 3, 0]);
  });

  test('is cancelled while it runs, and the engine goes on', async () => {
    const wide = tilted(10, randomGates(new RandomStream(4700), 10, 40, 3));
    await using batch = await engine.prepareBatch(wide);
    const numCircuits = 20_000;
    const angles = new Float64Array(numCircuits * batch.numAngles);
    const controller = new AbortController();
    const run = batch.run({ numCircuits, angles, observables: [Z0] }, controller.signal);
    const reason = new Error('enough');
    setImmediate(() => controller.abort(reason));
    await expect(run).rejects.toBe(reason);
    const one = { numCircuits: 1, angles: angles.subarray(0, batch.numAngles) };
    const { expectations } = await batch.run({ ...one, observables: [Z0] }, NEVER);
    expect(expectations).toHaveLength(1);
  });

  test.each<[string, readonly Operation[]]>([
    ['a measurement in mid-circuit', [{ kind: 'measure', qubits: [0], bits: [0] }, gate('H', [0])]],
    ['a reset', [{ kind: 'reset', qubits: [0] }]],
    ['a condition', [{ ...gate('X', [0]), condition: { bits: [0], value: 0 } }]],
  ])('is refused with %s', async (_, operations) => {
    const prepared = engine.prepareBatch({ numQubits: 1, numBits: 1, operations });
    await expect(prepared).rejects.toMatchObject({ code: 'ENGINE_OUTPUT_NEEDS_FINAL_STATE' });
  });

  test('is refused with more than twelve qubits', async () => {
    const prepared = engine.prepareBatch({ numQubits: 13, numBits: 0, operations: [] });
    await expect(prepared).rejects.toMatchObject({ code: 'ENGINE_PROGRAM_TOO_WIDE' });
  });

  test('is refused over more bits than can be listed', async () => {
    await using batch = await engine.prepareBatch({ numQubits: 1, numBits: 17, operations: [] });
    const request = { numCircuits: 1, angles: new Float64Array(0) };
    const code = 'ENGINE_TOO_MANY_OUTCOMES';
    for (const ask of [{ shots: 1 }, { probabilities: true }]) {
      await expect(batch.run({ ...request, ...ask }, NEVER)).rejects.toMatchObject({ code });
    }
  });

  const angles = new Float64Array(12);
  const broken = (value: number) => Float64Array.from(angles, (_, i) => (i === 7 ? value : 0));
  const onQubit2: PauliSum = [{ coefficient: 1, factors: [{ pauli: 'X', qubit: 2 }] }];
  test.each<[string, string, Partial<BatchRequest>]>([
    ['too few angles', 'angles', { angles: new Float64Array(11) }],
    ['an angle that is NaN', 'angles[7]', { angles: broken(Number.NaN) }],
    ['an infinite angle', 'angles[7]', { angles: broken(Number.NEGATIVE_INFINITY) }],
    ['a part of a circuit', 'numCircuits', { numCircuits: 1.5 }],
    ['more shots than a circuit may have', 'shots', { shots: 1_000_001 }],
    ['a negative seed', 'seed', { shots: 1, seed: -1 }],
    ['a seed that the last circuit would exceed', 'seed', { shots: 1, seed: 2 ** 53 - 1 }],
    ['too many seeds', 'seeds', { shots: 1, seeds: [1, 2, 3] }],
    ['a seed that is no whole number', 'seeds[1]', { shots: 1, seeds: [1, 0.5] }],
    ['an observable on a qubit that is not there', 'observables[0]', { observables: [onQubit2] }],
  ])('refuses %s', async (_, path, ask) => {
    await using batch = await engine.prepareBatch(shape);
    const run = batch.run({ numCircuits: 2, angles, ...ask }, NEVER);
    await expect(run).rejects.toMatchObject({ code: 'ENGINE_BATCH_INVALID', faults: [{ path }] });
  });

  test('refuses a result that is too long to give', async () => {
    await using batch = await engine.prepareBatch({ numQubits: 12, numBits: 0, operations: [] });
    const request = { numCircuits: 2 ** 16, angles: new Float64Array(0), statevectors: true };
    const run = batch.run(request, NEVER);
    await expect(run).rejects.toMatchObject({ faults: [{ path: 'numCircuits' }] });
  });
});
