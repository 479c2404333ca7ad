/**
 * What passes know of gates, found by trying the gate table's matrices and inverses instead of
 * listing names again: a gate added to the table is known here without a line of code.
 *
 * A claim about a gate with angles is tried at a few angles that no identity favours; the property
 * tests hold every claim at random ones.
 */
import type { GateDefinition } from '../../circuit/gate-definition.ts';
import { GATES } from '../../circuit/gates.ts';
import {
  type ComplexMatrix,
  dimension,
  isDiagonal,
  maxAbsDifference,
  multiply,
} from '../../math/complex-matrix.ts';

/** Angles and entries this near are equal: some fifty roundings. */
export const NEGLIGIBLE = 1e-14;

/**
 * The Paulis that something commutes with on one qubit, as a set of bits. Two operations commute
 * if on every qubit they share there is a Pauli with which both do: both are then block diagonal
 * in its eigenbasis.
 */
export type Axes = number;
/** A function of X on this qubit. */
export const X_AXIS: Axes = 1;
/** A function of Y on this qubit. */
export const Y_AXIS: Axes = 2;
/** Diagonal on this qubit, as controls and measurements are. */
export const Z_AXIS: Axes = 4;
/** Does nothing to this qubit. */
export const ALL_AXES: Axes = 7;

/** What is known of one gate. */
export interface GateFacts {
  readonly definition: GateDefinition;
  /** The gate of the same matrix with the fewest controls of its own: X for CX and CCX. */
  readonly base: string;
  /**
   * The same small number for gates that may undo or join each other: those of one base, inverses
   * like SX and SXDG, and all phases, RZ included.
   */
  readonly family: number;
  /** One for each target. */
  readonly axes: readonly Axes[];
  /** Whether two targets may change places. */
  readonly isSymmetric: boolean;
  /**
   * Set where U(a)·U(b) = U(a + b): which of the angles add up; the others must agree. All zero,
   * they give the identity.
   */
  readonly adds?: readonly boolean[];
  /** Of the angles that add up: 2π, or 4π where half of that is not the identity. */
  readonly period: number;
  /** Whether U(θ + 2π) = −U(θ). */
  readonly isSpinor: boolean;
  /** Set for diag(1, e^{iθ}) without angles, like S: its θ. */
  readonly phaseAngle?: number;
  /** The matrix of a gate without angles. */
  readonly matrix?: ComplexMatrix;
}

/** The gate with the matrix diag(1, e^{iθ}). */
export const PHASE_GATE = 'P';
/** The gate that turns everything. */
export const GLOBAL_PHASE_GATE = 'GPHASE';

const PROBES: readonly (readonly number[])[] = [
  [0.7312, 1.1873, -0.4519, 2.3391],
  [-1.9127, 0.3317, 2.7113, -0.8171],
];

function factsOf(definition: GateDefinition): Omit<GateFacts, 'family'> {
  const { parameters, numTargets } = definition;
  const probes = parameters.length === 0 ? [[]] : PROBES.map((p) => p.slice(0, parameters.length));
  const matrices = probes.map((angles) => definition.matrix(angles));
  const [matrix] = matrices;
  if (matrix === undefined) throw new Error('unreachable: every gate is tried at least once');
  const axes = Array.from({ length: numTargets }, (_, target) =>
    matrices.reduce((common, each) => common & axesOn(each, target), ALL_AXES),
  );
  const adds = addingAngles(definition, probes);
  const turned = (angle: number) =>
    probes.map((angles) =>
      definition.matrix(angles.map((each, i) => (adds?.[i] === true ? each + angle : each))),
    );
  const once = turned(2 * Math.PI);
  const isPeriodic = matrices.every((each, i) => maxAbsDifference(each, once[i]!) < 1e-12);
  const isSpinor = matrices.every((each, i) => maxAbsDifference(negative(each), once[i]!) < 1e-12);
  const isPhase = parameters.length === 0 && numTargets === 1 && isPhaseGate(matrix);
  return {
    definition,
    base: baseOf(definition, probes, matrices),
    axes,
    isSymmetric: numTargets === 2 && matrices.every(isSymmetric),
    ...(adds === undefined ? {} : { adds }),
    period: isPeriodic ? 2 * Math.PI : 4 * Math.PI,
    isSpinor: !isPeriodic && isSpinor,
    ...(isPhase ? { phaseAngle: Math.atan2(matrix[7]!, matrix[6]!) } : {}),
    ...(parameters.length === 0 ? { matrix } : {}),
  };
}

/** The Paulis that a matrix commutes with on its target number `target`, exactly. */
export function axesOn(matrix: ComplexMatrix, target: number): Axes {
  const d = dimension(matrix);
  const flip = 1 << target;
  let axes = ALL_AXES;
  for (let row = 0; row < d && axes !== 0; row++) {
    for (let col = 0; col < d; col++) {
      const i = 2 * (row * d + col);
      const j = 2 * ((row ^ flip) * d + (col ^ flip));
      const [re, im] = [matrix[i]!, matrix[i + 1]!];
      const [otherRe, otherIm] = [matrix[j]!, matrix[j + 1]!];
      const changes = ((row ^ col) & flip) !== 0;
      if (changes && (re !== 0 || im !== 0)) axes &= ~Z_AXIS;
      if (re !== otherRe || im !== otherIm) axes &= ~X_AXIS;
      const sign = changes ? -1 : 1;
      if (re !== sign * otherRe || im !== sign * otherIm) axes &= ~Y_AXIS;
    }
  }
  return axes;
}

