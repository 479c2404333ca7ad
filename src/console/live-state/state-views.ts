/**
 * Views of a state: probabilities, Bloch vectors, the density matrix of a pair. Amplitudes are interleaved re, im; qubit 0
 * is the least significant bit of a basis index.
 */

/** |amplitude|² of each basis state. */
export function probabilitiesOf(amplitudes: Float64Array): Float64Array<ArrayBuffer> {
  const probabilities = new Float64Array(amplitudes.length / 2);
  for (let i = 0; i < probabilities.length; i++) {
    const re = amplitudes[2 * i]!;
    const im = amplitudes[2 * i + 1]!;
    probabilities[i] = re * re + im * im;
  }
  return probabilities;
}

/**
 * Bloch vectors of all qubits, each with the others traced out.
 *
 * @returns x, y, z of qubit 0, then of qubit 1, …
 * @see Nielsen & Chuang, exercise 2.72: ρ = (1 + x·X + y·Y + z·Z)/2.
 */
export function blochVectors(
  amplitudes: Float64Array,
  numQubits: number,
): Float64Array<ArrayBuffer> {
  const vectors = new Float64Array(3 * numQubits);
  for (let qubit = 0; qubit < numQubits; qubit++) {
    // Pairs of basis states that differ in the qubit; positions count reals.
    const distance = 2 << qubit;
    let re = 0;
    let im = 0;
    let z = 0;
    for (let block = 0; block < amplitudes.length; block += 2 * distance) {
      for (let i = block; i < block + distance; i += 2) {
        const a = amplitudes[i]!;
        const b = amplitudes[i + 1]!;
        const c = amplitudes[i + distance]!;
        const d = amplitudes[i + distance + 1]!;
        re += a * c + b * d;
        im += a * d - b * c;
        z += a * a + b * b - c * c - d * d;
      }
    }
    vectors.set([2 * re, 2 * im, z], 3 * qubit);
  }
  return vectors;
}

/**
 * Density matrix of two qubits, the others traced out.
 *
 * @param first - Bit 0 of a row's or column's index.
 * @param second - Bit 1; another qubit than the first.
 * @returns 4×4, row-major, interleaved re, im.
 */
export function pairDensity(
  amplitudes: Float64Array,
  first: number,
  second: number,
): Float64Array<ArrayBuffer> {
  const density = new Float64Array(32);
  const bits = [1 << first, 1 << second] as const;
  const offsets = [0, bits[0], bits[1], bits[0] | bits[1]] as const;
  for (let row = 0; row < 4; row++) {
    for (let column = 0; column <= row; column++) {
      const left = 2 * offsets[row]!;
      const right = 2 * offsets[column]!;
      let re = 0;
      let im = 0;
      for (let i = 0; i < amplitudes.length / 2; i++) {
        if ((i & offsets[3]) !== 0) continue;
        const a = amplitudes[2 * i + left]!;
        const b = amplitudes[2 * i + left + 1]!;
        const c = amplitudes[2 * i + right]!;
        const d = amplitudes[2 * i + right + 1]!;
        re += a * c + b * d;
        im += b * c - a * d;
      }
      density.set([re, im], 2 * (4 * row + column));
      // A real number on the diagonal, and −0 nowhere.
      density.set([re, 0 - im], 2 * (4 * column + row));
    }
  }
  return density;
}
