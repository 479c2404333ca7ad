/** Circuits to differentiate, and the slow, plain ways that derivatives are held to. */
import { numAnglesOf, type Operation, withAngles } from '../../src/circuit/circuit.ts';
import { GATES } from '../../src/circuit/gates.ts';
import type { PauliSum } from '../../src/circuit/observable.ts';
import type { ExpectationBatch } from '../../src/workloads/algorithms/training/gradients.ts';
import {
  type AngleTerm,
  anglesOf,
  type ParametricCircuit,
  parametricCircuit,
} from '../../src/workloads/algorithms/training/parametric-circuit.ts';
import { gate, randomUnitary, randomUnitaryUse, randomUse } from './random-circuits.ts';
import type { RandomStream } from './random-stream.ts';
import { applied, finalAmplitudes } from './state-oracle.ts';

/** ⟨ψ|O|ψ⟩, each Pauli applied as the gate that it is. */
export function expectationOf(state: Float64Array, observable: PauliSum): number {
  let sum = 0;
  for (const { coefficient, factors } of observable) {
    let moved = state;
    for (const { pauli, qubit } of factors) moved = applied(moved, gate(pauli, [qubit]));
    for (let i = 0; i < state.length; i++) sum += coefficient * state[i]! * moved[i]!;
  }
  return sum;
}

/** Expectation values from the oracle. */
export const oracleExpectations: ExpectationBatch = async (
  shape,
  angles,
  numCircuits,
  observables,
) => {
  const each = angles.length / numCircuits;
  const values: number[] = [];
  for (let k = 0; k < numCircuits; k++) {
    const row = angles.subarray(k * each, (k + 1) * each);
    const state = finalAmplitudes(withAngles(shape, row));
    for (const observable of observables) values.push(expectationOf(state, observable));
  }
  return Float64Array.from(values);
};

/** A random Hermitian observable with an X, a Y, a Z and an identity somewhere. */
export function randomObservable(stream: RandomStream, numQubits: number): PauliSum {
  const paulis = ['X', 'Y', 'Z'] as const;
  const terms = paulis.map((pauli) => {
    const [first = 0, ...others] = stream.distinct(1 + stream.below(numQubits), numQubits);
    const rest = others.map((qubit) => ({ pauli: stream.pick(paulis), qubit }));
    return { coefficient: stream.normal(), factors: [{ pauli, qubit: first }, ...rest] };
  });
  return [...terms, { coefficient: stream.normal(), factors: [] }];
}

/** Operations with a random form for each angle; qubits are tilted first, so that all matters. */
export function randomForms(
  stream: RandomStream,
  numQubits: number,
  operations: readonly Operation[],
): ParametricCircuit {
  const tilts = Array.from({ length: numQubits }, (_, q) => randomTilt(stream, q));
  const shape = { numQubits, numBits: 0, operations: [...tilts, ...operations] };
  const [numParameters, numFeatures] = [3, 2];
  const randomTerm = (): AngleTerm => ({
    coefficient: stream.normal(),
    ...(stream.below(4) > 0 ? { parameter: stream.below(numParameters) } : {}),
    ...(stream.below(2) > 0 ? { feature: stream.below(numFeatures) } : {}),
  });
  const angles = Array.from({ length: numAnglesOf(shape) }, () => ({
    offset: stream.angle(),
    terms: Array.from({ length: stream.below(3) }, randomTerm),
  }));
  return parametricCircuit({ shape, numParameters, numFeatures, angles });
}

function randomTilt(stream: RandomStream, qubit: number) {
  return gate('U', [qubit], [], [stream.angle(), stream.angle(), stream.angle()]);
}

/** Gates of the table, with further controls, and unitaries. */
export function randomParametricCircuit(stream: RandomStream, numQubits: number) {
  const operations = Array.from({ length: 8 }, () =>
    stream.below(4) === 0
      ? randomUnitaryUse(stream, randomUnitary(stream, 1 + stream.below(2)), numQubits)
      : randomUse(stream, stream.pick(GATES), numQubits),
  );
  return randomForms(stream, numQubits, operations);
}

/** A row of inputs or parameters. */
export function randomRow(stream: RandomStream, length: number): Float64Array {
  return Float64Array.from({ length }, () => stream.normal());
}

/** Central differences: gradients as `ExpectationGradients` has them, to about 1e-9. */
export async function centralDifferences(
  circuit: ParametricCircuit,
  theta: Float64Array,
  rows: readonly Float64Array[],
  observables: readonly PauliSum[],
): Promise<readonly number[]> {
  const step = 1e-5;
  const gradients: number[] = [];
  for (const x of rows) {
    const valuesAt = (parameter: number, by: number) => {
      const moved = theta.with(parameter, theta[parameter]! + by);
      return oracleExpectations(circuit.shape, anglesOf(circuit, moved, x), 1, observables);
    };
    const slopes = await Promise.all(
      Array.from(theta, async (_, p) => {
        const [up, down] = [await valuesAt(p, step), await valuesAt(p, -step)];
        return up.map((value, o) => (value - down[o]!) / (2 * step));
      }),
    );
    for (const o of observables.keys()) {
      for (const slope of slopes) gradients.push(slope[o]!);
    }
  }
  return gradients;
}

/** The largest |a_i − b_i|; infinite where lengths differ. */
export function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  let worst = 0;
  // Not Math.max alone, which a NaN would leave as it is only by luck.
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i]! - b[i]!);
    if (!(difference <= worst)) worst = difference;
  }
  return worst;
}
