/** Exact expectation values of a parametric circuit and their derivatives, from one batch run for all rows. */
import type { PauliSum } from '../../../../circuit/observable.ts';
import { MAX_BATCH_QUBITS } from '../../../../engine/batch-request.ts';
import type { CircuitBatches } from '../../../procedures/procedure-context.ts';
import type { ExpectationGradients } from '../expectation-batch.ts';
import { angleGradientToTheta, angleRows, type ParametricCircuit } from '../parametric-circuit.ts';

/** Circuits that take as long as a gradient by the adjoint method, at most; more where a circuit takes less. */
const CIRCUITS_PER_ADJOINT = { narrow: 64, wide: 8 };

/** Number of circuits that take as long as one gradient, at most. Every gate with an angle is a rotation about Paulis. */
export function circuitsOfGradient({ shape, angles }: ParametricCircuit): number {
  const { narrow, wide } = CIRCUITS_PER_ADJOINT;
  const adjoint = shape.numQubits > MAX_BATCH_QUBITS ? wide : narrow;
  return Math.min(1 + 2 * angles.length, adjoint);
}

/**
 * Expectation values and their derivatives by the parameters, for each row of inputs.
 *
 * @param theta - Length numParameters.
 * @param rows - Inputs, each of length numFeatures.
 * @throws {GateNotDifferentiableError} if a gate's matrix is no short sum of waves in an angle.
 * @throws as `CircuitRunner.runBatch`.
 */
export async function exactGradients(
  circuit: ParametricCircuit,
  theta: ArrayLike<number>,
  rows: readonly ArrayLike<number>[],
  observables: readonly PauliSum[],
  circuits: CircuitBatches,
): Promise<ExpectationGradients> {
  const { shape, numParameters } = circuit;
  const numAngles = circuit.angles.length;
  const result = await circuits.runBatch(shape, {
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
