/**
 * The classical register while a program runs: an array of 32-bit words. Bit 0 of word 0 is
 * classical bit 0.
 */
import type { AssignOperation, Condition } from '../circuit/circuit.ts';
import { bitsToWrite } from '../circuit/classical-evaluation.ts';
import type { Bit } from '../circuit/classical-expression.ts';
import { ValueProblem } from '../circuit/classical-types.ts';
import { ClassicalValueError } from './errors.ts';

/** Number of words that hold `numBits` bits; at least 1, so that an outcome always has a value. */
export function wordsFor(numBits: number): number {
  return Math.max(1, Math.ceil(numBits / 32));
}

export function readBit(words: Uint32Array, bit: Bit): 0 | 1 {
  return ((words[bit >>> 5]! >>> (bit & 31)) & 1) === 1 ? 1 : 0;
}

export function flipBit(words: Uint32Array, bit: Bit): void {
  words[bit >>> 5]! ^= 1 << (bit & 31);
}

export function writeBit(words: Uint32Array, bit: Bit, value: 0 | 1): void {
  const mask = 1 << (bit & 31);
  if (value === 1) words[bit >>> 5]! |= mask;
  else words[bit >>> 5]! &= ~mask;
}

/** Whether the condition holds for the register. An absent condition always holds. */
export function conditionHolds(condition: Condition | undefined, words: Uint32Array): boolean {
  if (condition === undefined) return true;
  // Division instead of shifts: a value may have more than 32 bits.
  let rest = condition.value;
  for (const bit of condition.bits) {
    if (readBit(words, bit) !== rest % 2) return false;
    rest = Math.floor(rest / 2);
  }
  return rest === 0;
}

/**
 * Evaluates an assignment and writes its value, if its condition holds.
 *
 * @throws {ClassicalValueError} if the value does not exist, as after a division by zero.
 */
export function assign({ bits, value, condition }: AssignOperation, words: Uint32Array): void {
  if (!conditionHolds(condition, words)) return;
  const read = (bit: Bit) => readBit(words, bit) === 1;
  try {
    const written = bitsToWrite(value, bits.length, read);
    for (const [i, bit] of bits.entries()) writeBit(words, bit, written[i] === true ? 1 : 0);
  } catch (error) {
    if (error instanceof ValueProblem) throw new ClassicalValueError(error.message);
    throw error;
  }
}

/** Copies the outcome, the first `numBits` bits, out of a longer register. */
export function outcomeOf(register: Uint32Array, numBits: number): Uint32Array {
  const words = register.slice(0, wordsFor(numBits));
  const used = numBits - 32 * (words.length - 1);
  if (used < 32) words[words.length - 1]! &= 2 ** used - 1;
  return words;
}
