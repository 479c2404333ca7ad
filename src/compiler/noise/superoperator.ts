/**
 * Channels as matrices on the entries of a density matrix.
 *
 * On k qubits such a matrix acts on 2k qubits: bit i of its index is operand i of the row, bit k + i that of the column.
 * Common channels connect few of the entries: all of those on one qubit connect ρ00 with ρ11, and some of them ρ01 with
 * ρ10, so that a channel is done as small matrices on a few entries each, times a number for all others.
 *
 * @see Wood, Biamonte & Cory, "Tensor networks and graphical calculus for open quantum systems", 2015, section 2.
 */
import {
  type Channel,
  type KrausChannel,
  type PauliChannel,
  withIdentity,
} from '../../circuit/noise/channel.ts';
import { hasOddParity } from '../../math/basis-index.ts';
import { type ComplexMatrix, dimension } from '../../math/complex-matrix.ts';
import { withoutRounding } from '../block-product.ts';
import type { LinearMap } from './linear-map.ts';

/** A part of a superoperator, as of a linear map. */
export type MapPart = Pick<LinearMap, 'matrix' | 'rows' | 'rest'>;

/** A number for all other entries is at least this: engines defer it, and nothing must become too large meanwhile. */
const LEAST_REST = 0.5;

/** The superoperator of a channel; row-major, 4^numQubits rows. */
export function superoperatorOf(channel: Channel): ComplexMatrix {
  return channel.kind === 'kraus' ? superoperatorOfKraus(channel) : superoperatorOfPaulis(channel);
}

/** Σ K ⊗ conj(K), the column on the higher bits. */
function superoperatorOfKraus({ numQubits, matrices }: KrausChannel): ComplexMatrix {
  const d = 2 ** numQubits;
  const size = d * d;
  const out = new Float64Array(2 * size * size);
  for (const kraus of matrices) {
    for (let left = 0; left < d * d; left++) {
      const [aRe, aIm] = [kraus[2 * left]!, kraus[2 * left + 1]!];
      if (aRe === 0 && aIm === 0) continue;
      const [row, column] = [Math.floor(left / d), left % d];
      for (let right = 0; right < d * d; right++) {
        const [bRe, bIm] = [kraus[2 * right]!, -kraus[2 * right + 1]!];
        const to = row + d * Math.floor(right / d);
        const from = column + d * (right % d);
        out[2 * (to * size + from)]! += aRe * bRe - aIm * bIm;
        out[2 * (to * size + from) + 1]! += aRe * bIm + aIm * bRe;
      }
    }
  }
  return rounded(out);
}

/** An error sends the entry (r, c) to (r ^ flips, c ^ flips), negated where r ^ c has an odd number of its signs. */
function superoperatorOfPaulis(channel: PauliChannel): ComplexMatrix {
  const { numQubits } = channel;
  const d = 2 ** numQubits;
  const size = d * d;
  const out = new Float64Array(2 * size * size);
  for (const { flips, signs, probability } of withIdentity(channel)) {
    for (let from = 0; from < size; from++) {
      const to = from ^ (flips * (d + 1));
      const isNegative = hasOddParity((from ^ (from >> numQubits)) & (d - 1) & signs);
      out[2 * (to * size + from)]! += isNegative ? -probability : probability;
    }
  }
  return rounded(out);
}

function rounded(matrix: ComplexMatrix): ComplexMatrix {
  for (let i = 0; i < matrix.length; i++) matrix[i] = withoutRounding(matrix[i]!);
  return matrix;
}

/** Maps whose product is a superoperator, in any order. None of them for the identity. */
export function partsOf(superoperator: ComplexMatrix): readonly MapPart[] {
  const size = dimension(superoperator);
  const connected = connectedRows(superoperator, size);
  const single = connected.flatMap((rows) => (rows.length === 1 ? rows : []));
  const blocks = connected.filter((rows) => rows.length > 1);
  const diagonal = (row: number): readonly [number, number] => {
    const at = 2 * row * (size + 1);
    return [superoperator[at]!, superoperator[at + 1]!];
  };
  const rest = mostCommon(single.map(diagonal));
  const others = single.filter((row) => !isNear(diagonal(row), rest));
  const parts = blocks.map((rows) => matrixOn(superoperator, size, rows));
  if (others.length > 0) parts.push(matrixOn(superoperator, size, others));
  // The first part multiplies all entries but its own, so the others take that back.
  return parts.map((part, i) =>
    i === 0 ? { ...part, rest } : { ...part, rest: 1, matrix: part.matrix.map((x) => x / rest) },
  );
}

/** Sets of rows that entries connect, each ascending. */
function connectedRows(matrix: ComplexMatrix, size: number): readonly (readonly number[])[] {
  const group = Array.from({ length: size }, (_, row) => row);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const at = 2 * (row * size + column);
      if (matrix[at] === 0 && matrix[at + 1] === 0) continue;
      const [a, b] = [group[row]!, group[column]!];
      if (a === b) continue;
      for (let i = 0; i < size; i++) if (group[i] === b) group[i] = a;
    }
  }
  const found = Map.groupBy(group.keys(), (row) => group[row]!);
  return [...found.values()];
}

/** The real number in [0.5, 1] that most of the numbers are; 1 if there is none, or of several. */
function mostCommon(numbers: readonly (readonly [number, number])[]): number {
  let [best, most] = [1, numbers.filter((number) => isNear(number, 1)).length];
  for (const [re, im] of numbers) {
    if (im !== 0 || re < LEAST_REST || re >= 1) continue;
    const count = numbers.filter((number) => isNear(number, re)).length;
    if (count > most) [best, most] = [re, count];
  }
  return best;
}

/** Whether a number is a real one, up to rounding. */
function isNear([re, im]: readonly [number, number], real: number): boolean {
  return im === 0 && Math.abs(re - real) < 4e-16;
}

function matrixOn(matrix: ComplexMatrix, size: number, rows: readonly number[]): MapPart {
  const own = new Float64Array(2 * rows.length ** 2);
  for (const [i, row] of rows.entries()) {
    for (const [j, column] of rows.entries()) {
      const at = 2 * (row * size + column);
      own.set(matrix.subarray(at, at + 2), 2 * (i * rows.length + j));
    }
  }
  return { rows, matrix: own, rest: 1 };
}
