/**
 * Derivatives of expectation values by all angles of a circuit, by an adjoint method written from its definition. It
 * shares no code with the compiler's, and differentiates gate matrices by differences.
 */
import { type Circuit, type GateOperation, withAngles } from '../../src/circuit/circuit.ts';
import { gateNamed } from '../../src/circuit/gates.ts';
import type { PauliSum } from '../../src/circuit/observable.ts';
import { adjoint, type ComplexMatrix } from '../../src/math/complex-matrix.ts';
import { moved, zeroState } from './state-oracle.ts';

/** Weights of differences over 2, 4, 6 and 8 steps: exact up to the eighth power of the step. */
const WEIGHTS = [4 / 5, -1 / 5, 4 / 105, -1 / 280];
/** Radians. The error is that of rounding, 1e-14, since gates have frequencies of at most 1. */
const STEP = 0.05;

/**
 * The expectation value and its derivatives.
 *
 * @param angles - Radians, in the order of the circuit's operations; those of the circuit do not matter.
 * @param start - Amplitudes that the circuit begins with.
 */
export function gradientOracle(
  circuit: Circuit,
  angles: Float64Array,
  observable: PauliSum,
  start = zeroState(circuit.numQubits),
): { readonly value: number; readonly angleGradient: Float64Array } {
  const operations = withAngles(circuit, angles).operations.filter(
    (operation) => operation.kind === 'gate' || operation.kind === 'unitary',
  );
  let state = start;
  for (const operation of operations) {
    const { targets, controls } = operation;
    state = moved(state, matrixOf(operation), targets, controls, state);
  }
  let costate: Float64Array = new Float64Array(state.length);
  for (const { coefficient, factors } of observable) {
    let image = state;
    for (const { pauli, qubit } of factors) {
      image = moved(image, gateNamed(pauli).matrix([]), [qubit], [], image);
    }
    for (let i = 0; i < image.length; i++) costate[i]! += coefficient * image[i]!;
  }
  const value = realOverlap(state, costate);
  const angleGradient = new Float64Array(angles.length);
  let angle = angles.length;
  for (const operation of operations.toReversed()) {
    const { targets, controls } = operation;
    const inverse = adjoint(matrixOf(operation));
    state = moved(state, inverse, targets, controls, state);
    if (operation.kind === 'gate') {
      for (let position = operation.angles.length - 1; position >= 0; position--) {
        const slope = slopeOf(operation, position);
        // Where a control is 0 the derivative is 0.
        const image = moved(state, slope, targets, controls, new Float64Array(state.length));
        angleGradient[--angle] = 2 * realOverlap(costate, image);
      }
    }
    costate = moved(costate, inverse, targets, controls, costate);
  }
  return { value, angleGradient };
}

function matrixOf(operation: Circuit['operations'][number]): ComplexMatrix {
  if (operation.kind === 'gate') return gateNamed(operation.gate).matrix(operation.angles);
  if (operation.kind === 'unitary') return operation.matrix;
  throw new Error('no matrix');
}

/** The derivative of the gate's target matrix by one of its angles. */
function slopeOf({ gate, angles }: GateOperation, position: number): Float64Array {
  const matrixAt = (by: number) =>
    gateNamed(gate).matrix(angles.with(position, angles[position]! + by));
  const slope = new Float64Array(matrixAt(0).length);
  for (const [i, weight] of WEIGHTS.entries()) {
    const [up, down] = [matrixAt((i + 1) * STEP), matrixAt(-(i + 1) * STEP)];
    for (let j = 0; j < slope.length; j++) slope[j]! += (weight / STEP) * (up[j]! - down[j]!);
  }
  return slope;
}

/** Re ⟨a|b⟩. */
function realOverlap(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
