/** Products, lengths and projections of vectors: real ones, and complex ones as interleaved re, im. */

/** Σ a_i·b_i. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Euclidean length. */
export function norm(vector: Float64Array): number {
  return Math.sqrt(dot(vector, vector));
}

/** a − b. */
export function difference(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((x, i) => x - b[i]!);
}

/** ⟨a|b⟩ of two complex vectors. */
export function innerProduct(a: Float64Array, b: Float64Array): readonly [re: number, im: number] {
  let im = 0;
  for (let i = 0; i < a.length; i += 2) im += a[i]! * b[i + 1]! - a[i + 1]! * b[i]!;
  return [dot(a, b), im];
}

/** vector −= unit·⟨unit|vector⟩, in place; both complex, `unit` of length 1. */
export function removeProjection(vector: Float64Array, unit: Float64Array): void {
  const [re, im] = innerProduct(unit, vector);
  for (let i = 0; i < vector.length; i += 2) {
    const [x, y] = [unit[i]!, unit[i + 1]!];
    vector[i]! -= x * re - y * im;
    vector[i + 1]! -= x * im + y * re;
  }
}
