/**
 * A diagonal as a product of monomials: φ_S multiplies the basis states in which all qubits of S
 * are 1. Any diagonal without zeros is one such product, found by a Möbius transform of its entries,
 * and the product of diagonals is the product of equal monomials: so diagonals of any shape merge
 * into one, and the qubits outside a tile are a condition on it.
 *
 * S is a mask of physical qubits, which are fewer than 31.
 */
import { type Complex, isOne, over, times } from './complex.ts';

/** Multiplies the basis states in which all qubits of the mask are 1. */
export interface Monomial {
  readonly mask: number;
  readonly phase: Complex;
}

/**
 * The monomials of a diagonal that are not 1.
 *
 * @param targets - Qubits; bit i of an entry's index is targets[i].
 * @param controls - Mask of qubits that must all be 1 for the diagonal to apply.
 * @param entries - 2^targets.length; none is 0.
 */
export function monomialsOf(
  targets: readonly number[],
  controls: number,
  entries: readonly Complex[],
): readonly Monomial[] {
  const size = entries.length;
  const phases = [...entries];
  // The Möbius transform over subsets, division in place of subtraction.
  for (let bit = 1; bit < size; bit <<= 1) {
    for (let j = 0; j < size; j++) if (j & bit) phases[j] = over(phases[j]!, phases[j ^ bit]!);
  }
  const monomials: Monomial[] = [];
  for (let j = 0; j < size; j++) {
    const phase = phases[j]!;
    if (isOne(phase)) continue;
    let mask = controls;
    for (let i = 0; i < targets.length; i++) if ((j >> i) & 1) mask |= 1 << targets[i]!;
    monomials.push({ mask, phase });
  }
  return monomials;
}

/** Product of monomials, keyed by their masks. The monomial of mask 0 is a scalar. */
export class PhasePolynomial {
  readonly #phases = new Map<number, Complex>();
  /** Mask of the qubits of all monomials. */
  #qubits = 0;

  get isEmpty(): boolean {
    return this.#phases.size === 0;
  }

  /** Mask of the qubits that the diagonal depends on, or a superset of it. */
  get qubits(): number {
    return this.#qubits;
  }

  [Symbol.iterator](): IterableIterator<[number, Complex]> {
    return this.#phases.entries();
  }

  /** Multiplies the diagonal by a monomial. */
  multiply(mask: number, phase: Complex): void {
    const known = this.#phases.get(mask);
    const product = known === undefined ? phase : times(known, phase);
    if (isOne(product)) this.#phases.delete(mask);
    else {
      this.#phases.set(mask, product);
      this.#qubits |= mask;
    }
  }

  /** Removes the monomials that `select` picks, and returns them. */
  take(select: (mask: number, phase: Complex) => boolean): PhasePolynomial {
    const taken = new PhasePolynomial();
    for (const [mask, phase] of this.#phases) {
      if (!select(mask, phase)) continue;
      taken.multiply(mask, phase);
      this.#phases.delete(mask);
    }
    this.#qubits = 0;
    for (const mask of this.#phases.keys()) this.#qubits |= mask;
    return taken;
  }

  /** The same diagonal with every mask mapped, after qubits have moved. */
  moved(place: (mask: number) => number): PhasePolynomial {
    const moved = new PhasePolynomial();
    for (const [mask, phase] of this.#phases) moved.multiply(place(mask), phase);
    return moved;
  }
}
