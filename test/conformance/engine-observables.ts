/** Exact expectation values and variances of Pauli sums. */
import { expect, test } from 'vitest';
import type { Circuit, Operation } from '../../src/circuit/circuit.ts';
import type { PauliSum } from '../../src/circuit/observable.ts';
import { applyObservable } from '../../src/workloads/algorithms/hamiltonians/observable-action.ts';
import { runCircuit } from '../support/engine-runs.ts';
import { gate, randomGates } from '../support/random-circuits.ts';
import { randomSum, sharedFlips } from '../support/random-observables.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { applied, finalAmplitudes } from '../support/state-oracle.ts';
import type { EngineUnderTest } from './engine-suite.ts';

/** ⟨ψ|O|ψ⟩ by applying each Pauli as a gate. */
function exactExpectation(amplitudes: Float64Array, observable: PauliSum): number {
  return observable.reduce((sum, { coefficient, factors }) => {
    const image = factors.reduce(
      (state, { pauli, qubit }) => applied(state, gate(pauli, [qubit])),
      amplitudes,
    );
    return sum + coefficient * amplitudes.reduce((dot, part, i) => dot + part * image[i]!, 0);
  }, 0);
}

/** ⟨O⟩ and ‖(O − ⟨O⟩)ψ‖². */
function exactMoments(amplitudes: Float64Array, observable: PauliSum) {
  const image = new Float64Array(amplitudes.length);
  const mean = applyObservable(observable, amplitudes, image);
  const variance = image.reduce((sum, x, i) => sum + (x - mean * amplitudes[i]!) ** 2, 0);
  return { mean, variance };
}

/** Largest absolute value that the observable can have, or more. */
function sizeOf(observable: PauliSum): number {
  return observable.reduce((sum, { coefficient }) => sum + Math.abs(coefficient), 0);
}

const X0: PauliSum = [{ coefficient: -3, factors: [{ pauli: 'X', qubit: 0 }] }];

/** Tests of an engine's observables. */
export function describeObservables({ engine, tolerance }: EngineUnderTest): void {
  testSeeds('gives exact expectation values of Pauli sums', seeds(1), async (seed) => {
    const stream = new RandomStream(700 + seed);
    const circuit: Circuit = {
      numQubits: 5,
      numBits: 0,
      operations: randomGates(stream, 5, 20, 2),
    };
    const observables = Array.from({ length: 6 }, () => randomSum(stream, 5, 3));
    const { expectations } = await runCircuit(engine(), circuit, { observables });
    const amplitudes = finalAmplitudes(circuit);
    expect(expectations).toHaveLength(observables.length);
    for (const [i, observable] of observables.entries()) {
      const error = Math.abs(expectations![i]! - exactExpectation(amplitudes, observable));
      expect(error).toBeLessThan(tolerance * sizeOf(observable));
    }
  });

  testSeeds('gives both moments of sums of many strings', seeds(1), async (seed) => {
    const stream = new RandomStream(720 + seed);
    const operations: readonly Operation[] = [
      ...Array.from({ length: 11 }, (_, qubit) => gate('RY', [qubit], [], [stream.angle()])),
      ...randomGates(stream, 11, 15, 2),
    ];
    const circuit: Circuit = { numQubits: 11, numBits: 0, operations };
    const many = sharedFlips(stream, 11, 200);
    const observables = [
      many,
      randomSum(stream, 11, 30),
      [...many].reverse(),
      many.slice(0, 1),
      [...many.slice(0, 1), ...many.slice(0, 1), { coefficient: 5, factors: [] }],
    ];
    const { expectations, variances } = await runCircuit(engine(), circuit, {
      observables,
      variances: true,
    });
    const amplitudes = finalAmplitudes(circuit);
    expect(variances).toHaveLength(observables.length);
    for (const [i, observable] of observables.entries()) {
      const { mean, variance } = exactMoments(amplitudes, observable);
      const size = sizeOf(observable);
      expect(Math.abs(expectations![i]! - mean)).toBeLessThan(tolerance * size);
      expect(Math.abs(variances![i]! - variance)).toBeLessThan(tolerance * size ** 2);
    }
  });

  test('gives eigenstates a variance of 0', async () => {
    // A GHZ state, and multiples of strings that leave it as it is.
    const operations = [
      gate('H', [0]),
      ...[0, 1, 2, 3].map((q) => gate('X', [q + 1], [q])),
      gate('S', [2]),
      gate('SDG', [4]),
    ];
    const circuit: Circuit = { numQubits: 5, numBits: 0, operations };
    const stabilisers: PauliSum = [
      ...[0, 1, 2, 3].map((qubit) => ({
        coefficient: 1.5 + qubit,
        factors: [qubit, qubit + 1].map((q) => ({ pauli: 'Z' as const, qubit: q })),
      })),
      {
        coefficient: -0.7,
        factors: [
          ...[0, 1, 3].map((qubit) => ({ pauli: 'X' as const, qubit })),
          ...[2, 4].map((qubit) => ({ pauli: 'Y' as const, qubit })),
        ],
      },
    ];
    const identity: PauliSum = [{ coefficient: 4, factors: [] }];
    const observables = [stabilisers, stabilisers.slice(0, 1), identity, [], X0];
    const { expectations, variances } = await runCircuit(engine(), circuit, {
      observables,
      variances: true,
    });
    const amplitudes = finalAmplitudes(circuit);
    expect(expectations![0]).toBeCloseTo(exactMoments(amplitudes, stabilisers).mean, 4);
    expect(exactMoments(amplitudes, stabilisers).variance).toBeLessThan(1e-20);
    expect(variances![0]).toBeGreaterThanOrEqual(0);
    expect(variances![0]).toBeLessThan(tolerance ** 2 * sizeOf(stabilisers) ** 2);
    expect(variances![1]).toBeLessThan(tolerance * 1.5 ** 2);
    expect(variances!.slice(2, 4)).toEqual([0, 0]);
    expect(Math.abs(variances![4]! - 9)).toBeLessThan(9 * tolerance);
  });

  test('gives the moments of the state before any gate', async () => {
    const circuit: Circuit = { numQubits: 2, numBits: 0, operations: [] };
    const observables: readonly PauliSum[] = [
      [...X0, { coefficient: 2, factors: [{ pauli: 'Z', qubit: 1 }] }],
    ];
    const asked = { observables, variances: true };
    const { expectations, variances } = await runCircuit(engine(), circuit, asked);
    expect(expectations![0]).toBeCloseTo(2, 5);
    expect(variances![0]).toBeCloseTo(9, 4);
  });

  test('keeps the state when it gives variances', async () => {
    const circuit: Circuit = { numQubits: 2, numBits: 1, operations: [gate('X', [1])] };
    const withMeasure: Circuit = {
      ...circuit,
      operations: [...circuit.operations, { kind: 'measure', qubits: [1], bits: [0] }],
    };
    const observables = [randomSum(new RandomStream(5), 2, 6)];
    const asked = { shots: 10, observables, variances: true };
    const { counts } = await runCircuit(engine(), withMeasure, asked);
    expect([...counts.outcomes]).toEqual([1]);
  });
}
