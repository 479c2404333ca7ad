/**
 * Adjoint differentiation: a value and all its derivatives for about three runs of the circuit,
 * however many angles there are.
 *
 * With E = ⟨ψ|O|ψ⟩ and ψ = U_n…U_1|0⟩, the derivative by an angle of U_k is 2·Re⟨λ|∂U_k|φ⟩, φ being the
 * state before U_k and λ what O|ψ⟩ comes to when U_n…U_{k+1} are taken back. So one trip backwards
 * with the two states meets every gate once. Where parameter shift asks whatever runs circuits, this
 * needs the amplitudes: it runs here, in double precision and plain JavaScript, whose sums are the
 * same on every machine.
 *
 * @see Jones & Gacon, "Efficient calculation of gradients in classical simulations of variational
 *   quantum algorithms" (2020).
 */
import { type Circuit, hasMidCircuitMeasurement } from '../../../../circuit/circuit.ts';
import { gateNamed } from '../../../../circuit/gates.ts';
import type { PauliSum } from '../../../../circuit/observable.ts';
import { targetMatrix } from '../../../../circuit/operation-matrix.ts';
import { OutputNeedsFinalStateError, ProgramTooWideError } from '../../../../engine/errors.ts';
import { adjoint, type ComplexMatrix } from '../../../../math/complex-matrix.ts';
import { applyObservable } from '../../hamiltonians/observable-action.ts';
import type { ExpectationGradients } from '../expectation-batch.ts';
import {
  angleGradientToTheta,
  anglesOf,
  type ParametricCircuit,
  trainableAngles,
} from '../parametric-circuit.ts';
import { applyMatrix, type Groups, groupsOf, takeBack } from './adjoint-kernels.ts';
import { type AngledMatrix, angledMatrix, fixedMatrix } from './angled-matrix.ts';

/** Most qubits: three states of 16 MiB. */
const MAX_ADJOINT_QUBITS = 20;

/** A value and its derivatives by the angles. */
export interface AngleGradient {
  readonly value: number;
  /** One an angle, in the order of the shape's operations; 0 for those that were not asked for. */
  readonly angleGradient: Float64Array;
}

/** One operation of the forward and backward pass. */
interface Step {
  readonly groups: Groups;
  readonly matrix: AngledMatrix;
  /** The gate's first angle among those of the shape. */
  readonly from: number;
  /** Positions among the gate's angles of those that are differentiated by. */
  readonly slopes: readonly number[];
  readonly overlaps: Float64Array;
}

/** A prepared shape: its groups, and the angles by which it is differentiated. */
interface Plan {
  readonly steps: readonly Step[];
  /** Steps before this one have nothing to differentiate by. */
  readonly firstSlope: number;
  readonly numAngles: number;
  readonly state: Float64Array;
  readonly costate: Float64Array;
}

/**
 * The expectation value of one circuit and its derivatives by all angles of its gates.
 *
 * @param angles - Radians, in the order of the shape's operations; those in the shape do not matter.
 * @throws {ProgramTooWideError} if the shape has more than 20 qubits.
 * @throws {OutputNeedsFinalStateError} if a measurement, reset or condition comes before the end.
 * @throws {GateNotDifferentiableError} if a gate's matrix is no short sum of waves in an angle.
 */
export function adjointGradient(
  shape: Circuit,
  angles: Float64Array,
  observable: PauliSum,
): AngleGradient {
  const plan = planOf(shape, () => true);
  const inverses = runForward(plan, angles);
  return { ...runBackward(plan, angles, inverses, observable, plan.state) };
}

/** Values and derivatives by the parameters for rows of inputs, as of `parameterShift`. */
export type AdjointGradients = (
  theta: ArrayLike<number>,
  rows: readonly ArrayLike<number>[],
  observables: readonly PauliSum[],
) => ExpectationGradients;

/**
 * Makes a circuit ready to be differentiated many times. Only angles that depend on a parameter
 * are differentiated by. What comes back runs at once, on this thread.
 *
 * @throws as `adjointGradient` does.
 */
