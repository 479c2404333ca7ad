/**
 * Hash of 32-bit words, from one place to before another: each is multiplied in and mixed. Equal words have
 * equal hashes; different ones may, too.
 *
 * @see Appleby, MurmurHash3 (x86, 32 bits), without its last mixing of every bit.
 */
export function hashOfWords(words: ArrayLike<number>, from: number, to: number): number {
  let hash = to - from;
  for (let i = from; i < to; i++) {
    const word = Math.imul(words[i]!, 0xcc9e2d51);
    hash ^= (word << 15) | (word >>> 17);
    hash = Math.imul((hash << 13) | (hash >>> 19), 5) + 0x6b64e654;
  }
  return hash ^ (hash >>> 16);
}
