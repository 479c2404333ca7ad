/**
 * Matrices of the gate table, and the Euler angles of any one-qubit unitary.
 *
 * Phases are exact, never "up to a global phase": under a further control a phase is observable.
 */
import { sumOfAngles } from '../math/angles.ts';
import type { ComplexMatrix } from '../math/complex-matrix.ts';

/** A complex number. */
type Complex = readonly [re: number, im: number];

/** 1/√2. */
export const SQRT_HALF = Math.SQRT1_2;
/** 0. */
export const ZERO: Complex = [0, 0];
/** 1. */
export const ONE: Complex = [1, 0];

/** e^{i·angle}. */
export const phase = (angle: number): Complex => [Math.cos(angle), Math.sin(angle)];
/** A real number. */
export const real = (value: number): Complex => [value, 0];
/** An imaginary number. */
export const imaginary = (value: number): Complex => [0, value];

/** Builds a matrix from its rows. */
export function rows(...entries: readonly (readonly Complex[])[]): ComplexMatrix {
  const d = entries.length;
  const out = new Float64Array(2 * d * d);
  let i = 0;
  for (const row of entries) {
    for (const entry of row) {
      out[i++] = entry[0];
      out[i++] = entry[1];
    }
  }
  return out;
}

/** Builds a diagonal matrix. */
export function diagonal(...entries: readonly Complex[]): ComplexMatrix {
  const d = entries.length;
  const out = new Float64Array(2 * d * d);
  for (let i = 0; i < d; i++) {
    out[2 * i * (d + 1)] = entries[i]![0];
    out[2 * i * (d + 1) + 1] = entries[i]![1];
  }
  return out;
}

/** Builds a two-qubit matrix with the block [[a, b], [c, d]] on |01⟩, |10⟩, and `corner` at |11⟩. */
export function exchange(
  a: Complex,
  b: Complex,
  c: Complex,
  d: Complex,
  corner: Complex,
): ComplexMatrix {
  return rows(
    [ONE, ZERO, ZERO, ZERO],
    [ZERO, a, b, ZERO],
    [ZERO, c, d, ZERO],
    [ZERO, ZERO, ZERO, corner],
  );
}

/** Pauli X. */
export const X = (): ComplexMatrix => rows([ZERO, ONE], [ONE, ZERO]);
/** Pauli Y. */
export const Y = (): ComplexMatrix => rows([ZERO, imaginary(-1)], [imaginary(1), ZERO]);
/** Pauli Z. */
export const Z = (): ComplexMatrix => diagonal(ONE, real(-1));
/** Hadamard. */
export const H = (): ComplexMatrix =>
  rows([real(SQRT_HALF), real(SQRT_HALF)], [real(SQRT_HALF), real(-SQRT_HALF)]);
/** √X, or its inverse for −1. */
export const SX = (sign: 1 | -1): ComplexMatrix =>
  rows(
    [
      [0.5, 0.5 * sign],
      [0.5, -0.5 * sign],
    ],
    [
      [0.5, -0.5 * sign],
      [0.5, 0.5 * sign],
    ],
  );
/** Entries of a rotation by θ with phase β between two basis states; both diagonal entries are `c`. */
export function phasedRotation(theta: number, beta: number) {
  const s = Math.sin(theta / 2);
  const [sinBeta, cosBeta] = [s * Math.sin(beta), s * Math.cos(beta)];
  const low: Complex = [sinBeta, -cosBeta];
  const high: Complex = [-sinBeta, -cosBeta];
  return { c: real(Math.cos(theta / 2)), low, high };
}

/** Exchanges two qubits. */
export const SWAP = (): ComplexMatrix => exchange(ZERO, ONE, ONE, ZERO, ONE);
/** diag(1, e^{i·angle}). */
export const phaseGate = (angle: number): ComplexMatrix => diagonal(ONE, phase(angle));

/** cos(θ/2)·1 − i·sin(θ/2)·(cos φ X + sin φ Y): a rotation about an axis in the equator. */
export function equatorRotation(theta: number, phi: number): ComplexMatrix {
  const c = Math.cos(theta / 2);
  const s = Math.sin(theta / 2);
  const re = s * Math.sin(phi);
  const im = -s * Math.cos(phi);
  return Float64Array.of(c, 0, -re, im, re, im, c, 0);
}

/** exp(−iθ/2 · Y). */
export function RY(theta: number): ComplexMatrix {
  const c = Math.cos(theta / 2);
  const s = Math.sin(theta / 2);
  return Float64Array.of(c, 0, -s, 0, s, 0, c, 0);
}

