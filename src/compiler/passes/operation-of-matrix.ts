/** Finds the simplest operation of a matrix, and restricts a matrix to targets in known basis states. */
import type { Qubit } from '../../circuit/circuit.ts';
import { insertZeroBits } from '../../math/basis-index.ts';
import { type ComplexMatrix, dimension, isDiagonal } from '../../math/complex-matrix.ts';
import { isNearIdentity, NEGLIGIBLE, nameUnderControls } from './gate-facts.ts';
import { type Conditioned, type GateLike, phaseOn } from './gate-like.ts';

/** Qubits and condition of an operation. */
interface Operands extends Conditioned {
  readonly controls: readonly Qubit[];
  readonly targets: readonly Qubit[];
}

/**
 * Returns a phase or an RZ if the matrix is one, else an explicit unitary; undefined for the identity. The
 * operation equals the matrix, including its phase, within about fifty roundings.
 */
export function operationOf(matrix: ComplexMatrix, operands: Operands): GateLike | undefined {
  const exact = matrix.map((part) => (Math.abs(part) < NEGLIGIBLE ? 0 : part));
  if (isNearIdentity(exact)) return undefined;
  if (operands.targets.length === 1 && isDiagonal(exact)) {
    const named = oneQubitDiagonal(exact, operands);
    if (named !== undefined) return named;
  }
  return { kind: 'unitary', ...operands, matrix: exact };
}

function oneQubitDiagonal(
  matrix: ComplexMatrix,
  { controls, targets, ...condition }: Operands,
): GateLike | undefined {
  const zero = phaseOf(matrix[0]!, matrix[1]!);
  const one = phaseOf(matrix[6]!, matrix[7]!);
  if (zero === undefined || one === undefined) return undefined;
  if (Math.abs(zero) < NEGLIGIBLE) return phaseOn([...targets, ...controls], one, condition);
  if (Math.abs(zero + one) > NEGLIGIBLE) return undefined;
  const gate = nameUnderControls('RZ', controls.length);
  return { kind: 'gate', gate, controls, targets, angles: [2 * one], ...condition };
}

/**
 * Returns the matrix on the other targets while target number `target` reads `value`; undefined if the matrix
 * may change that value.
 */
export function restricted(
  matrix: ComplexMatrix,
  target: number,
  value: number,
): ComplexMatrix | undefined {
  const d = dimension(matrix);
  const half = d / 2;
  const flip = 1 << target;
  const out = new Float64Array(2 * half * half);
  for (let col = 0; col < half; col++) {
    const from = insertZeroBits(col, [target]) + value * flip;
    for (let row = 0; row < half; row++) {
      const to = insertZeroBits(row, [target]) + value * flip;
      const leak = 2 * ((to ^ flip) * d + from);
      if (!isNothing(matrix[leak]!, matrix[leak + 1]!)) return undefined;
      const i = 2 * (to * d + from);
      out.set(matrix.subarray(i, i + 2), 2 * (row * half + col));
    }
  }
  return out;
}

/** Image of a basis state and its phase, if the image is a single basis state. */
export function basisImage(
  matrix: ComplexMatrix,
  column: number,
): { readonly row: number; readonly phase: number } | undefined {
  const d = dimension(matrix);
  let image: { row: number; phase: number } | undefined;
  for (let row = 0; row < d; row++) {
    const i = 2 * (row * d + column);
    const [re, im] = [matrix[i]!, matrix[i + 1]!];
    if (isNothing(re, im)) continue;
    const phase = phaseOf(re, im);
    if (image !== undefined || phase === undefined) return undefined;
    image = { row, phase };
  }
  return image;
}

/** Angle of a number on the unit circle; undefined for any other number. */
export function phaseOf(re: number, im: number): number | undefined {
  return Math.abs(Math.hypot(re, im) - 1) < NEGLIGIBLE ? Math.atan2(im, re) : undefined;
}

function isNothing(re: number, im: number): boolean {
  return Math.abs(re) < NEGLIGIBLE && Math.abs(im) < NEGLIGIBLE;
}
