/**
 * Derivatives of runs of gates, as Hermitian matrices at one point of the run.
 *
 * With ψ and λ at that point, the derivative of the expectation value by an angle is 2·Im⟨λ|H|ψ⟩, H being
 * i·(∂G)·G† of the angle's gate G, carried to the point by the gates in between.
 */

import type { Qubit } from '../../circuit/circuit.ts';
import { gateNamed } from '../../circuit/gates.ts';
import { matrixOfOperations } from '../../circuit/operation-matrix.ts';
import { reducedAngle } from '../../math/angles.ts';
import { adjoint, type ComplexMatrix, identity, multiply } from '../../math/complex-matrix.ts';
import { CONSTANT, isParametric, type ParametricGate } from '../parametric.ts';
import type { GateLike } from '../passes/gate-like.ts';
import { matrixRule } from './shift-rule.ts';

/** Gates on a few qubits that nothing else acts on in between. */
export interface ProbedRun {
  /** In order; a gate with parameters is no part of a product here. */
  readonly members: readonly GateLike[];
  /** Bit i of an index is `qubits[i]`. Controls that a run has in common are not among them. */
  readonly qubits: readonly Qubit[];
}

/** One derivative: of the parameter, by one angle of one gate. */
export interface Slope {
  readonly parameter: number;
  readonly member: number;
  /** Position of the angle among those of the gate. */
  readonly position: number;
}

/** The slopes of a run by the parameters that are wanted. */
export function slopesOf(
  { members }: ProbedRun,
  isWanted: (parameter: number) => boolean,
): readonly Slope[] {
  return members.flatMap((gate, member) => {
    if (!isParametricGate(gate)) return [];
    return gate.slots.flatMap((parameter, position) =>
      parameter !== CONSTANT && isWanted(parameter) ? [{ parameter, member, position }] : [],
    );
  });
}

/** Whether an operation is a single gate with parameters. */
export function isParametricGate(operation: GateLike): operation is ParametricGate {
  return operation.kind === 'gate' && isParametric(operation);
}

/**
 * The matrices H of slopes of a run at a point of it, which is before member number `point`.
 *
 * @param anglesOf - Angles of a gate of the run.
 */
export function generatorsAt(
  { members, qubits }: ProbedRun,
  slopes: readonly Slope[],
  point: number,
  anglesOf: (gate: ParametricGate) => readonly number[],
): readonly ComplexMatrix[] {
  const within = new Map(qubits.map((qubit, i) => [qubit, i]));
  const placed = (gate: GateLike, matrix?: ComplexMatrix) => onQubits(gate, within, matrix);
  const matrices = members.map((gate) =>
    placed(gate, isParametricGate(gate) ? gateNamed(gate.gate).matrix(anglesOf(gate)) : undefined),
  );
  // From each member to the point: the product of the members in between.
  const carry = carriers(matrices, point, 2 ** qubits.length);
  return slopes.map(({ member, position }) => {
    const gate = members[member]!;
    if (!isParametricGate(gate)) throw new Error('unreachable: a slope of a gate without angles');
    const derivative = placed(gate, derivativeOf(gate, anglesOf(gate), position));
    withoutIdle(derivative, gate, within);
    const inverse = adjoint(matrices[member]!);
    // Before the point, H follows its gate; after it, H comes before its gate.
    const own = member < point ? multiply(derivative, inverse) : multiply(inverse, derivative);
    timesI(own);
    const by = carry[member];
    return by === undefined ? own : multiply(multiply(by, own), adjoint(by));
  });
}

/** The derivative of a gate's target matrix by one of its angles. */
function derivativeOf(
  { gate }: ParametricGate,
  angles: readonly number[],
  position: number,
): ComplexMatrix {
  const definition = gateNamed(gate);
  const moved = [...angles];
  const angle = reducedAngle(angles[position]!);
  let sum: ComplexMatrix | undefined;
  for (const { shift, weight } of matrixRule(definition, position)) {
    moved[position] = angle + shift;
    const matrix = definition.matrix(moved);
    sum ??= new Float64Array(matrix.length);
    for (let i = 0; i < matrix.length; i++) sum[i]! += weight * matrix[i]!;
  }
  return sum ?? new Float64Array(definition.matrix(angles).length);
}

/** A gate's matrix on the qubits of a run, with another matrix on its targets if one is given. */
function onQubits(
  gate: GateLike,
  within: ReadonlyMap<Qubit, number>,
  matrix?: ComplexMatrix,
): ComplexMatrix {
  const placeOf = (qubit: Qubit) => within.get(qubit);
  const controls = gate.controls.map(placeOf).filter((place) => place !== undefined);
  const targets = gate.targets.map((qubit) => placeOf(qubit)!);
  const placed =
    matrix === undefined
      ? { ...gate, controls, targets }
      : ({ kind: 'unitary', controls, targets, matrix } as const);
  return matrixOfOperations([placed], within.size);
}

/** Clears the part of a controlled matrix in which it does not act: the derivative of 1 is 0. */
function withoutIdle(
  matrix: ComplexMatrix,
  { controls }: GateLike,
  within: ReadonlyMap<Qubit, number>,
): void {
  let mask = 0;
  for (const control of controls) {
    const place = within.get(control);
    if (place !== undefined) mask |= 1 << place;
  }
  const d = 2 ** within.size;
  for (let row = 0; row < d; row++) {
    if ((row & mask) !== mask) matrix.fill(0, 2 * row * d, 2 * (row + 1) * d);
  }
}

/** For each member, the unitary that carries its generator to the point; undefined for the identity. */
function carriers(
  matrices: readonly ComplexMatrix[],
  point: number,
  d: number,
): readonly (ComplexMatrix | undefined)[] {
  const carry = new Array<ComplexMatrix | undefined>(matrices.length).fill(undefined);
  let product = identity(d);
  for (let member = point - 2; member >= 0; member--) {
    product = multiply(product, matrices[member + 1]!);
    carry[member] = product;
  }
  product = identity(d);
  for (let member = point + 1; member < matrices.length; member++) {
    product = multiply(product, adjoint(matrices[member - 1]!));
    carry[member] = product;
  }
  return carry;
}

function timesI(matrix: ComplexMatrix): void {
  for (let i = 0; i < matrix.length; i += 2) {
    const re = matrix[i]!;
    matrix[i] = -matrix[i + 1]!;
    matrix[i + 1] = re;
  }
}
