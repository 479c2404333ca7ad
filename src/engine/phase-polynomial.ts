/**
 * A diagonal as a product of monomials: φ_S multiplies the basis states in which all qubits of S
 * are 1. Any diagonal without zeros is one such product, found by a Möbius transform of its entries,
 * and the product of diagonals is the product of equal monomials: so diagonals of any shape merge
 * into one, and what lies outside a tile is a condition on it.
 *
 * S is a mask of physical qubits, which are fewer than 31.
 */

/** A complex number. */
export interface Complex {
  readonly re: number;
  readonly im: number;
}

/** The number 1. */
export const ONE: Complex = { re: 1, im: 0 };

/** a·b. */
export function times(a: Complex, b: Complex): Complex {
  return { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re };
}

/** a/b. */
export function over(a: Complex, b: Complex): Complex {
  const norm = b.re * b.re + b.im * b.im;
  return {
    re: (a.re * b.re + a.im * b.im) / norm,
    im: (a.im * b.re - a.re * b.im) / norm,
  };
}

/**
 * Largest distance from 1 at which a product of phases counts as 1: the rounding of a few
 * operations.
 */
const ROUNDING = 4e-16;

/** Whether a phase is 1 up to rounding. */
export function isOne({ re, im }: Complex): boolean {
  return Math.abs(re - 1) <= ROUNDING && Math.abs(im) <= ROUNDING;
}

/** Whether the modulus of a factor is 1 up to rounding. */
export function isPhase({ re, im }: Complex): boolean {
  return Math.abs(re * re + im * im - 1) < 1e-6;
}

/** The phase e^{i·radians}. */
export function phaseOf(radians: number): Complex {
  return { re: Math.cos(radians), im: Math.sin(radians) };
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

  /**
   * Multiplies by a diagonal.
   *
   * @param targets - Masks of one qubit each; bit i of an entry's index is targets[i].
   * @param controls - Mask of qubits that must all be 1 for the diagonal to apply.
   * @param entries - Interleaved re, im from `offset` (complex numbers) on; none is 0.
   */
  multiplyDiagonal(
    targets: readonly number[],
    controls: number,
    entries: Float64Array,
    offset: number,
  ): void {
    const size = 2 ** targets.length;
    const phases: Complex[] = [];
    for (let j = 0; j < size; j++) {
      phases.push({ re: entries[2 * (offset + j)]!, im: entries[2 * (offset + j) + 1]! });
    }
    // The Möbius transform over subsets, division in place of subtraction.
    for (let bit = 1; bit < size; bit <<= 1) {
      for (let j = 0; j < size; j++) if (j & bit) phases[j] = over(phases[j]!, phases[j ^ bit]!);
    }
    for (const [j, phase] of phases.entries()) {
      const mask = targets.reduce(
        (all, target, i) => ((j >> i) & 1 ? all | target : all),
        controls,
      );
      this.multiply(mask, phase);
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
