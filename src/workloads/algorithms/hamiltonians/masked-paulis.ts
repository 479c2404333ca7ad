/**
 * Operators as real sums of X^x Z^z, x and z bit masks over qubits, all X to the left.
 *
 * In this form a product is two XORs and a sign, and the ladder operators of fermions have real
 * coefficients; Y = iXZ appears only when the sum is read out as Pauli strings.
 */

import type { PauliFactor, PauliSum } from '../../../circuit/observable.ts';
import { hasOddParity } from '../../../math/basis-index.ts';

/** coefficient · X^flip Z^sign. */
export interface MaskedTerm {
  readonly flip: number;
  readonly sign: number;
  readonly coefficient: number;
}

/** A sum of terms. */
export type MaskedSum = readonly MaskedTerm[];

/** Coefficients below this are rounding residues of cancelled terms. In the unit of the coefficients. */
const NEGLIGIBLE = 1e-13;

/** a·b. */
export function maskedProduct(a: MaskedSum, b: MaskedSum): MaskedSum {
  return a.flatMap((left) =>
    b.map((right) => ({
      flip: left.flip ^ right.flip,
      sign: left.sign ^ right.sign,
      // Z^z to the left of X^x changes its sign for each qubit that both act on.
      coefficient:
        left.coefficient * right.coefficient * (hasOddParity(left.sign & right.flip) ? -1 : 1),
    })),
  );
}

/** The sum times a factor. */
export function maskedScaled(sum: MaskedSum, factor: number): MaskedSum {
  return sum.map((term) => ({ ...term, coefficient: factor * term.coefficient }));
}

/** Combines like terms, ascending by masks; drops those that cancel. */
export function collected(sum: MaskedSum): MaskedSum {
  const byMasks = new Map<string, MaskedTerm>();
  for (const term of sum) {
    const key = `${term.flip},${term.sign}`;
    const coefficient = (byMasks.get(key)?.coefficient ?? 0) + term.coefficient;
    byMasks.set(key, { ...term, coefficient });
  }
  return [...byMasks.values()]
    .filter(({ coefficient }) => Math.abs(coefficient) > NEGLIGIBLE)
    .sort((a, b) => a.flip - b.flip || a.sign - b.sign);
}

/** The sum as Pauli strings. Each of its terms has an even number of Y, as in a real observable. */
export function pauliSumOf(sum: MaskedSum, numQubits: number): PauliSum {
  return collected(sum).map(({ flip, sign, coefficient }) => {
    const factors: PauliFactor[] = [];
    let numY = 0;
    for (let qubit = 0; qubit < numQubits; qubit++) {
      const [flips, signs] = [(flip >> qubit) & 1, (sign >> qubit) & 1];
      if (flips === 0 && signs === 0) continue;
      if (flips === 1 && signs === 1) numY++;
      factors.push({ pauli: flips === 0 ? 'Z' : signs === 0 ? 'X' : 'Y', qubit });
    }
    if (numY % 2 === 1) throw new Error('unreachable: a real operator with an odd number of Y');
    // XZ = −iY, twice: −1.
    return { coefficient: numY % 4 === 0 ? coefficient : -coefficient, factors };
  });
}
