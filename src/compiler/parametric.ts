/**
 * Gates whose angles are parameters, as the compiler sees them while it compiles a shape: a circuit without the
 * values of its parameters.
 *
 * A parametric gate has angles that satisfy no accidental identity, so that what holds for its matrix holds at
 * almost all angles, and tells which parameters its angles are. Results computed from its matrix keep how they depend
 * on them. Passes move such gates and drop gates without effect, but compute nothing from their angles, except for runs
 * of gates on one qubit or on one pair.
 */
import type { GateOperation, Qubit, UnitaryOperation } from '../circuit/circuit.ts';
import { adjoint, type ComplexMatrix } from '../math/complex-matrix.ts';
import { type GateLike, matrixOf } from './passes/gate-like.ts';

/** A gate with parameters. */
export interface ParametricGate extends GateOperation {
  /** Number of the parameter that each angle is, or CONSTANT. */
  readonly slots: readonly number[];
}

/** In place of a parameter's number: an angle that is part of the shape. */
export const CONSTANT = -1;

/** The product of gates on one or two qubits, the first applied first. */
export interface ProductSource {
  readonly kind: 'product';
  readonly members: readonly GateLike[];
  /** `qubits[i]` is bit i of an index. */
  readonly qubits: readonly Qubit[];
}

/** A part of the canonical form of a product of two-qubit gates. */
export interface CanonicalPart {
  readonly kind: 'canonical part';
  /** The same object for all parts. */
  readonly of: ProductSource;
  /** 0 and 1 for `before`, 2 for `middle`, 3 and 4 for `after`. */
  readonly part: number;
}

/** The inverse of a gate or unitary, on the same targets and controls. */
export interface AdjointSource {
  readonly kind: 'adjoint';
  readonly of: GateLike;
}

/** Source of the matrix of a unitary that is derived from those of gates. */
export type MatrixSource = ProductSource | CanonicalPart | AdjointSource;

interface DerivedUnitary extends UnitaryOperation {
  readonly source: MatrixSource;
}

/** Source of the product of gates; undefined if none of them has parameters. */
export function productSource(
  members: readonly GateLike[],
  qubits: readonly Qubit[],
): ProductSource | undefined {
  return members.some(isParametric) ? { kind: 'product', members, qubits } : undefined;
}

/** A unitary without controls, whose matrix may depend on parameters. */
export function derivedUnitary(
  matrix: ComplexMatrix,
  targets: readonly Qubit[],
  source: MatrixSource | undefined,
): UnitaryOperation {
  const unitary: UnitaryOperation = { kind: 'unitary', controls: [], targets, matrix };
  if (source === undefined) return unitary;
  const derived: DerivedUnitary = { ...unitary, source };
  return derived;
}

/** The inverse of a gate or unitary, whose matrix may depend on parameters. */
export function adjointOf(operation: GateLike): UnitaryOperation {
  const { controls, targets } = operation;
  const unitary: UnitaryOperation = {
    kind: 'unitary',
    controls,
    targets,
    matrix: adjoint(matrixOf(operation)),
  };
  if (!isParametric(operation)) return unitary;
  const derived: DerivedUnitary = { ...unitary, source: { kind: 'adjoint', of: operation } };
  return derived;
}

/** Whether a matrix depends on parameters. */
export function isParametric(operation: GateLike): operation is ParametricGate | DerivedUnitary {
  return 'slots' in operation || 'source' in operation;
}

/** The angles of a circuit, divided into parameters and constants. */
export interface AngleKinds {
  /** Number of the parameter that each angle is, or CONSTANT. Equal angles are one parameter. */
  readonly slots: Int32Array;
  /** The values of the parameters. */
  readonly values: readonly number[];
}

/**
 * Tells parameters from constants by their values, because a circuit does not say which of its angles will
 * change. Fractions of π with small powers of two as denominators, and π divided by any power of two, are
 * constants: they are what gates are made of that passes know to simplify.
 */
export function angleKinds(angles: readonly number[]): AngleKinds {
  const slots = new Int32Array(angles.length);
  const known = new Map<number, number>();
  for (let i = 0; i < angles.length; i++) {
    const angle = angles[i]!;
    if (isFractionOfPi(angle)) {
      slots[i] = CONSTANT;
      continue;
    }
    let slot = known.get(angle);
    if (slot === undefined) {
      slot = known.size;
      known.set(angle, slot);
    }
    slots[i] = slot;
  }
  return { slots, values: [...known.keys()] };
}

/** Denominator of the fractions of π that are constants. */
const DENOMINATOR = 64;
/** Difference, in multiples of the fraction, at which an angle counts as one. */
const TOLERANCE = 1e-9;

function isFractionOfPi(angle: number): boolean {
  const part = (angle / Math.PI) * DENOMINATOR;
  const nearest = Math.round(part);
  if (Math.abs(part - nearest) < TOLERANCE) return true;
  if (Math.abs(part) >= 1) return false;
  const size = Math.abs(part);
  return Math.abs(size * 2 ** -Math.round(Math.log2(size)) - 1) < TOLERANCE;
}
