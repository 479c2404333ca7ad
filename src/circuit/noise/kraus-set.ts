/** Sets of Kraus matrices as callers give them: how far one is from complete, its correction, and its simplest form. */

import { numOnes } from '../../math/basis-index.ts';
import {
  adjoint,
  type ComplexMatrix,
  dimension,
  identity,
  maxAbsDifference,
  multiply,
} from '../../math/complex-matrix.ts';
import type { Channel } from './channel.ts';
import { pauliChannel } from './named-channels.ts';

/** Completeness defect that double precision can leave. */
const ROUNDING = 1e-14;
/** Part of a process matrix that rounding of the given matrices can leave. */
const NEGLIGIBLE = 1e-15;

/** Largest entry of |Σ K†K − 1|: how far a set is from keeping probabilities. */
export function completenessDefect(matrices: readonly ComplexMatrix[]): number {
  return maxAbsDifference(sumOfSquares(matrices), identity(dimension(matrices[0]!)));
}

/**
 * The channel of a nearly complete set; undefined where it does nothing.
 *
 * A defect beyond rounding is corrected, because it would grow with every application. A channel that consists of Pauli
 * errors, in whatever matrices it is given, becomes a Pauli channel.
 */
export function krausChannel(matrices: readonly ComplexMatrix[]): Channel | undefined {
  const complete = completenessDefect(matrices) <= ROUNDING ? matrices : completed(matrices);
  const numQubits = Math.log2(dimension(matrices[0]!));
  const process = pauliProbabilities(complete, numQubits);
  if (process !== undefined) {
    const size = 2 ** numQubits;
    const errors = process.map((probability, index) => ({
      flips: index % size,
      signs: Math.floor(index / size),
      probability,
    }));
    return pauliChannel(numQubits, errors.slice(1));
  }
  const kept = complete.filter((matrix) => matrix.some((entry) => entry !== 0));
  return { kind: 'kraus', numQubits, matrices: kept };
}

/** Σ K†K. */
function sumOfSquares(matrices: readonly ComplexMatrix[]): ComplexMatrix {
  const sum = new Float64Array(matrices[0]!.length);
  for (const matrix of matrices) {
    const square = multiply(adjoint(matrix), matrix);
    for (let i = 0; i < sum.length; i++) sum[i]! += square[i]!;
  }
  return sum;
}

/** K·S^(−1/2) for S = Σ K†K close to 1, in two steps of Newton's iteration, K·(3 − S)/2. */
function completed(matrices: readonly ComplexMatrix[]): readonly ComplexMatrix[] {
  let corrected = matrices;
  for (let step = 0; step < 2; step++) {
    const one = identity(dimension(matrices[0]!));
    const half = sumOfSquares(corrected).map((entry, i) => (3 * one[i]! - entry) / 2);
    corrected = corrected.map((matrix) => multiply(matrix, half));
  }
  return corrected;
}

/**
 * Probability of each Pauli string, at `flips + 2^k · signs`; undefined for a channel that is no mixture of them.
 *
 * A channel is one if its process matrix in the basis of Pauli strings is diagonal.
 */
function pauliProbabilities(
  matrices: readonly ComplexMatrix[],
  numQubits: number,
): readonly number[] | undefined {
  const size = 2 ** numQubits;
  const numStrings = size * size;
  const components = matrices.map((matrix) => pauliComponents(matrix, size));
  for (let a = 0; a < numStrings; a++) {
    for (let b = 0; b < a; b++) {
      let re = 0;
      let im = 0;
      for (const part of components) {
        const [ar, ai, br, bi] = [part[2 * a]!, part[2 * a + 1]!, part[2 * b]!, part[2 * b + 1]!];
        re += ar * br + ai * bi;
        im += ai * br - ar * bi;
      }
      if (Math.abs(re) > NEGLIGIBLE || Math.abs(im) > NEGLIGIBLE) return undefined;
    }
  }
  return Array.from({ length: numStrings }, (_, index) =>
    components.reduce((sum, part) => sum + part[2 * index]! ** 2 + part[2 * index + 1]! ** 2, 0),
  );
}

/**
 * Components of a matrix along X^flips·Z^signs, which is a Pauli string up to a phase that probabilities do not depend
 * on; at `flips + size · signs`, interleaved re, im.
 */
function pauliComponents(matrix: ComplexMatrix, size: number): Float64Array {
  const out = new Float64Array(2 * size * size);
  for (let signs = 0; signs < size; signs++) {
    for (let flips = 0; flips < size; flips++) {
      const to = 2 * (flips + size * signs);
      for (let column = 0; column < size; column++) {
        const at = 2 * ((column ^ flips) * size + column);
        const sign = numOnes(column & signs) % 2 === 0 ? 1 / size : -1 / size;
        out[to]! += sign * matrix[at]!;
        out[to + 1]! += sign * matrix[at + 1]!;
      }
    }
  }
  return out;
}
