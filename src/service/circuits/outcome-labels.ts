/** Labels of outcomes in answers: bits, or a hexadecimal number where there are many. */
import { outcomeLabel } from '../../math/basis-index.ts';

/** Widest register whose labels are bits. */
export const MAX_BINARY_BITS = 64;

/** Form of the labels of a register. */
export function labelFormatOf(numBits: number): 'binary' | 'hex' {
  return numBits <= MAX_BINARY_BITS ? 'binary' : 'hex';
}

/**
 * Label of an outcome. In hexadecimal it has all digits of the register, the most significant first, after `0x`.
 *
 * @param words - 32-bit words, least significant first; the outcome is `numWords` of them from `offset` on.
 */
export function labelOfOutcome(
  words: Uint32Array,
  offset: number,
  numWords: number,
  numBits: number,
): string {
  if (labelFormatOf(numBits) === 'binary') return outcomeLabel(words, offset, numWords, numBits);
  let digits = '';
  for (let i = 0; i < numWords; i++) {
    const width = Math.ceil(Math.min(32, numBits - 32 * i) / 4);
    digits = words[offset + i]!.toString(16).padStart(width, '0') + digits;
  }
  return `0x${digits}`;
}

/** The bits of a label of either form. */
export function bitsOfLabel(label: string, numBits: number): string {
  if (!label.startsWith('0x')) return label;
  return BigInt(label).toString(2).padStart(numBits, '0');
}
