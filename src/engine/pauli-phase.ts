/** Expectation values of Pauli strings from sums over pairs of amplitudes. */

/** The part of ⟨ψ|P|ψ⟩ that a string P takes from the sum of conj(ψ[i ^ flips]) · (±ψ[i]). */
export interface PauliPhase {
  /** Whether it takes the imaginary part. */
  readonly isImaginary: boolean;
  /** Factor of that part. */
  readonly sign: 1 | -1;
}

/** i^numY · (re + i·im) has the real part re, −im, −re, im for numY = 0, 1, 2, 3. */
export function pauliPhase(numY: number): PauliPhase {
  return { isImaginary: numY % 2 === 1, sign: numY % 4 === 1 || numY % 4 === 2 ? -1 : 1 };
}

/** Highest bit of a mask below 2^32; 0 for 0. */
export function highestBit(mask: number): number {
  return mask === 0 ? 0 : 2 ** (31 - Math.clz32(mask));
}
