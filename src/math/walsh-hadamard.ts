/**
 * Replaces values by their Walsh–Hadamard transform: entry a becomes the sum of all entries b, minus where a and b have
 * an odd number of ones in common.
 *
 * @param values - As many as a power of two.
 */
export function walshHadamard(values: Float64Array): void {
  for (const _ of walshHadamardPasses(values));
}

/** `walshHadamard` in passes over all values, one for each bit of an index; it yields after each. */
export function* walshHadamardPasses(values: Float64Array): Generator<void, void, undefined> {
  for (let width = 1; width < values.length; width *= 2) {
    for (let from = 0; from < values.length; from += 2 * width) {
      for (let i = from; i < from + width; i++) {
        const [low, high] = [values[i]!, values[i + width]!];
        values[i] = low + high;
        values[i + width] = low - high;
      }
    }
    yield;
  }
}
