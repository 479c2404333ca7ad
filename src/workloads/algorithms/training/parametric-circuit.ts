/**
 * A circuit whose gate angles are functions of parameters θ, which training moves, and of inputs x,
 * which data brings.
 *
 * Every angle is a sum of terms c, c·θ_j, c·x_f and c·θ_j·x_f. That is affine in θ, so the chain rule
 * from angles to parameters needs no more than the terms themselves, and it still covers encodings
 * with fixed factors, trainable biases, trainable input scaling and parameters shared by many gates.
 */

import {
  type Circuit,
  numAnglesOf,
  type Operation,
  withFinalMeasurement,
} from '../../../circuit/circuit.ts';
import { gateOperation } from '../gate-operation.ts';

/** coefficient · θ[parameter] · x[feature]; missing factors count as 1. */
export interface AngleTerm {
  readonly coefficient: number;
  /** Index into θ. */
  readonly parameter?: number;
  /** Index into x. */
  readonly feature?: number;
}

/** offset + the sum of the terms, in radians. */
export interface AngleForm {
  readonly offset: number;
  readonly terms: readonly AngleTerm[];
}

/** A circuit shape with a form for each of its gate angles. */
export interface ParametricCircuit {
  /** The angles it has itself do not matter. */
  readonly shape: Circuit;
  readonly numParameters: number;
  readonly numFeatures: number;
  /** In the order of the shape's operations, as a `BatchExecutable` counts them. */
  readonly angles: readonly AngleForm[];
}

/**
 * The circuit itself, once it is known to fit together.
 *
 * @throws {RangeError} if the number of forms is not that of the shape's angles, or a term names a
 *   parameter or feature that is not there.
 */
export function parametricCircuit(parts: ParametricCircuit): ParametricCircuit {
  const { shape, numParameters, numFeatures, angles } = parts;
  const numAngles = numAnglesOf(shape);
  if (angles.length !== numAngles) {
    throw new RangeError(
      `The shape has ${numAngles} angles, but there are ${angles.length} forms.`,
    );
  }
  for (const [i, { terms }] of angles.entries()) {
    for (const { parameter, feature } of terms) {
      checkIndex(parameter, numParameters, `Angle ${i}: parameter`);
      checkIndex(feature, numFeatures, `Angle ${i}: feature`);
    }
  }
  return parts;
}

function checkIndex(index: number | undefined, count: number, what: string): void {
  if (index === undefined) return;
  if (Number.isInteger(index) && index >= 0 && index < count) return;
  throw new RangeError(`${what} ${index} is not one of ${count}.`);
}

/**
 * The angles for one row of inputs.
 *
 * @param theta - Length numParameters.
 * @param x - Length numFeatures.
 * @param out - Where to write them, length `angles.length`; a new array unless given.
 * @returns `out`, radians.
 */
export function anglesOf(
  circuit: ParametricCircuit,
  theta: ArrayLike<number>,
  x: ArrayLike<number>,
  out: Float64Array = new Float64Array(circuit.angles.length),
): Float64Array {
  for (let i = 0; i < circuit.angles.length; i++) {
    const { offset, terms } = circuit.angles[i]!;
    let angle = offset;
    for (const { coefficient, parameter, feature } of terms) {
      let term = coefficient;
      if (parameter !== undefined) term *= theta[parameter]!;
      if (feature !== undefined) term *= x[feature]!;
      angle += term;
    }
    out[i] = angle;
  }
  return out;
}

/** Angles of all rows, row after row. */
export function angleRows(
  circuit: ParametricCircuit,
  theta: ArrayLike<number>,
  rows: readonly ArrayLike<number>[],
): Float64Array {
  const numAngles = circuit.angles.length;
  const angles = new Float64Array(rows.length * numAngles);
  for (const [i, row] of rows.entries()) {
    anglesOf(circuit, theta, row, angles.subarray(i * numAngles, (i + 1) * numAngles));
  }
  return angles;
}

/** Positions of the angles that depend on a parameter, ascending. */
export function trainableAngles(circuit: ParametricCircuit): readonly number[] {
  return circuit.angles.flatMap(({ terms }, i) =>
    terms.some(({ parameter }) => parameter !== undefined) ? [i] : [],
  );
}

/**
 * Chain rule: dE/dθ_j = Σ_i dE/dangle_i · dangle_i/dθ_j.
 *
 * θ is not needed, because every angle is affine in it.
 *
 * @param x - The row of inputs that the derivatives were taken at.
 * @param angleGradient - dE/dangle for each angle; those of angles without parameters are not read.
 * @param out - Overwritten, length numParameters; a new array unless given.
 * @returns `out`.
 */
export function angleGradientToTheta(
  circuit: ParametricCircuit,
  x: ArrayLike<number>,
  angleGradient: ArrayLike<number>,
  out: Float64Array = new Float64Array(circuit.numParameters),
): Float64Array {
  out.fill(0);
  for (let i = 0; i < circuit.angles.length; i++) {
    for (const { coefficient, parameter, feature } of circuit.angles[i]!.terms) {
      if (parameter === undefined) continue;
      const slope = feature === undefined ? coefficient : coefficient * x[feature]!;
      out[parameter]! += slope * angleGradient[i]!;
    }
  }
  return out;
}

/** Builder of a parametric circuit, gate by gate. */
export class ParametricSketch {
  readonly #numQubits: number;
  readonly #operations: Operation[] = [];
  readonly #forms: AngleForm[] = [];

  constructor(numQubits: number) {
    this.#numQubits = numQubits;
  }

  /** Adds a gate without angles. */
  fixed(gate: string, controls: readonly number[], targets: readonly number[]): void {
    this.#operations.push(gateOperation(gate, targets, [], controls));
  }

  /** Adds a gate of one angle, the sum of the terms. */
  turn(gate: string, targets: readonly number[], terms: AngleForm['terms']): void {
    this.#operations.push(gateOperation(gate, targets, [0]));
    this.#forms.push({ offset: 0, terms });
  }

  /** The circuit without measurements. */
  finish(numParameters: number, numFeatures = 0): ParametricCircuit {
    const shape = { numQubits: this.#numQubits, numBits: 0, operations: this.#operations };
    return parametricCircuit({ shape, numParameters, numFeatures, angles: this.#forms });
  }

  /** The circuit with all qubits measured. */
  measured(numParameters: number, numFeatures: number): ParametricCircuit {
    const circuit = this.finish(numParameters, numFeatures);
    return { ...circuit, shape: withFinalMeasurement(circuit.shape) };
  }
}
