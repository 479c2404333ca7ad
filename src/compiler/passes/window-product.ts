/**
 * Products of gates on at most three qubits, and single columns of them. If the image of |000⟩ is not a
 * single basis state, the product is neither a permutation with phases nor a gate with controls. Computing
 * that column takes an eighth of the arithmetic.
 */
import type { Qubit } from '../../circuit/circuit.ts';
import { type ComplexMatrix, transpose } from '../../math/complex-matrix.ts';
import type { GateLike } from './gate-like.ts';

/** Most qubits of a product. */
export const MAX_WINDOW_QUBITS = 3;
/** Number of basis states; qubits that a product lacks keep their value. */
export const DIMENSION = 2 ** MAX_WINDOW_QUBITS;
/** Entries below this are rounding errors of some forty gates, each a few roundings. */
export const WINDOW_ROUNDING = 1e-13;

/** A gate on some qubits of a window. */
export interface WindowGate {
  readonly operation: GateLike;
  /** Matrix on its targets. */
  readonly matrix: ComplexMatrix;
}

/** Image of one basis state under a sequence of gates. */
export class WindowColumn {
  readonly #amplitudes = new Float64Array(2 * DIMENSION);
  readonly #start: number;
  #numApplied = 0;

  constructor(start: number) {
    this.#start = start;
    this.restart();
  }

  /** Forgets all gates. */
  restart(): void {
    this.#amplitudes.fill(0);
    this.#amplitudes[2 * this.#start] = 1;
    this.#numApplied = 0;
  }

  /**
   * Whether the gates map the basis state to itself or to another one; undefined for a superposition.
   *
   * @param gates - The gates of the last call, and possibly more.
   * @param qubits - Bit i of a basis index is `qubits[i]`.
   */
  image(gates: readonly WindowGate[], qubits: readonly Qubit[]): 'itself' | 'other' | undefined {
    for (; this.#numApplied < gates.length; this.#numApplied++) {
      const { matrix, operation } = gates[this.#numApplied]!;
      apply(this.#amplitudes, SINGLE, matrix, operation, qubits);
    }
    let image: number | undefined;
    for (let j = 0; j < DIMENSION; j++) {
      if (isNear0(this.#amplitudes[2 * j]!) && isNear0(this.#amplitudes[2 * j + 1]!)) continue;
      if (image !== undefined) return undefined;
      image = j;
    }
    return image === this.#start ? 'itself' : 'other';
  }
}

/** A product of gates, which grows at either end. */
export class WindowProduct {
  /** Row-major, with DIMENSION rows. */
  readonly matrix: ComplexMatrix = new Float64Array(2 * DIMENSION * DIMENSION);
  #numFactors = 0;

  /** Forgets all gates. */
  restart(): void {
    this.#numFactors = 0;
    this.matrix.fill(0);
    for (let i = 0; i < DIMENSION; i++) this.matrix[2 * i * (DIMENSION + 1)] = 1;
  }

  get numFactors(): number {
    return this.#numFactors;
  }

  /** Multiplies by a gate that comes after. */
  append(gate: WindowGate, qubits: readonly Qubit[]): void {
    this.#numFactors++;
    apply(this.matrix, COLUMNS, gate.matrix, gate.operation, qubits);
  }

  /** Multiplies by a gate that comes before. */
  prepend({ matrix, operation }: WindowGate, qubits: readonly Qubit[]): void {
    this.#numFactors++;
    apply(this.matrix, ROWS, transpose(matrix), operation, qubits);
  }
}

/** Whether a part of an entry is a rounding error. */
export function isNear0(part: number): boolean {
  return Math.abs(part) < WINDOW_ROUNDING;
}

/** Position of a qubit among a window's; −1 if it is not there. Faster than `indexOf` on such short lists. */
export function positionOf(qubits: readonly Qubit[], qubit: Qubit): number {
  for (let i = 0; i < qubits.length; i++) if (qubits[i] === qubit) return i;
  return -1;
}

function maskOf(some: readonly Qubit[], qubits: readonly Qubit[]): number {
  let mask = 0;
  for (let i = 0; i < some.length; i++) mask |= 1 << positionOf(qubits, some[i]!);
  return mask;
}

/** Vectors within an array: their number, the distance between them, and the stride between entries. */
interface Vectors {
  readonly count: number;
  readonly distance: number;
  readonly stride: number;
}

const SINGLE: Vectors = { count: 1, distance: 0, stride: 2 };
const COLUMNS: Vectors = { count: DIMENSION, distance: 2, stride: 2 * DIMENSION };
const ROWS: Vectors = { count: DIMENSION, distance: 2 * DIMENSION, stride: 2 };

/** Multiplies vectors by a matrix on some of the qubits, in place. */
function apply(
  out: Float64Array,
  { count, distance, stride }: Vectors,
  matrix: ComplexMatrix,
  { targets, controls }: GateLike,
  qubits: readonly Qubit[],
): void {
  const targetMask = maskOf(targets, qubits);
  const controlMask = maskOf(controls, qubits);
  const offsets = targets.length === 1 ? undefined : offsetsOf(targets, qubits, stride);
  for (let base = 0; base < DIMENSION; base++) {
    if ((base & targetMask) !== 0 || (base & controlMask) !== controlMask) continue;
    for (let vector = 0; vector < count; vector++) {
      const first = distance * vector + stride * base;
      if (offsets !== undefined) applyToGroup(out, first, offsets, matrix);
      else applyToPair(out, first, first + stride * targetMask, matrix);
    }
  }
}

function applyToPair(out: Float64Array, i: number, j: number, m: ComplexMatrix): void {
  const [a, b, c, d] = [out[i]!, out[i + 1]!, out[j]!, out[j + 1]!];
  out[i] = m[0]! * a - m[1]! * b + m[2]! * c - m[3]! * d;
  out[i + 1] = m[0]! * b + m[1]! * a + m[2]! * d + m[3]! * c;
  out[j] = m[4]! * a - m[5]! * b + m[6]! * c - m[7]! * d;
  out[j + 1] = m[4]! * b + m[5]! * a + m[6]! * d + m[7]! * c;
}

/** Offsets of the entries that a matrix mixes, from the first of them. */
function offsetsOf(
  targets: readonly Qubit[],
  qubits: readonly Qubit[],
  stride: number,
): readonly number[] {
  return Array.from({ length: 2 ** targets.length }, (_, k) => {
    const set = targets.filter((_target, t) => (k >> t) & 1);
    return stride * maskOf(set, qubits);
  });
}

function applyToGroup(
  out: Float64Array,
  first: number,
  offsets: readonly number[],
  matrix: ComplexMatrix,
): void {
  const before = offsets.map((offset) => [out[first + offset]!, out[first + offset + 1]!] as const);
  for (const [row, offset] of offsets.entries()) {
    let re = 0;
    let im = 0;
    for (const [k, [a, b]] of before.entries()) {
      const m = 2 * (row * offsets.length + k);
      re += matrix[m]! * a - matrix[m + 1]! * b;
      im += matrix[m]! * b + matrix[m + 1]! * a;
    }
    out[first + offset] = re;
    out[first + offset + 1] = im;
  }
}
