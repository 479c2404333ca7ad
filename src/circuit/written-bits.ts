/** Classical bits of gate objects: which are written, and whether conditions read only those. */
import type { Condition } from './circuit.ts';
import { MAX_CLASSICAL_BITS, MAX_CONDITION_BITS } from './circuit-limits.ts';
import type { Bit } from './classical-expression.ts';
import { LIMIT_EXCEEDED } from './errors.ts';
import { counted, type FaultList } from './fault-list.ts';

/** Tracks which classical bits measurements have written, and checks conditions against them. */
export class WrittenBits {
  readonly #faults: FaultList;
  readonly #written = new Set<Bit>();
  #numBits = 0;

  constructor(faults: FaultList) {
    this.#faults = faults;
  }

  /** One past the highest bit written so far. */
  get numBits(): number {
    return this.#numBits;
  }

  /** The next `count` bits after the highest one written so far. */
  nextFree(count: number): readonly Bit[] {
    return Array.from({ length: count }, (_, i) => this.#numBits + i);
  }

  /**
   * Records the bits that a measurement writes, and reports invalid ones.
   *
   * @param path - Path of the list of bits, for example `circuit[3].bits`.
   */
  write(bits: readonly Bit[], path: string): void {
    const seen = new Set<Bit>();
    for (const [i, bit] of bits.entries()) {
      const place = `${path}[${i}]`;
      if (!Number.isInteger(bit) || bit < 0) {
        this.#faults.add(place, `${bit} is not a bit; bits are whole numbers from 0.`);
      } else if (bit >= MAX_CLASSICAL_BITS) {
        const limit = `the limit is ${MAX_CLASSICAL_BITS} classical bits`;
        this.#faults.add(place, `Bit ${bit} needs ${bit + 1} bits; ${limit}.`, LIMIT_EXCEEDED);
      } else if (seen.has(bit)) {
        this.#faults.add(place, `Bit ${bit} is named twice.`);
      } else {
        seen.add(bit);
        this.#written.add(bit);
        this.#numBits = Math.max(this.#numBits, bit + 1);
      }
    }
  }

  /**
   * Whether a condition reads distinct bits that are already written, and a value that they can have; reports
   * every fault otherwise.
   *
   * @param path - Path of the condition, for example `circuit[3].condition`.
   */
  check({ bits, value }: Condition, path: string): boolean {
    const before = this.#faults.count;
    if (bits.length > MAX_CONDITION_BITS) {
      const limit = `the limit for one condition is ${MAX_CONDITION_BITS}`;
      this.#faults.add(`${path}.bits`, `${bits.length} bits; ${limit}.`, LIMIT_EXCEEDED);
      return false;
    }
    if (bits.length === 0) this.#faults.add(`${path}.bits`, 'A condition reads at least one bit.');
    const seen = new Set<Bit>();
    for (const [i, bit] of bits.entries()) {
      if (!this.#written.has(bit)) {
        const problem = `Bit ${bit} is not written by an earlier measurement.`;
        this.#faults.add(`${path}.bits[${i}]`, problem);
      } else if (seen.has(bit)) {
        this.#faults.add(`${path}.bits[${i}]`, `Bit ${bit} is named twice.`);
      }
      seen.add(bit);
    }
    const highest = 2 ** bits.length - 1;
    if (!Number.isInteger(value) || value < 0 || value > highest) {
      const range = `${counted(bits.length, 'bit')} can read whole numbers from 0 to ${highest}`;
      this.#faults.add(`${path}.value`, `${value} is never read; ${range}.`);
    }
    return this.#faults.count === before;
  }
}
