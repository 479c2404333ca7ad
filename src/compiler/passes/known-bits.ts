/** Which classical bits are the same in every shot, as far as a pass knows. */
import type { Bit, Condition } from '../../circuit/circuit.ts';

const UNKNOWN = -1;

/** Follows what is written into bits. */
export class KnownBits {
  readonly #values: Int8Array;

  /** @param startsCleared - Whether all bits read 0 at first; else nothing is known of them. */
  constructor(numBits: number, startsCleared: boolean) {
    this.#values = new Int8Array(numBits).fill(startsCleared ? 0 : UNKNOWN);
  }

  /** Notes a measurement, perhaps under a condition that may hold; undefined is any outcome. */
  write(bit: Bit, outcome: 0 | 1 | undefined, condition: Condition | undefined): void {
    const value = outcome ?? UNKNOWN;
    const isCertain = condition === undefined || value === this.#values[bit];
    this.#values[bit] = isCertain ? value : UNKNOWN;
  }

  /** Whether a condition holds in every shot, in none, or that is not known. */
  holds(condition: Condition | undefined): 'always' | 'never' | 'perhaps' {
    if (condition === undefined) return 'always';
    let isKnown = true;
    for (const [i, bit] of condition.bits.entries()) {
      const value = this.#values[bit]!;
      if (value === UNKNOWN) isKnown = false;
      else if (value !== Math.floor(condition.value / 2 ** i) % 2) return 'never';
    }
    return isKnown ? 'always' : 'perhaps';
  }
}