export function prepareAdjoint(circuit: ParametricCircuit): AdjointGradients {
  const trained = new Set(trainableAngles(circuit));
  const plan = planOf(circuit.shape, (angle) => trained.has(angle));
  const angles = new Float64Array(plan.numAngles);
  const final = new Float64Array(plan.state.length);
  const { numParameters } = circuit;
  return (theta, rows, observables) => {
    const values = new Float64Array(rows.length * observables.length);
    const gradients = new Float64Array(values.length * numParameters);
    for (const [row, x] of rows.entries()) {
      anglesOf(circuit, theta, x, angles);
      const inverses = runForward(plan, angles);
      final.set(plan.state);
      for (const [o, observable] of observables.entries()) {
        const at = row * observables.length + o;
        const { value, angleGradient } = runBackward(plan, angles, inverses, observable, final);
        values[at] = value;
        const out = gradients.subarray(at * numParameters, (at + 1) * numParameters);
        angleGradientToTheta(circuit, x, angleGradient, out);
      }
    }
    return { values, gradients };
  };
}

function planOf(shape: Circuit, isWanted: (angle: number) => boolean): Plan {
  const { numQubits } = shape;
  if (numQubits > MAX_ADJOINT_QUBITS) {
    throw new ProgramTooWideError(numQubits, MAX_ADJOINT_QUBITS, 'adjoint');
  }
  if (hasMidCircuitMeasurement(shape)) throw new OutputNeedsFinalStateError('A gradient');
  const steps: Step[] = [];
  let numAngles = 0;
  for (const operation of shape.operations) {
    if (operation.kind !== 'gate' && operation.kind !== 'unitary') continue;
    const groups = groupsOf(operation, numQubits);
    const overlaps = new Float64Array(2 * groups.offsets.length ** 2);
    const from = numAngles;
    const ofGate = operation.kind === 'gate' ? operation.angles.length : 0;
    numAngles += ofGate;
    const matrix =
      operation.kind === 'gate' && ofGate > 0
        ? angledMatrix(gateNamed(operation.gate), from)
        : fixedMatrix(targetMatrix(operation));
    const positions = Array.from({ length: ofGate }, (_, position) => position);
    const slopes = positions.filter((position) => isWanted(from + position));
    steps.push({ groups, matrix, from, slopes, overlaps });
  }
  const first = steps.findIndex(({ slopes }) => slopes.length > 0);
  return {
    steps,
    firstSlope: first < 0 ? steps.length : first,
    numAngles,
    state: new Float64Array(2 * 2 ** numQubits),
    costate: new Float64Array(2 * 2 ** numQubits),
  };
}

/** Leaves the final state in `plan.state`; gives the inverses of all steps for the way back. */
function runForward(plan: Plan, angles: Float64Array): readonly ComplexMatrix[] {
  plan.state.fill(0);
  plan.state[0] = 1;
  return plan.steps.map((step) => {
    const matrix = step.matrix.at(angles);
    applyMatrix(step.groups, matrix, plan.state);
    return adjoint(matrix);
  });
}

function runBackward(
  plan: Plan,
  angles: Float64Array,
  inverses: readonly ComplexMatrix[],
  observable: PauliSum,
  final: Float64Array,
): AngleGradient {
  const { steps, state, costate, firstSlope } = plan;
  if (final !== state) state.set(final);
  const value = applyObservable(observable, state, costate);
  const angleGradient = new Float64Array(plan.numAngles);
  for (let k = steps.length - 1; k >= firstSlope; k--) {
    const step = steps[k]!;
    const inverse = inverses[k]!;
    if (step.slopes.length === 0) {
      applyMatrix(step.groups, inverse, state);
      applyMatrix(step.groups, inverse, costate);
      continue;
    }
    takeBack(step.groups, inverse, state, costate, step.overlaps);
    for (const position of step.slopes) {
      angleGradient[step.from + position] = step.matrix.slope(angles, position, step.overlaps);
    }
  }
  return { value, angleGradient };
}
