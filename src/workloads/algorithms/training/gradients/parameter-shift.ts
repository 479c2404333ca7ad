/**
 * Derivatives of expectation values from expectation values alone, so that whatever runs circuits,
 * a GPU or one day hardware, can be trained on.
 *
 * All rows and all shifts are circuits of one shape and go out together. Each angle that depends on
 * a parameter is shifted by itself and the chain rule does the rest: that is what makes the rule
 * exact where gates share a parameter.
 *
 * @see shift-rule.ts for the rules and their sources.
 */
import type { PauliSum } from '../../../../circuit/observable.ts';
import { type AngleShift, angleShifts } from '../../../../compiler/gradient/shift-rule.ts';
import { sumOfAngles } from '../../../../math/angles.ts';
import type { ExpectationBatch, ExpectationGradients } from '../expectation-batch.ts';
import {
  angleGradientToTheta,
  anglesOf,
  type ParametricCircuit,
  trainableAngles,
} from '../parametric-circuit.ts';

/** Most circuits of one call; bounds the memory for the angles of a large data set. */
const MAX_CIRCUITS = 65_536;

/**
 * Expectation values and their derivatives by the parameters, for each row of inputs.
 *
 * @param theta - Length numParameters.
 * @param rows - Inputs, each of length numFeatures.
 * @param maxCircuits - Circuits of one call of `expectations`, at least 1; 65,536 unless given.
 * @throws {GateNotDifferentiableError} if there is no rule for a gate whose angle is trained.
 * @throws whatever `expectations` throws.
 */
export async function parameterShift(
  circuit: ParametricCircuit,
  theta: ArrayLike<number>,
  rows: readonly ArrayLike<number>[],
  observables: readonly PauliSum[],
  expectations: ExpectationBatch,
  maxCircuits: number = MAX_CIRCUITS,
): Promise<ExpectationGradients> {
  const trained = new Set(trainableAngles(circuit));
  const shifts = angleShifts(circuit.shape, (angle) => trained.has(angle));
  const numObservables = observables.length;
  const perRow = 1 + shifts.length;
  const numCircuits = rows.length * perRow;
  const results = new Float64Array(numCircuits * numObservables);
  for (let from = 0; from < numCircuits; from += maxCircuits) {
    const count = Math.min(maxCircuits, numCircuits - from);
    const angles = shiftedAngles(circuit, theta, rows, shifts, from, count);
    const piece = await expectations(circuit.shape, angles, count, observables);
    results.set(piece, from * numObservables);
  }
  return gather(circuit, rows, shifts, results, numObservables);
}

/** Angles of the circuits from … from + count − 1: of each row the plain one, then the shifted. */
function shiftedAngles(
  circuit: ParametricCircuit,
  theta: ArrayLike<number>,
  rows: readonly ArrayLike<number>[],
  shifts: readonly AngleShift[],
  from: number,
  count: number,
): Float64Array {
  const numAngles = circuit.angles.length;
  const angles = new Float64Array(count * numAngles);
  const plain = new Float64Array(numAngles);
  let row = -1;
  for (let k = 0; k < count; k++) {
    const ofRow = (from + k) % (1 + shifts.length);
    const nextRow = Math.floor((from + k) / (1 + shifts.length));
    if (nextRow !== row) anglesOf(circuit, theta, rows[nextRow]!, plain);
    row = nextRow;
    angles.set(plain, k * numAngles);
    if (ofRow === 0) continue;
    const { angle, shift } = shifts[ofRow - 1]!;
    angles[k * numAngles + angle] = sumOfAngles(plain[angle]!, shift);
  }
  return angles;
}

function gather(
  circuit: ParametricCircuit,
  rows: readonly ArrayLike<number>[],
  shifts: readonly AngleShift[],
  results: Float64Array,
  numObservables: number,
): ExpectationGradients {
  const { numParameters } = circuit;
  const values = new Float64Array(rows.length * numObservables);
  const gradients = new Float64Array(values.length * numParameters);
  const byAngle = new Float64Array(circuit.angles.length);
  for (const [row, x] of rows.entries()) {
    const first = row * (1 + shifts.length) * numObservables;
    for (let o = 0; o < numObservables; o++) {
      const at = row * numObservables + o;
      values[at] = results[first + o]!;
      byAngle.fill(0);
      for (const [s, { angle, weight }] of shifts.entries()) {
        byAngle[angle]! += weight * results[first + (1 + s) * numObservables + o]!;
      }
      const out = gradients.subarray(at * numParameters, (at + 1) * numParameters);
      angleGradientToTheta(circuit, x, byAngle, out);
    }
  }
  return { values, gradients };
}
