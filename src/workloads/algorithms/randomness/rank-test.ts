/**
 * The binary matrix rank test of SP 800-22: linear dependence among pieces of the bits.
 *
 * @see NIST SP 800-22 revision 1a, sections 2.5 and 3.5.
 */

/** Section 2.5, with matrices of `size` rows and columns, at most 32; 32 unless given. */
export function matrixRank(bits: Uint8Array, size = 32): number {
  const numMatrices = Math.floor(bits.length / (size * size));
  const [full, less] = [rankProbability(32, 32), rankProbability(32, 31)];
  const found = [0, 0, 0];
  for (let matrix = 0; matrix < numMatrices; matrix++) {
    const missing = size - rankOf(bits.subarray(matrix * size * size), size);
    found[Math.min(missing, 2)]!++;
  }
  const chiSquared = [full, less, 1 - full - less].reduce((sum, probability, i) => {
    const expected = numMatrices * probability;
    return sum + (found[i]! - expected) ** 2 / expected;
  }, 0);
  return Math.exp(-chiSquared / 2);
}

/** The probability that a random square matrix over GF(2) has that rank. */
export function rankProbability(size: number, rank: number): number {
  let probability = 2 ** -((size - rank) ** 2);
  for (let i = 0; i < rank; i++) {
    probability *= (1 - 2 ** (i - size)) ** 2 / (1 - 2 ** (i - rank));
  }
  return probability;
}

/** The rank over GF(2) of the matrix that the first size² bits fill row by row. */
function rankOf(bits: Uint8Array, size: number): number {
  const rows = Array.from({ length: size }, (_, row) => {
    let word = 0;
    for (let column = 0; column < size; column++) word = (word << 1) | bits[row * size + column]!;
    return word >>> 0;
  });
  let rank = 0;
  for (let column = 0; column < size; column++) {
    const pivot = rows.findIndex((row, i) => i >= rank && (row >>> column) & 1);
    if (pivot < 0) continue;
    [rows[rank], rows[pivot]] = [rows[pivot]!, rows[rank]!];
    for (let i = rank + 1; i < size; i++) {
      if ((rows[i]! >>> column) & 1) rows[i] = (rows[i]! ^ rows[rank]!) >>> 0;
    }
    rank++;
  }
  return rank;
}
