/** Labels of outcomes in answers: bits, or a hexadecimal number where there are many. */
import { outcomeLabel } from '../../math/basis-index.ts';

/** Widest register whose labels are bits. */
const MAX_BINARY_BITS = 64;

/** Form that a request asks for: `automatic` is bits unless there are many. */
export type AskedLabelFormat = 'automatic' | 'hex';

/** Form of the labels of a register. */
export function labelFormatOf(numBits: number, asked: AskedLabelFormat): 'binary' | 'hex' {
  return asked === 'automatic' && numBits <= MAX_BINARY_BITS ? 'binary' : 'hex';
}

/** Characters of a label of a register. */
export function labelLengthOf(numBits: number, asked: AskedLabelFormat): number {
  return labelFormatOf(numBits, asked) === 'binary' ? numBits : hexLabelLength(numBits);
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
  asked: AskedLabelFormat,
): string {
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

/** The bits of a label of either form. */
export function bitsOfLabel(label: string, numBits: number): string {
  if (!label.startsWith('0x')) return label;
  return BigInt(label).toString(2).padStart(numBits, '0');
}
