/**
 * Which of the Pauli strings of a sum anticommute, as rows of bits, one bit a term.
 *
 * The row of a product of strings is the exclusive or of their rows, so that nested commutators need no strings: two
 * Pauli strings commute or anticommute, and a commutator of two that anticommute is twice their product.
 */
import type { PauliFactor } from '../observable.ts';

/** Rows of bits: bit k of row i is set if terms i and k anticommute. */
export class CommutationGraph {
  readonly numTerms: number;
  /** Words of a row; term k is bit k mod 32 of word k / 32. */
  readonly numWords: number;
  readonly #rows: Uint32Array;

  constructor(terms: readonly (readonly PauliFactor[])[]) {
    this.numTerms = terms.length;
    this.numWords = Math.ceil(terms.length / 32);
    this.#rows = new Uint32Array(this.numWords * terms.length);
    const { flipping, signing } = this.#termsByQubit(terms);
    for (const [i, factors] of terms.entries()) {
      const row = this.row(i);
      for (const { pauli, qubit } of factors) {
        if (pauli !== 'Z') xorInto(row, signing.get(qubit)!);
        if (pauli !== 'X') xorInto(row, flipping.get(qubit)!);
      }
    }
  }

  /** The row of a term; a view. */
  row(term: number): Uint32Array {
    return this.#rows.subarray(term * this.numWords, (term + 1) * this.numWords);
  }

  /** Whether a term commutes with all others. */
  commutesWithAll(term: number): boolean {
    return this.row(term).every((word) => word === 0);
  }

  /** For each qubit the terms with an X or a Y there, and those with a Y or a Z. */
  #termsByQubit(terms: readonly (readonly PauliFactor[])[]) {
    const flipping = new Map<number, Uint32Array>();
    const signing = new Map<number, Uint32Array>();
    for (const [i, factors] of terms.entries()) {
      for (const { pauli, qubit } of factors) {
        if (!flipping.has(qubit)) {
          flipping.set(qubit, new Uint32Array(this.numWords));
          signing.set(qubit, new Uint32Array(this.numWords));
        }
        if (pauli !== 'Z') flipping.get(qubit)![i >>> 5]! |= 1 << (i & 31);
        if (pauli !== 'X') signing.get(qubit)![i >>> 5]! |= 1 << (i & 31);
      }
    }
    return { flipping, signing };
  }
}

/** Replaces a row by its exclusive or with another. */
export function xorInto(row: Uint32Array, other: Uint32Array): void {
  for (let i = 0; i < row.length; i++) row[i]! ^= other[i]!;
}
