/**
 * Results of batches, for every engine: compared with the state oracle, the reference engine, and
 * the same circuits run alone. One short file for each engine runs the suite.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../src/circuit/circuit.ts';
import { GATES } from '../../src/circuit/gates.ts';
import type { PauliSum } from '../../src/circuit/observable.ts';
import type { Counts, Engine } from '../../src/engine/engine.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { type BatchEngine, circuitsOf, randomAngles, tilted, worstOf } from '../support/batches.ts';
import { NEVER, runCircuit, worstAmplitude } from '../support/engine-runs.ts';
import { gate, randomGates, randomUnitary, randomUse } from '../support/random-circuits.ts';
import { randomSum, sharedFlips } from '../support/random-observables.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';

/** The engine's accuracy of batches. */
export interface BatchClaims {
  /** Largest error of an amplitude after some 30 gates. */
  readonly tolerance: number;
  /** More than the engine takes at a time. */
  readonly manyCircuits: number;
  /** Whether counts are those of double precision. */
  readonly hasExactCounts: boolean;
}

/** Counts as a histogram over all values of the register. */
function histogramOf({ outcomes, occurrences, numBits }: Counts): Uint32Array {
  const histogram = new Uint32Array(2 ** numBits);
  for (const [i, outcome] of outcomes.entries()) histogram[outcome] = occurrences[i]!;
  return histogram;
}

const Z0: PauliSum = [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }];

