/** Matrices of bits in words of 32, bit 0 first. */

/** Transposes 32 × 32 bits in place: bit j of word i becomes bit i of word j. */
export function transpose32(words: Int32Array): void {
  let mask = 0xffff;
  for (let step = 16; step > 0; step >>= 1, mask ^= mask << step) {
    for (let i = 0; i < 32; i = ((i | step) + 1) & ~step) {
      const swapped = ((words[i]! >>> step) ^ words[i | step]!) & mask;
      words[i] = words[i]! ^ (swapped << step);
      words[i | step] = words[i | step]! ^ swapped;
    }
  }
}
