/** Products of Pauli operators, with their signs, and the gates that turn each into Z. */
import type { Qubit } from '../circuit.ts';
import type { PauliError } from '../noise/channel.ts';
import type { Pauli } from './stim-gates.ts';

/** A factor of a product. */
export interface Factor {
  readonly pauli: Pauli;
  readonly qubit: Qubit;
  readonly isInverted: boolean;
}

/** A Pauli string as X and Z parts by qubit, with a power of i. */
export class PauliString {
  readonly parts = new Map<Qubit, number>();
  /** Power of i. */
  phase = 0;

  /** Multiplies by a factor from the right. */
  multiply({ pauli, qubit, isInverted }: Factor): void {
    const before = this.parts.get(qubit) ?? 0;
    const factor = MASKS[pauli];
    if (isInverted) this.phase += 2;
    // XY = iZ, YZ = iX and ZX = iY; the other orders have −i.
    if (before !== 0 && before !== factor) {
      this.phase += CYCLE[before]! === factor ? 1 : 3;
    }
    if (before === factor) this.parts.delete(qubit);
    else this.parts.set(qubit, before ^ factor);
  }
}

/** Bit 0 for X, bit 1 for Z. */
const MASKS = { X: 1, Y: 3, Z: 2 } as const;
export const LETTERS = ['', 'X', 'Z', 'Y'] as const;
/** The Pauli that follows in the order X, Y, Z. */
const CYCLE = [0, 3, 1, 2] as const;

/** Gates that turn the eigenstates of a Pauli into those of Z, and back. */
export const TO_Z = { X: 'H', Y: 'SX', Z: undefined } as const;
export const FROM_Z = { X: 'H', Y: 'SXDG', Z: undefined } as const;

/** Masks of a Pauli string, its first letter for the least significant bit. */
export function masksOf(string: string): Pick<PauliError, 'flips' | 'signs'> {
  let [flips, signs] = [0, 0];
  for (const [i, letter] of [...string].entries()) {
    if (letter === 'X' || letter === 'Y') flips |= 1 << i;
    if (letter === 'Z' || letter === 'Y') signs |= 1 << i;
  }
  return { flips, signs };
}
