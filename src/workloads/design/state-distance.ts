/** How far two state vectors are apart, a phase of the whole state aside. */

/** What two state vectors have to do with each other. */
export interface StateDistance {
  /** |⟨a|b⟩|² over both norms. */
  readonly fidelity: number;
  /** The length of a − e^{iφ}·b for the φ that makes it shortest. */
  readonly distance: number;
}

/**
 * Their distance.
 *
 * @param a - Interleaved re, im; of length 1 but for rounding, as is `b`.
 */
export function stateDistance(a: Float64Array, b: Float64Array): StateDistance {
  let [re, im, normA, normB] = [0, 0, 0, 0];
  for (let i = 0; i < a.length; i += 2) {
    const [ar, ai, br, bi] = [a[i]!, a[i + 1]!, b[i]!, b[i + 1]!];
    re += ar * br + ai * bi;
    im += ar * bi - ai * br;
    normA += ar * ar + ai * ai;
    normB += br * br + bi * bi;
  }
  const overlap = Math.hypot(re, im);
  const [c, s] = overlap === 0 ? [1, 0] : [re / overlap, im / overlap];
  // Summed instead of taken from the overlap, which would lose half of the digits.
  let squares = 0;
  for (let i = 0; i < a.length; i += 2) {
    const [br, bi] = [b[i]!, b[i + 1]!];
    squares += (a[i]! - c * br - s * bi) ** 2 + (a[i + 1]! - c * bi + s * br) ** 2;
  }
  return {
    fidelity: Math.min(1, (overlap * overlap) / (normA * normB)),
    distance: Math.sqrt(squares),
  };
}

/** Whether all amplitudes are numbers of single precision: then so is what they are good for. */
export function isSinglePrecision(state: Float64Array): boolean {
  return state.every((part) => Math.fround(part) === part);
}
