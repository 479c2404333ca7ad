/**
 * Facts about gates that passes use, derived from the gate table's matrices and inverses instead of listing
 * names again. A gate added to the table needs no code here.
 *
 * A fact about a gate with angles is tested at a few angles that satisfy no accidental identity; the property
 * tests check every fact at random angles.
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

/** Angles and entries closer than this are equal: about fifty roundings. */
export const NEGLIGIBLE = 1e-14;

/**
 * Set of Paulis, as bits, that an operation commutes with on one qubit. Two operations commute if on every
 * qubit they share there is a Pauli that both commute with: both are then block diagonal in its eigenbasis.
 */
export type Axes = number;
/** A function of X on this qubit. */
export const X_AXIS: Axes = 1;
/** A function of Y on this qubit. */
export const Y_AXIS: Axes = 2;
/** Diagonal on this qubit, as controls and measurements are. */
export const Z_AXIS: Axes = 4;
/** No action on this qubit. */
export const ALL_AXES: Axes = 7;

/** Facts about one gate. */
export interface GateFacts {
  readonly definition: GateDefinition;
  /** Gate with the same matrix and the fewest own controls: X for CX and CCX. */
  readonly base: string;
  /**
   * Number of the family: the same for gates that may cancel or merge, which are those of one base, inverses
   * such as SX and SXDG, and all phases including RZ.
   */
  readonly family: number;
  /** One for each target. */
  readonly axes: readonly Axes[];
  /** Whether its two targets may be exchanged. */
  readonly isSymmetric: boolean;
  /**
   * Set where U(a)·U(b) = U(a + b): which angles add up; the others must be equal. If all that add up are
   * zero, U is the identity.
   */
  readonly adds?: readonly boolean[];
  /** Period of the angles that add up: 2π, or 4π where U(2π) is not the identity. */
  readonly period: number;
  /** Whether U(θ + 2π) = −U(θ). */
  readonly isSpinor: boolean;
  /** θ of a gate without angles that is diag(1, e^{iθ}), such as S. */
  readonly phaseAngle?: number;
  /** Matrix of a gate without angles. */
  readonly matrix?: ComplexMatrix;
}

/** Name of the gate with the matrix diag(1, e^{iθ}). */
export const PHASE_GATE = 'P';
/** Name of the global phase. */
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

/** Paulis that a matrix commutes with, exactly, on its target number `target`. */
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

/** Finds the angles that add up: those that the inverse negates are candidates, which are then tested. */
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

/** Whether a matrix is the identity within about fifty roundings. */
export function isNearIdentity(matrix: ComplexMatrix): boolean {
  const d = dimension(matrix);
  for (let i = 0; i < matrix.length; i++) {
    const expected = i % (2 * d + 2) === 0 ? 1 : 0;
    if (!(Math.abs(matrix[i]! - expected) < NEGLIGIBLE)) return false;
  }
  return true;
}

/** Family of each gate: the first gate of the table that inverses, bases and phases connect it to. */
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
/** Family number of explicit unitaries, which no gate has. */
export const UNITARY_FAMILY = GATES.length;

/** Returns the facts of a gate by its canonical name. */
export function factsNamed(name: string): GateFacts {
  const facts = byName.get(name);
  if (facts === undefined) throw new Error(`unreachable: no gate is called ${name}`);
  return facts;
}

const namesByBase = new Map<string, readonly GateDefinition[]>();
for (const { base, definition } of byName.values()) {
  namesByBase.set(base, [...(namesByBase.get(base) ?? []), definition]);
}

/** Usual name of a base gate with `numControls` controls: CX for X with one. */
export function nameUnderControls(base: string, numControls: number): string {
  let best: GateDefinition | undefined;
  for (const each of namesByBase.get(base) ?? []) {
    if (each.numControls > numControls) continue;
    if (best === undefined || each.numControls > best.numControls) best = each;
  }
  return best?.name ?? base;
}

/** Gates that are a fixed phase, with that phase in (−π, π]. */
export const FIXED_PHASES: readonly { readonly base: string; readonly angle: number }[] = [
  ...byName.values(),
].flatMap(({ base, definition, phaseAngle }) =>
  phaseAngle === undefined || definition.name !== base ? [] : [{ base, angle: phaseAngle }],
);
