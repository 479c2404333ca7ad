/**
 * A gate's matrix at any angles, and its exact derivatives.
 *
 * Gates of one angle, which circuits are made of, are evaluated from their waves: that takes neither
 * arrays nor the gate table. Others are differentiated by the shift rule, which holds for the
 * entries of a matrix as it does for expectation values.
 */
import type { GateDefinition } from '../../../../circuit/gate-definition.ts';
import { addTurned, wavesOf } from '../../../../compiler/gradient/gate-waves.ts';
import { matrixRule } from '../../../../compiler/gradient/shift-rule.ts';
import { reducedAngle } from '../../../../math/angles.ts';
import type { ComplexMatrix } from '../../../../math/complex-matrix.ts';

/** The matrix of one gate of a circuit. */
export interface AngledMatrix {
  /**
   * @param angles - Those of the whole circuit.
   * @returns Overwritten by the next call.
   */
  at(angles: Float64Array): ComplexMatrix;
  /**
   * 2·Re of the sum of ∂M/∂angle, entry by entry, times the overlaps.
   *
   * @param position - Of the angle among those of the gate.
   * @param overlaps - Interleaved re, im; as long as the matrix.
   */
  slope(angles: Float64Array, position: number, overlaps: Float64Array): number;
}

/**
 * The matrix of a gate whose angles begin at `from` among those of the circuit.
 *
 * @throws {GateNotDifferentiableError} if it is no short sum of waves in an angle.
 */
export function angledMatrix(gate: GateDefinition, from: number): AngledMatrix {
  return gate.parameters.length === 1 ? ofOneAngle(gate, from) : ofAngles(gate, from);
}

/** The matrix of an operation that has no angles. */
export function fixedMatrix(matrix: ComplexMatrix): AngledMatrix {
  return { at: () => matrix, slope: () => 0 };
}

function ofOneAngle(gate: GateDefinition, from: number): AngledMatrix {
  const waves = wavesOf(gate, 0, [0]);
  const out = new Float64Array(waves[0]!.matrix.length);
  return {
    at(angles) {
      const angle = reducedAngle(angles[from]!);
      out.fill(0);
      for (const { k, matrix } of waves) addTurned(out, matrix, (k / 2) * angle, 1);
      return out;
    },
    slope(angles, _, overlaps) {
      const angle = reducedAngle(angles[from]!);
      let sum = 0;
      for (const { k, matrix } of waves) {
        const turn = (k / 2) * angle;
        const [re, im] = [realSum(matrix, overlaps), imaginarySum(matrix, overlaps)];
        // The real part of i·e^{i·turn}·(re + i·im).
        sum -= (k / 2) * (Math.sin(turn) * re + Math.cos(turn) * im);
      }
      return 2 * sum;
    },
  };
}

function ofAngles(gate: GateDefinition, from: number): AngledMatrix {
  const rules = gate.parameters.map((_, position) => matrixRule(gate, position));
  const own = (angles: Float64Array) => gate.parameters.map((_, i) => angles[from + i]!);
  return {
    at: (angles) => gate.matrix(own(angles)),
    slope(angles, position, overlaps) {
      const moved = own(angles);
      const angle = reducedAngle(moved[position]!);
      let sum = 0;
      for (const { shift, weight } of rules[position]!) {
        moved[position] = angle + shift;
        sum += weight * realSum(gate.matrix(moved), overlaps);
      }
      return 2 * sum;
    },
  };
}

function realSum(a: ComplexMatrix, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 2) sum += a[i]! * b[i]! - a[i + 1]! * b[i + 1]!;
  return sum;
}

function imaginarySum(a: ComplexMatrix, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 2) sum += a[i]! * b[i + 1]! + a[i + 1]! * b[i]!;
  return sum;
}