/** Read off the inverse, and then tried: its negated angles add up if any do. */
function addingAngles(
  definition: GateDefinition,
  probes: readonly (readonly number[])[],
): readonly boolean[] | undefined {
  const [first, second] = probes;
  if (first === undefined || second === undefined) return undefined;
  const { gate, angles, targetOrder } = definition.inverse(first);
  if (gate !== definition.name || targetOrder !== undefined) return undefined;
  const adds = first.map((angle, i) => angles[i] === -angle);
  if (!adds.includes(true)) return undefined;
  const other = first.map((angle, i) => (adds[i] ? second[i]! : angle));
  const sum = first.map((angle, i) => (adds[i] ? angle + second[i]! : angle));
  const product = multiply(definition.matrix(other), definition.matrix(first));
  return maxAbsDifference(product, definition.matrix(sum)) < 1e-12 ? adds : undefined;
}

function baseOf(
  definition: GateDefinition,
  probes: readonly (readonly number[])[],
  matrices: readonly ComplexMatrix[],
): string {
  const same = GATES.filter(
    (other) =>
      other.numControls <= definition.numControls &&
      other.numTargets === definition.numTargets &&
      other.parameters.length === definition.parameters.length &&
      probes.every((angles, i) => maxAbsDifference(other.matrix(angles), matrices[i]!) === 0),
  );
  const base = same.reduce((least, each) => (each.numControls < least.numControls ? each : least));
  return base.name;
}

function isSymmetric(matrix: ComplexMatrix): boolean {
  const exchanged = (index: number) => ((index & 1) << 1) | (index >> 1);
  for (let row = 0; row < 4; row++) {
    for (let col = 0; col < 4; col++) {
      const i = 2 * (row * 4 + col);
      const j = 2 * (exchanged(row) * 4 + exchanged(col));
      if (matrix[i] !== matrix[j] || matrix[i + 1] !== matrix[j + 1]) return false;
    }
  }
  return true;
}

function isPhaseGate(matrix: ComplexMatrix): boolean {
  return isDiagonal(matrix) && matrix[0] === 1 && matrix[1] === 0;
}

const negative = (matrix: ComplexMatrix): ComplexMatrix => matrix.map((entry) => -entry);

/** Whether a matrix is the identity but for some fifty roundings. */
export function isNearIdentity(matrix: ComplexMatrix): boolean {
  const d = dimension(matrix);
  for (let i = 0; i < matrix.length; i++) {
    const expected = i % (2 * d + 2) === 0 ? 1 : 0;
    if (!(Math.abs(matrix[i]! - expected) < NEGLIGIBLE)) return false;
  }
  return true;
}

/** Families: of each gate the first in the table that inverses, bases and phases lead to. */
function familiesOf(all: readonly Omit<GateFacts, 'family'>[]): readonly number[] {
  const family = all.map((_, i) => i);
  const indexOf = (name: string) => all.findIndex(({ definition }) => definition.name === name);
  const isOneTargetDiagonal = ({ axes }: { axes: readonly Axes[] }) =>
    axes.length === 1 && axes.every((each) => (each & Z_AXIS) !== 0);
  for (const [i, facts] of all.entries()) {
    const { definition, base, axes } = facts;
    const angles = PROBES[0]!.slice(0, definition.parameters.length);
    const isPhase = axes.length === 0 || isOneTargetDiagonal(facts);
    const others = [base, definition.inverse(angles).gate, ...(isPhase ? [PHASE_GATE] : [])];
    for (const other of others) {
      const [mine, its] = [family[i]!, family[indexOf(other)]!];
      for (const [j, each] of family.entries()) if (each === its) family[j] = mine;
    }
  }
  return family;
}

const byName = new Map<string, GateFacts>();
{
  const all = GATES.map(factsOf);
  const families = familiesOf(all);
  for (const [i, facts] of all.entries()) {
    byName.set(facts.definition.name, { ...facts, family: families[i]! });
  }
}
/** Of explicit unitaries: no gate's. */
export const UNITARY_FAMILY = GATES.length;

/** The facts of a gate by its canonical name. */
export function factsNamed(name: string): GateFacts {
  const facts = byName.get(name);
  if (facts === undefined) throw new Error(`unreachable: no gate is called ${name}`);
  return facts;
}

const namesByBase = new Map<string, readonly GateDefinition[]>();
for (const { base, definition } of byName.values()) {
  namesByBase.set(base, [...(namesByBase.get(base) ?? []), definition]);
}

/** The name people know for a base gate under so many controls: CX for X under one. */
export function nameUnderControls(base: string, numControls: number): string {
  let best: GateDefinition | undefined;
  for (const each of namesByBase.get(base) ?? []) {
    if (each.numControls > numControls) continue;
    if (best === undefined || each.numControls > best.numControls) best = each;
  }
  return best?.name ?? base;
}

/** The gates that are a phase without angles, with that phase in (−π, π]. */
export const FIXED_PHASES: readonly { readonly base: string; readonly angle: number }[] = [
  ...byName.values(),
].flatMap(({ base, definition, phaseAngle }) =>
  phaseAngle === undefined || definition.name !== base ? [] : [{ base, angle: phaseAngle }],
);
