/**
 * Validation of batch requests, for every engine. One short file for each engine runs the suite.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../src/circuit/circuit.ts';
import type { PauliSum } from '../../src/circuit/observable.ts';
import type { BatchRequest } from '../../src/engine/batch-request.ts';
import { type BatchEngine, tilted } from '../support/batches.ts';
import { NEVER } from '../support/engine-runs.ts';
import { gate, randomGates } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';

const Z0: PauliSum = [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }];

/** Registers the suite for one engine. */
export function describeBatchRequests(name: string, open: () => Promise<BatchEngine>): void {
  describe(`a batch: ${name}`, () => {
    let engine: BatchEngine;
    beforeAll(async () => {
      engine = await open();
    });
    afterAll(() => engine.close());
    const shape = tilted(2, []);

    test('may have no circuit', async () => {
      await using batch = await engine.prepare.batch(shape);
      const request = { numCircuits: 0, angles: new Float64Array(0), shots: 5, observables: [Z0] };
      const { counts, expectations } = await batch.run(request, NEVER);
      expect(counts).toHaveLength(0);
      expect(expectations).toHaveLength(0);
    });

    test('reads 0 where nothing is measured', async () => {
      await using batch = await engine.prepare.batch(shape);
      const request = {
        numCircuits: 2,
        angles: new Float64Array(12),
        shots: 5,
        probabilities: true,
      };
      const { counts, probabilities } = await batch.run(request, NEVER);
      expect([...counts!]).toEqual([5, 5]);
      for (const probability of probabilities!) expect(probability).toBeCloseTo(1, 5);
    });

    test('may have no angles', async () => {
      const operations: readonly Operation[] = [
        gate('X', [1]),
        { kind: 'measure', qubits: [0, 1], bits: [0, 1] },
      ];
      await using batch = await engine.prepare.batch({ numQubits: 2, numBits: 2, operations });
      expect(batch.numAngles).toBe(0);
      const request = { numCircuits: 1, angles: new Float64Array(0), shots: 3 };
      const { counts } = await batch.run(request, NEVER);
      expect([...counts!]).toEqual([0, 0, 3, 0]);
    });

    test('is cancelled while it runs, and the engine goes on', async () => {
      const wide = tilted(10, randomGates(new RandomStream(4700), 10, 40, 3));
      await using batch = await engine.prepare.batch(wide);
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
      [
        'a measurement in mid-circuit',
        [{ kind: 'measure', qubits: [0], bits: [0] }, gate('H', [0])],
      ],
      ['a reset', [{ kind: 'reset', qubits: [0] }]],
      ['a condition', [{ ...gate('X', [0]), condition: { bits: [0], value: 0 } }]],
    ])('is refused with %s', async (_, operations) => {
      const prepared = engine.prepare.batch({ numQubits: 1, numBits: 1, operations });
      await expect(prepared).rejects.toMatchObject({ code: 'ENGINE_OUTPUT_NEEDS_FINAL_STATE' });
    });

    test('is refused with more than twelve qubits', async () => {
      const prepared = engine.prepare.batch({ numQubits: 13, numBits: 0, operations: [] });
      await expect(prepared).rejects.toMatchObject({ code: 'ENGINE_PROGRAM_TOO_WIDE' });
    });

    test('is refused over more bits than can be listed', async () => {
      await using batch = await engine.prepare.batch({ numQubits: 1, numBits: 17, operations: [] });
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
      await using batch = await engine.prepare.batch(shape);
      const run = batch.run({ numCircuits: 2, angles, ...ask }, NEVER);
      await expect(run).rejects.toMatchObject({ code: 'ENGINE_BATCH_INVALID', faults: [{ path }] });
    });

    test('refuses a result that is too long to give', async () => {
      await using batch = await engine.prepare.batch({ numQubits: 12, numBits: 0, operations: [] });
      const request = { numCircuits: 2 ** 16, angles: new Float64Array(0), statevector: true };
      const run = batch.run(request, NEVER);
      await expect(run).rejects.toMatchObject({ faults: [{ path: 'numCircuits' }] });
    });
  });
}