/** exp(−iθ/2 · X). */
export const RX = (theta: number): ComplexMatrix => equatorRotation(theta, 0);
/** exp(−iθ/2 · Z). */
export function RZ(theta: number): ComplexMatrix {
  const c = Math.cos(theta / 2);
  const s = Math.sin(theta / 2);
  return Float64Array.of(c, -s, 0, 0, 0, 0, c, s);
}

/** e^{iγ}·U(θ, φ, λ) in OpenQASM 3's convention: U(θ, φ, λ) has a real upper left entry. */
export function euler(theta: number, phi: number, lambda: number, gamma: number): ComplexMatrix {
  const c = Math.cos(theta / 2);
  const s = Math.sin(theta / 2);
  const out = new Float64Array(8);
  const angles = [
    gamma,
    sumOfAngles(gamma, lambda),
    sumOfAngles(gamma, phi),
    sumOfAngles(gamma, sumOfAngles(phi, lambda)),
  ];
  for (let i = 0; i < 4; i++) {
    const factor = i === 0 || i === 3 ? c : i === 1 ? -s : s;
    out[2 * i] = factor * Math.cos(angles[i]!);
    out[2 * i + 1] = factor * Math.sin(angles[i]!);
  }
  return out;
}

/** exp(−iθ/2 · P) for a two-qubit Pauli P, given by its action |j⟩ → signs[j]·|j ^ flip⟩ with flip > 0. */
function pauliRotation(
  theta: number,
  out: ComplexMatrix,
  flip: number,
  signs: readonly number[],
): ComplexMatrix {
  const c = Math.cos(theta / 2);
  const s = Math.sin(theta / 2);
  for (let column = 0; column < 4; column++) {
    out[10 * column] = c;
    out[2 * ((column ^ flip) * 4 + column) + 1] = -s * signs[column]!;
  }
  return out;
}

/** exp(−iθ/2 · X⊗X). */
export const RXX = (theta: number, out: ComplexMatrix = new Float64Array(32)): ComplexMatrix =>
  pauliRotation(theta, out, 3, [1, 1, 1, 1]);
/** exp(−iθ/2 · Y⊗Y). */
export const RYY = (theta: number, out: ComplexMatrix = new Float64Array(32)): ComplexMatrix =>
  pauliRotation(theta, out, 3, [-1, 1, 1, -1]);
/** exp(−iθ/2 · Z⊗Z). */
export function RZZ(theta: number, out: ComplexMatrix = new Float64Array(32)): ComplexMatrix {
  const c = Math.cos(theta / 2);
  const s = Math.sin(theta / 2);
  for (let j = 0; j < 4; j++) {
    out[10 * j] = c;
    out[10 * j + 1] = j === 1 || j === 2 ? s : -s;
  }
  return out;
}
/** exp(−iθ/2 · X⊗Z), Z on the first target. */
export const RZX = (theta: number, out: ComplexMatrix = new Float64Array(32)): ComplexMatrix =>
  pauliRotation(theta, out, 2, [1, -1, 1, -1]);

/** Angles of e^{iγ}·U(θ, φ, λ), in radians. */
interface EulerAngles {
  readonly theta: number;
  readonly phi: number;
  readonly lambda: number;
  readonly gamma: number;
}

/** Entries below this are rounding errors and have no meaningful phase. */
const NEGLIGIBLE = 1e-15;

/**
 * Returns the angles of e^{iγ}·U(θ, φ, λ) for a unitary; U has a real upper left entry.
 *
 * @param unitary - Two rows.
 */
export function eulerAngles(unitary: ComplexMatrix): EulerAngles {
  const size = (i: number) => Math.hypot(unitary[2 * i]!, unitary[2 * i + 1]!);
  const angle = (i: number, sign = 1) =>
    size(i) < NEGLIGIBLE ? 0 : Math.atan2(sign * unitary[2 * i + 1]!, sign * unitary[2 * i]!);
  const theta = 2 * Math.atan2(size(2), size(0));
  const gamma = angle(0);
  const phi = size(2) < NEGLIGIBLE ? 0 : angle(2) - gamma;
  // The larger pair of entries gives the last angle, because it is more precise.
  const lambda = size(0) >= size(2) ? angle(3) - gamma - phi : angle(1, -1) - gamma;
  return { theta, phi, lambda, gamma };
}
