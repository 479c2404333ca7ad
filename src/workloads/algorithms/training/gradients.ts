/** Expectation values of circuits of one shape and their derivatives by parameters: exact ones, and ones from shots. */
import type { Circuit } from '../../../circuit/circuit.ts';
import type { PauliSum } from '../../../circuit/observable.ts';
import {
  angleShifts,
  shiftedAngles,
  shiftedGradient,
} from '../../../compiler/gradient/shift-rule.ts';
import { MAX_BATCH_QUBITS } from '../../../engine/batch-request.ts';
import type { Runner } from '../../procedures/procedure-context.ts';
import {
  angleGradientToTheta,
  angleRows,
  type ParametricCircuit,
  trainableAngles,
} from './parametric-circuit.ts';

/**
 * Expectation values of many circuits of one shape, exact or estimated from shots.
 *
 * Angles are radians, circuit after circuit, `numAnglesOf(shape)` each. The result is circuit
 * after circuit, one value an observable: length numCircuits · observables.length.
 */
export type ExpectationBatch = (
  shape: Circuit,
  angles: Float64Array,
  numCircuits: number,
  observables: readonly PauliSum[],
) => Promise<Float64Array>;

/** Expectation values and their derivatives, row by row of the inputs. */
export interface ExpectationGradients {
  /** One an observable: length numRows · numObservables. */
  readonly values: Float64Array;
  /**
   * Derivatives by the parameters, for each row and in it for each observable: length
   * numRows · numObservables · numParameters.
   */
  readonly gradients: Float64Array;
}

/** Circuits that take as long as a gradient by the adjoint method, at most; more where a circuit takes less. */
const CIRCUITS_PER_ADJOINT = { narrow: 64, wide: 8 };

/** Most circuits that take as long as one gradient. Every gate with an angle is a rotation about Paulis. */
export function circuitsOfGradient({ shape, angles }: ParametricCircuit): number {
  const { narrow, wide } = CIRCUITS_PER_ADJOINT;
  const adjoint = shape.numQubits > MAX_BATCH_QUBITS ? wide : narrow;
  return Math.min(1 + 2 * angles.length, adjoint);
}

/**
 * Exact expectation values and their derivatives by the parameters, for each row of inputs, from one batch run for all
 * rows.
 *
 * @param theta - Length numParameters.
 * @param rows - Inputs, each of length numFeatures.
 * @throws {GateNotDifferentiableError} if a gate's matrix is no short sum of waves in an angle.
 * @throws as `CircuitRunner.run`.
 */
export async function exactGradients(
  circuit: ParametricCircuit,
  theta: ArrayLike<number>,
  rows: readonly ArrayLike<number>[],
  observables: readonly PauliSum[],
  circuits: Runner,
): Promise<ExpectationGradients> {
  const { shape, numParameters } = circuit;
  const numAngles = circuit.angles.length;
  const result = await circuits.run(shape, {
    numCircuits: rows.length,
    angles: angleRows(circuit, theta, rows),
    observables,
    gradients: true,
  });
  const { expectations: values, gradients: byAngle } = result;
  if (values === undefined || byAngle === undefined) {
    throw new Error('unreachable: no gradients came back');
  }
  const gradients = new Float64Array(values.length * numParameters);
  for (let at = 0; at < values.length; at++) {
    const row = rows[Math.floor(at / observables.length)]!;
    const own = byAngle.subarray(at * numAngles, (at + 1) * numAngles);
    const out = gradients.subarray(at * numParameters, (at + 1) * numParameters);
    angleGradientToTheta(circuit, row, own, out);
  }
  return { values, gradients };
}

/**
 * Expectation values and their derivatives by the parameters, for each row of inputs, from expectation values that are
 * estimated from shots: an engine's own gradients are exact ones. All rows and all shifts are circuits of one shape and
 * go out together.
 *
 * @param theta - Length numParameters.
 * @param rows - Inputs, each of length numFeatures.
 * @param expectations - Called once: with the circuits of the rows, then with the shifted ones of each row.
 * @throws {GateNotDifferentiableError} if there is no rule for a gate whose angle is trained.
 * @throws whatever `expectations` throws.
 * @see shift-rule.ts for the rules and their sources.
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
