/**
 * Channels that callers write, as Pauli or Kraus channels: the named ones, and sets of Kraus matrices, which are
 * corrected and brought to their simplest form. Parameters are in range; a channel that does nothing is undefined.
 *
 * @see Nielsen & Chuang, "Quantum Computation and Quantum Information", section 8.3.
 */

import { numOnes } from '../../math/basis-index.ts';
import {
  adjoint,
  type ComplexMatrix,
  dimension,
  identity,
  maxAbsDifference,
  multiply,
} from '../../math/complex-matrix.ts';
import type { Channel, PauliError } from './channel.ts';

/** A Pauli channel of errors that may have probability 0. */
export function pauliChannel(
  numQubits: number,
  errors: readonly PauliError[],
): Channel | undefined {
  const possible = errors.filter(({ probability }) => probability > 0);
  return possible.length === 0 ? undefined : { kind: 'pauli', numQubits, errors: possible };
}

/** One Pauli matrix with a probability. */
export function flip(letter: 'X' | 'Y' | 'Z', probability: number): Channel | undefined {
  const flips = letter === 'Z' ? 0 : 1;
  const signs = letter === 'X' ? 0 : 1;
  return pauliChannel(1, [{ flips, signs, probability }]);
}

/** With a probability one of the 4^k − 1 Pauli strings, all alike. At 1 − 4^−k nothing is left of a state. */
export function depolarizing(numQubits: number, probability: number): Channel | undefined {
  const size = 2 ** numQubits;
  const each = probability / (size * size - 1);
  const errors: PauliError[] = [];
  for (let signs = 0; signs < size; signs++) {
    for (let flips = 0; flips < size; flips++) {
      if (flips + signs > 0) errors.push({ flips, signs, probability: each });
    }
  }
  return pauliChannel(numQubits, errors);
}

/** Coherence shrinks by √(1 − γ): Z with probability (1 − √(1 − γ))/2. */
export function phaseDamping(gamma: number): Channel | undefined {
  // The same number without cancellation.
  return flip('Z', gamma / (2 * (1 + Math.sqrt(1 - gamma))));
}

/** Decay of a fraction γ of the population towards `excited`, the stationary population of |1⟩. */
export function amplitudeDamping(gamma: number, excited: number): Channel | undefined {
  const kept = Math.sqrt(1 - gamma);
  return relaxation({ gamma, excited, coherence: kept, lost: gamma / (1 + kept), spread: 0 });
}

/**
 * Relaxation with T1 and T2 ≤ 2·T1 for a time, all in one unit.
 *
 * @param excited - Stationary population of |1⟩.
 */
export function thermalRelaxation(
  t1: number,
  t2: number,
  duration: number,
  excited: number,
): Channel | undefined {
  const gamma = -Math.expm1(-duration / t1);
  const coherence = Math.exp(-duration / t2);
  const lost = -Math.expm1(-duration / t2);
  // Rounding may leave T2 slightly above 2·T1.
  const excess = Math.min(0, duration / t1 - 2 * (duration / t2));
  // After a very long time both terms are infinite, and nothing is left that could dephase.
  const spread = gamma === 1 ? 0 : (1 - gamma) * -Math.expm1(excess);
  return relaxation({ gamma, excited, coherence, lost, spread });
}

/** Relaxation of a qubit. Differences are given, because computing them would lose digits. */
interface Relaxation {
  /** Fraction of the deviation from the stationary populations that is lost. */
  readonly gamma: number;
  readonly excited: number;
  /** Factor of the off-diagonal elements. */
  readonly coherence: number;
  /** 1 − coherence. */
  readonly lost: number;
  /** 1 − γ − coherence². */
  readonly spread: number;
}

function relaxation({ gamma, excited, coherence, lost, spread }: Relaxation): Channel | undefined {
  // A decay that double precision cannot tell from none.
  if (1 - gamma === 1) return flip('Z', lost / 2);
  if (excited === 0.5) {
    // Both populations decay alike, and the Bloch vector shrinks along its axes: these are Pauli errors.
    const [flips, signs, probability] = [1, 1, gamma / 4];
    return pauliChannel(1, [
      { flips, signs: 0, probability },
      { flips, signs, probability },
      { flips: 0, signs, probability: (lost - gamma / 2) / 2 },
    ]);
  }
  /** Products of the two populations that stay; an excess over the squared coherence is dephasing of its own. */
  const dephased = spread + excited * (1 - excited) * gamma ** 2;
  const stays = Math.sqrt(1 - Math.min(excited, 1 - excited) * gamma);
  const diagonals = [
    [stays, coherence / stays],
    [0, Math.sqrt(dephased) / stays],
  ] as const;
  return {
    kind: 'kraus',
    numQubits: 1,
    matrices: [
      // The more stable state comes first, so that nothing is divided by a small number.
      ...diagonals.map(([a, b]) => (excited < 0.5 ? matrix(a, 0, 0, b) : matrix(b, 0, 0, a))),
      matrix(0, Math.sqrt((1 - excited) * gamma), 0, 0),
      matrix(0, 0, Math.sqrt(excited * gamma), 0),
    ].filter(isNotZero),
  };
}

/** Sets the qubit to |value⟩ with a probability. */
export function resetTo(value: 0 | 1, probability: number): Channel | undefined {
  if (probability === 0) return undefined;
  const kept = Math.sqrt(1 - probability);
  const set = Math.sqrt(probability);
  const onto =
    value === 0
      ? [matrix(set, 0, 0, 0), matrix(0, set, 0, 0)]
      : [matrix(0, 0, set, 0), matrix(0, 0, 0, set)];
  const matrices = [matrix(kept, 0, 0, kept), ...onto].filter(isNotZero);
  return { kind: 'kraus', numQubits: 1, matrices };
}

/** Loses the qubit with a probability. */
export function loss(probability: number): Channel | undefined {
  return probability === 0 ? undefined : { kind: 'loss', numQubits: 1, probability };
}

/** A real matrix of two rows. */
const matrix = (a: number, b: number, c: number, d: number): ComplexMatrix =>
  Float64Array.of(a, 0, b, 0, c, 0, d, 0);

const isNotZero = (entries: ComplexMatrix): boolean => entries.some((entry) => entry !== 0);

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
