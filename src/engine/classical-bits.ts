/** The classical register while a program runs: 32-bit words, bit 0 of word 0 being bit 0. */
import type { Bit, Condition } from '../circuit/circuit.ts';

/** Words that hold `numBits` bits; at least one, so that an outcome always has a value. */
export function wordsFor(numBits: number): number {
  return Math.max(1, Math.ceil(numBits / 32));
}

/** Writes one bit. */
export function writeBit(words: Uint32Array, bit: Bit, value: 0 | 1): void {
  const mask = 1 << (bit & 31);
  if (value === 1) words[bit >>> 5]! |= mask;
  else words[bit >>> 5]! &= ~mask;
}

/** Whether the register reads what the condition asks for; no condition always holds. */
export function conditionHolds(condition: Condition | undefined, words: Uint32Array): boolean {
  if (condition === undefined) return true;
  // Division rather than shifts: a value may have more than 32 bits.
  let rest = condition.value;
  for (const bit of condition.bits) {
    if (((words[bit >>> 5]! >>> (bit & 31)) & 1) !== rest % 2) return false;
    rest = Math.floor(rest / 2);
  }
  return rest === 0;
}
