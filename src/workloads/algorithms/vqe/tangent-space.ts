/**
 * Computes the derivatives of trial states by their parameters, from whole states.
 *
 * Replacing θ by θ + π in e^{−iθP/2} multiplies it by −iP, which is twice its derivative. So the
 * derivative of a state by an angle is half the state with that angle increased by π, and all derivatives
 * run as one batch. A simulator can return whole states; a device would have to estimate their overlaps.
 *
 * @see Stokes, Izaac, Killoran, Carleo, "Quantum natural gradient" (2020).
 */

import type { Circuit } from '../../../circuit/circuit.ts';
import type { PauliSum } from '../../../circuit/observable.ts';
import { sumOfAngles } from '../../../math/angles.ts';
import type { Runner } from '../../procedures/procedure-context.ts';
import { applyObservable } from '../hamiltonians/observable-action.ts';
import { dot, removeProjection } from '../linear-algebra/vectors.ts';
import type { TangentSpace } from '../optimisers/levenberg-marquardt.ts';
import { anglesOf, type ParametricCircuit } from '../training/parametric-circuit.ts';

/** Most numbers in the states of one batch. */
const MAX_NUMBERS = 2 ** 20;

/** Gates whose derivative is a shift by π. */
const ROTATIONS = new Set(['RX', 'RY', 'RZ', 'RXX', 'RYY', 'RZZ']);

/** The tangent space at a point; every gate with an angle is a rotation about Paulis. */
export async function tangentSpace(
  ansatz: ParametricCircuit,
  hamiltonian: PauliSum,
  circuits: Runner,
  point: Float64Array,
): Promise<TangentSpace> {
  checkRotations(ansatz.shape);
  const { numParameters } = ansatz;
  const length = 2 * 2 ** ansatz.shape.numQubits;
  const angles = anglesOf(ansatz, point, []);
  const derivatives = Array.from({ length: numParameters }, () => new Float64Array(length));
  let state: Float64Array = new Float64Array(length);
  const perBatch = Math.max(1, Math.floor(MAX_NUMBERS / length));
  // Circuit 0 is the state itself, circuit i + 1 has angle i turned.
  for (let from = 0; from <= angles.length; from += perBatch) {
    const count = Math.min(perBatch, angles.length + 1 - from);
    const states = await turnedStates(ansatz.shape, angles, from, count, circuits);
    for (let k = 0; k < count; k++) {
      const turned = states.subarray(k * length, (k + 1) * length);
      if (from + k === 0) state = turned.slice();
      else addDerivative(ansatz, from + k - 1, turned, derivatives);
    }
  }
  return tangents(hamiltonian, state, derivatives);
}

function checkRotations({ operations }: Circuit): void {
  for (const operation of operations) {
    if (operation.kind !== 'gate' || operation.angles.length === 0) continue;
    if (!ROTATIONS.has(operation.gate) || operation.controls.length > 0) {
      throw new Error(`unreachable: an ansatz with ${operation.gate}`);
    }
  }
}

async function turnedStates(
  shape: Circuit,
  angles: Float64Array,
  from: number,
  count: number,
  circuits: Runner,
): Promise<Float64Array> {
  const all = new Float64Array(count * angles.length);
  for (let k = 0; k < count; k++) {
    all.set(angles, k * angles.length);
    const turned = from + k - 1;
    if (turned >= 0) all[k * angles.length + turned] = sumOfAngles(angles[turned]!, Math.PI);
  }
  const result = await circuits.run(shape, {
    numCircuits: count,
    angles: all,
    statevector: true,
  });
  if (result.statevectors === undefined) throw new Error('unreachable: no states came back');
  return result.statevectors;
}

/** Chain rule: each parameter's derivative is the sum of those of its angles. */
function addDerivative(
  { angles }: ParametricCircuit,
  angle: number,
  turned: Float64Array,
  derivatives: readonly Float64Array[],
): void {
  for (const { coefficient, parameter } of angles[angle]!.terms) {
    if (parameter === undefined) continue;
    const out = derivatives[parameter]!;
    for (let i = 0; i < out.length; i++) out[i]! += 0.5 * coefficient * turned[i]!;
  }
}

function tangents(
  hamiltonian: PauliSum,
  state: Float64Array,
  derivatives: readonly Float64Array[],
): TangentSpace {
  const n = derivatives.length;
  const image = new Float64Array(state.length);
  const value = applyObservable(hamiltonian, state, image);
  const gradient = Float64Array.from(derivatives, (derivative) => 2 * dot(derivative, image));
  for (const derivative of derivatives) removeProjection(derivative, state);
  const curvature = new Float64Array(n * n);
  const metric = new Float64Array(n * n);
  for (let p = 0; p < n; p++) {
    applyObservable(hamiltonian, derivatives[p]!, image);
    for (let q = 0; q <= p; q++) {
      const overlap = 2 * dot(derivatives[q]!, derivatives[p]!);
      const energy = 2 * dot(derivatives[q]!, image) - value * overlap;
      for (const at of [p * n + q, q * n + p]) {
        metric[at] = overlap;
        curvature[at] = energy;
      }
    }
  }
  const spread = hamiltonian
    .filter(({ factors }) => factors.length > 0)
    .reduce((sum, { coefficient }) => sum + Math.abs(coefficient), 0);
  return { value, gradient, curvature, metric, spread };
}
