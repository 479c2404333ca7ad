/**
 * Outcomes in answers: their labels, bits or a hexadecimal number where there are many; the basis states whose
 * amplitudes a request asks for, by their labels; and the order of shots, whose counts alone are known.
 */

import type { BasisState } from '../../circuit/basis-states.ts';
import type { Bit } from '../../circuit/classical-expression.ts';
import { outcomeLabel } from '../../math/basis-index.ts';
import { uniformDraw } from '../../math/philox.ts';

/** Widest register whose labels are bits. */
const MAX_BINARY_BITS = 64;

/** Outcomes of a circuit: labels of `numBits` bits, and marks of lost qubits after them. */
interface MarkedOutcomes {
  readonly numBits: number;
  readonly lossMarks?: readonly Bit[];
}

/** Bits of an outcome, with its marks. */
export const numOutcomeBits = ({ numBits, lossMarks = [] }: MarkedOutcomes): number =>
  numBits + lossMarks.length;

/** Form that a request asks for: `automatic` is bits unless there are many. */
export type AskedLabelFormat = 'automatic' | 'hex';

/**
 * Form of the labels of a register.
 *
 * @param lossMarks - Present if qubits may be lost: then labels have a digit for each bit, and 2 is a lost qubit.
 */
export function labelFormatOf(
  numBits: number,
  asked: AskedLabelFormat,
  lossMarks?: readonly Bit[],
): 'binary' | 'hex' {
  if (lossMarks !== undefined) return 'binary';
  return asked === 'automatic' && numBits <= MAX_BINARY_BITS ? 'binary' : 'hex';
}

/** Characters of a label of a register. */
export function labelLengthOf(
  numBits: number,
  asked: AskedLabelFormat,
  lossMarks?: readonly Bit[],
): number {
  const format = labelFormatOf(numBits, asked, lossMarks);
  return format === 'binary' ? numBits : hexLabelLength(numBits);
}

/**
 * Label of an outcome. In hexadecimal it has all digits of the register, the most significant first, after `0x`.
 *
 * @param words - 32-bit words, least significant first; the outcome is `numWords` of them from `offset` on.
 * @param lossMarks - Bits that have a mark after the `numBits` bits of the label, in this order.
 */
export function labelOfOutcome(
  words: Uint32Array,
  offset: number,
  numWords: number,
  numBits: number,
  asked: AskedLabelFormat,
  lossMarks?: readonly Bit[],
): string {
  if (lossMarks !== undefined) {
    const bytes = Buffer.allocUnsafe(numBits);
    writeDigits(bytes, 0, words, offset, numBits, lossMarks);
    return bytes.toString('latin1');
  }
  if (labelFormatOf(numBits, asked) === 'binary')
    return outcomeLabel(words, offset, numWords, numBits);
  const bytes = Buffer.allocUnsafe(hexLabelLength(numBits));
  writeHexLabel(bytes, 0, words, offset, numBits);
  return bytes.toString('latin1');
}

/** Characters of a label in hexadecimal. */
const hexLabelLength = (numBits: number): number => 2 + Math.ceil(numBits / 4);

const HEX_DIGITS = Buffer.from('0123456789abcdef', 'latin1');
const [ZERO, X] = [48, 120] as const;

/**
 * Writes a label in hexadecimal into `bytes` from `at` on.
 *
 * @returns The place after it.
 */
export function writeHexLabel(
  bytes: Uint8Array,
  at: number,
  words: Uint32Array,
  offset: number,
  numBits: number,
): number {
  let place = at;
  bytes[place++] = ZERO;
  bytes[place++] = X;
  for (let digit = Math.ceil(numBits / 4) - 1; digit >= 0; digit--) {
    const word = words[offset + (digit >>> 3)]!;
    bytes[place++] = HEX_DIGITS[(word >>> (4 * (digit & 7))) & 15]!;
  }
  return place;
}

/**
 * Writes a digit for each bit into `bytes` from `at` on, bit 0 last: 2 where the bit is marked.
 *
 * @returns The place after it.
 */
export function writeDigits(
  bytes: Uint8Array,
  at: number,
  words: Uint32Array,
  offset: number,
  numBits: number,
  lossMarks: readonly Bit[] = [],
): number {
  const bitAt = (bit: Bit) => (words[offset + (bit >>> 5)]! >>> (bit & 31)) & 1;
  const end = at + numBits;
  for (let bit = 0; bit < numBits; bit++) bytes[end - 1 - bit] = ZERO + bitAt(bit);
  for (const [i, bit] of lossMarks.entries()) {
    if (bitAt(numBits + i) === 1) bytes[end - 1 - bit] = ZERO + 2;
  }
  return end;
}

/** The bits of a label of either form. */
export function bitsOfLabel(label: string, numBits: number): string {
  if (!label.startsWith('0x')) return label;
  return BigInt(label).toString(2).padStart(numBits, '0');
}

/**
 * Amplitudes by label as JSON text, in the order of the states.
 *
 * @param amplitudes - Interleaved re, im.
 * @param first - Number of the amplitude of the first state.
 */
export function amplitudesByLabel(
  states: readonly Pick<BasisState, 'label'>[],
  amplitudes: Float64Array,
  first: number,
): string {
  const entries = states.map(({ label }, i) => {
    const at = 2 * (first + i);
    // Adding 0 turns −0 into 0, as JSON would.
    return `"${label}":[${amplitudes[at]! + 0},${amplitudes[at + 1]! + 0}]`;
  });
  return `{${entries.join(',')}}`;
}

/** Event of the random draws that no measurement of a circuit has. */
const ORDER_EVENT = 2 ** 32 - 1;

/**
 * Index of the outcome of each shot. The order is drawn with the seed: shots do not depend on each other, so any order
 * is as likely as that in which they were drawn, which is not kept.
 *
 * @param occurrences - Shots of each outcome.
 */
export function drawnShotOrder(occurrences: ArrayLike<number>, seed: number): Uint32Array {
  let shots = 0;
  for (let i = 0; i < occurrences.length; i++) shots += occurrences[i]!;
  const order = new Uint32Array(shots);
  for (let i = 0, at = 0; i < occurrences.length; i++) {
    order.fill(i, at, at + occurrences[i]!);
    at += occurrences[i]!;
  }
  for (let i = shots - 1; i > 0; i--) {
    const other = Math.floor(uniformDraw(seed, i, ORDER_EVENT, 0) * (i + 1));
    [order[i], order[other]] = [order[other]!, order[i]!];
  }
  return order;
}
