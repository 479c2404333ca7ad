/**
 * Gradients from expectation values that are estimated from shots: an engine's own gradients are exact ones.
 *
 * All rows and all shifts are circuits of one shape and go out together.
 *
 * @see shift-rule.ts for the rules and their sources.
 */
import type { PauliSum } from '../../../../circuit/observable.ts';
import {
  angleShifts,
  shiftedAngles,
  shiftedGradient,
} from '../../../../compiler/gradient/shift-rule.ts';
import type { ExpectationBatch, ExpectationGradients } from '../expectation-batch.ts';
import {
  angleGradientToTheta,
  angleRows,
  type ParametricCircuit,
  trainableAngles,
} from '../parametric-circuit.ts';

/**
 * Expectation values and their derivatives by the parameters, for each row of inputs.
 *
 * @param theta - Length numParameters.
 * @param rows - Inputs, each of length numFeatures.
 * @param expectations - Called once: with the circuits of the rows, then with the shifted ones of each row.
 * @throws {GateNotDifferentiableError} if there is no rule for a gate whose angle is trained.
 * @throws whatever `expectations` throws.
 */
export async function parameterShift(
  circuit: ParametricCircuit,
  theta: ArrayLike<number>,
  rows: readonly ArrayLike<number>[],
  observables: readonly PauliSum[],
  expectations: ExpectationBatch,
): Promise<ExpectationGradients> {
  const { shape, numParameters } = circuit;
  const trained = new Set(trainableAngles(circuit));
  const shifts = angleShifts(shape, (angle) => trained.has(angle));
  const numAngles = circuit.angles.length;
  const numObservables = observables.length;
  const plain = angleRows(circuit, theta, rows);
  const shifted = shiftedAngles(plain, numAngles, 0, rows.length, shifts);
  const angles = new Float64Array(plain.length + shifted.length);
  angles.set(plain);
  angles.set(shifted, plain.length);
  const numCircuits = rows.length * (1 + shifts.length);
  const results = await expectations(shape, angles, numCircuits, observables);
  const values = results.slice(0, rows.length * numObservables);
  const ofShifted = results.subarray(values.length);
  const gradients = new Float64Array(values.length * numParameters);
  const byAngle = new Float64Array(numAngles);
  for (const [row, x] of rows.entries()) {
    for (let o = 0; o < numObservables; o++) {
      shiftedGradient(ofShifted, row, o, numObservables, shifts, byAngle);
      const at = (row * numObservables + o) * numParameters;
      angleGradientToTheta(circuit, x, byAngle, gradients.subarray(at, at + numParameters));
    }
  }
  return { values, gradients };
}