/** Registers the suite for one engine. */
export function describeBatches(
  name: string,
  open: () => Promise<BatchEngine>,
  { tolerance, manyCircuits, hasExactCounts }: BatchClaims,
): void {
  describe(`batches: ${name}`, () => {
    let engine: BatchEngine;
    let reference: Engine;
    beforeAll(async () => {
      engine = await open();
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
        await using batch = await engine.prepare.batch(shape);
        const request = { numCircuits: 5, angles: randomAngles(stream, batch, 5) };
        const result = await batch.run({ ...request, statevector: true }, NEVER);
        expect(worstOf(shape, request, result)).toBeLessThan(tolerance);
      }
    });

    testSeeds('run random circuits', seeds(2), async (seed) => {
      const stream = new RandomStream(4200 + seed);
      const numQubits = 1 + stream.below(7);
      const shape = tilted(numQubits, randomGates(stream, numQubits, 30, 4));
      await using batch = await engine.prepare.batch(shape);
      // Fewer than, as many as, and more than the lanes, and no multiple of them.
      for (const numCircuits of [1, 2, 3, 4, 6, 9]) {
        const request = { numCircuits, angles: randomAngles(stream, batch, numCircuits) };
        const result = await batch.run({ ...request, statevector: true }, NEVER);
        expect(worstOf(shape, request, result)).toBeLessThan(2 * tolerance);
      }
    });

    test.each([8, 11, 12])('run circuits of %i qubits', async (numQubits) => {
      const stream = new RandomStream(4300 + numQubits);
      const shape = tilted(numQubits, randomGates(stream, numQubits, 20, 2));
      await using batch = await engine.prepare.batch(shape);
      const request = { numCircuits: 2, angles: randomAngles(stream, batch, 2) };
      const { statevectors } = await batch.run({ ...request, statevector: true }, NEVER);
      const length = 2 * 2 ** numQubits;
      for (const [k, circuit] of circuitsOf(shape, request).entries()) {
        const { statevector } = await runCircuit(reference, circuit, { statevector: true });
        const found = statevectors!.subarray(k * length, (k + 1) * length);
        expect(worstAmplitude(found, statevector!)).toBeLessThan(tolerance);
      }
    });

    test('apply unitaries of six targets', async () => {
      const stream = new RandomStream(4350);
      const targets = [6, 2, 0, 5, 1, 3];
      const unitary: Operation = {
        kind: 'unitary',
        controls: [4],
        targets,
        matrix: randomUnitary(stream, 6),
      };
      const shape = tilted(7, [unitary]);
      await using batch = await engine.prepare.batch(shape);
      const request = { numCircuits: 2, angles: randomAngles(stream, batch, 2) };
      const result = await batch.run({ ...request, statevector: true }, NEVER);
      expect(worstOf(shape, request, result)).toBeLessThan(tolerance);
    });

    testSeeds('give what the reference engine reads off', seeds(1), async (seed) => {
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
      await using batch = await engine.prepare.batch(shape);
      const request = { numCircuits: 7, angles: randomAngles(stream, batch, 7), observables };
      const result = await batch.run({ ...request, probabilities: true }, NEVER);
      expect(result.statevectors).toBeUndefined();
      expect(result.counts).toBeUndefined();
      for (const [k, circuit] of circuitsOf(shape, request).entries()) {
        const ask = { probabilities: true, observables };
        const alone = await runCircuit(reference, circuit, ask);
        for (const [i, value] of alone.probabilities!.entries()) {
          const error = Math.abs(result.probabilities![32 * k + i]! - value);
          expect(error).toBeLessThan(tolerance);
        }
        for (const [i, value] of alone.expectations!.entries()) {
          const found = result.expectations![observables.length * k + i]!;
          expect(Math.abs(found - value)).toBeLessThan(20 * tolerance);
        }
      }
    });

    test.each([
      [1, 3],
      [2, 8],
      [6, 60],
      [9, 300],
      [12, 40],
    ])('on %i qubits give both moments of sums of %i strings', async (numQubits, numTerms) => {
      const stream = new RandomStream(4700 + numQubits);
      const shape = tilted(numQubits, randomGates(stream, numQubits, 12, 1));
      const many = sharedFlips(stream, numQubits, numTerms);
      const observables = [
        many,
        [{ coefficient: 2, factors: [] }],
        randomSum(stream, numQubits, 5),
        [...many].reverse(),
        many.slice(0, 1),
      ];
      await using batch = await engine.prepare.batch(shape);
      const request = { numCircuits: 3, angles: randomAngles(stream, batch, 3), observables };
      const result = await batch.run({ ...request, variances: true, shots: 5 }, NEVER);
      expect(result.variances).toHaveLength(3 * observables.length);
      for (const [k, circuit] of circuitsOf(shape, request).entries()) {
        const ask = { observables, variances: true };
        const { expectations, variances } = await runCircuit(reference, circuit, ask);
        for (const [i, observable] of observables.entries()) {
          const size = observable.reduce((sum, { coefficient }) => sum + Math.abs(coefficient), 0);
          const at = observables.length * k + i;
          const error = Math.abs(result.expectations![at]! - expectations![i]!);
          expect(error).toBeLessThan(tolerance * size);
          const varianceError = Math.abs(result.variances![at]! - variances![i]!);
          expect(varianceError).toBeLessThan(tolerance * size ** 2);
        }
        // Of a multiple of the identity.
        expect(result.variances![observables.length * k + 1]).toBeGreaterThanOrEqual(0);
        expect(result.variances![observables.length * k + 1]).toBeLessThan(tolerance ** 2);
      }
    });

    test('give each circuit the counts that it has when it runs alone', async () => {
      const stream = new RandomStream(4500);
      const gates = tilted(3, randomGates(stream, 3, 12, 2));
      const measure: Operation = { kind: 'measure', qubits: [2, 0, 1], bits: [0, 1, 3] };
      const shape: Circuit = {
        numQubits: 3,
        numBits: 4,
        operations: [...gates.operations, measure],
      };
      await using batch = await engine.prepare.batch(shape);
      const request = { numCircuits: 6, angles: randomAngles(stream, batch, 6), shots: 1001 };
      const seeds = [5, 2 ** 53 - 1, 2 ** 32, 0, 7, 5];
      const counted = await batch.run({ ...request, seed: 2 ** 40 }, NEVER);
      const seeded = await batch.run({ ...request, seeds }, NEVER);
      // A single draw next to a boundary may differ where the amplitudes do.
      const slack = hasExactCounts ? 0 : 1;
      for (const [k, circuit] of circuitsOf(shape, request).entries()) {
        const runs = [
          { counts: counted.counts!, seed: 2 ** 40 + k },
          { counts: seeded.counts!, seed: seeds[k]! },
        ];
        for (const { counts, seed } of runs) {
          const alone = await runCircuit(reference, circuit, { shots: 1001, seed });
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
      await using batch = await engine.prepare.batch(shape);
      const angles = Float64Array.from(values.flatMap((x) => [1, 2, 3, x, x]));
      const request = { numCircuits: values.length, angles };
      const result = await batch.run({ ...request, statevector: true }, NEVER);
      // Two gates' rounding, of which the angles' own is a part.
      const rounding = tolerance < 1e-9 ? 3e-15 : 4e-7;
      expect(worstOf(shape, request, result)).toBeLessThan(rounding);
    });

    test('run more circuits than are taken at a time', async () => {
      const operations: readonly Operation[] = [
        gate('RX', [0], [], [0]),
        { kind: 'measure', qubits: [0], bits: [0] },
      ];
      await using batch = await engine.prepare.batch({ numQubits: 1, numBits: 1, operations });
      const numCircuits = manyCircuits;
      const angles = Float64Array.from({ length: numCircuits }, (_, k) => k);
      const request = { numCircuits, angles, observables: [Z0], shots: 20, seed: 3 };
      const { expectations, counts } = await batch.run(request, NEVER);
      const wrong = expectations!.findIndex((z, k) => !(Math.abs(z - Math.cos(k)) <= 1e-5));
      expect(wrong).toBe(-1);
      const last = {
        numCircuits: 1,
        angles: angles.slice(-1),
        shots: 20,
        seed: 3 + numCircuits - 1,
      };
      const alone = await batch.run(last, NEVER);
      expect([...counts!.slice(-2)]).toEqual([...alone.counts!]);
    });
  });
}
