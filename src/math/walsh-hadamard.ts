import type { TimeSlicer } from '../time-slicer.ts';

/**
 * Replaces values by their Walsh–Hadamard transform: entry a becomes the sum of all entries b, minus where a and b have
 * an odd number of ones in common.
 *
 * @param values - As many as a power of two.
 */
export async function walshHadamard(values: Float64Array, slicer: TimeSlicer): Promise<void> {
  for (let width = 1; width < values.length; width *= 2) {
    for (let i = 0; i < values.length; i++) {
      if ((i & width) !== 0) continue;
      const [low, high] = [values[i]!, values[i + width]!];
      values[i] = low + high;
      values[i + width] = low - high;
    }
    if (slicer.spend(values.length)) await slicer.pause();
  }
}
