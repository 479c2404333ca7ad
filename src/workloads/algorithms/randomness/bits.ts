/** Bit sequences, and their binary and hexadecimal texts. */

/** Bits of a text of 0 and 1. */
export function bitsOfBinary(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => (character === '1' ? 1 : 0));
}

/** Bits of hexadecimal digits, the first of a digit being its highest. */
export function bitsOfHex(text: string): Uint8Array {
  const bits = new Uint8Array(4 * text.length);
  for (let i = 0; i < bits.length; i++) {
    bits[i] = (Number.parseInt(text[i >> 2]!, 16) >> (3 - (i & 3))) & 1;
  }
  return bits;
}

/** Whole hexadecimal digits of the first bits; up to three bits at the end are left out. */
export function hexOfBits(bits: Uint8Array): string {
  const digits: string[] = [];
  for (let i = 0; i + 3 < bits.length; i += 4) {
    const digit = 8 * bits[i]! + 4 * bits[i + 1]! + 2 * bits[i + 2]! + bits[i + 3]!;
    digits.push(digit.toString(16));
  }
  return digits.join('');
}

/** Number of ones. */
export function countOnes(bits: Uint8Array): number {
  let ones = 0;
  for (const bit of bits) ones += bit;
  return ones;
}
