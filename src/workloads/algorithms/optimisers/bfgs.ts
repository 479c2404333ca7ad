/**
 * What BFGS learns of a function's second derivatives from how its gradient changes.
 *
 * @see Nocedal & Wright, "Numerical Optimization" (2006), section 6.1.
 */

/** An estimate of the inverse of the matrix of second derivatives. */
export class InverseCurvature {
  readonly #size: number;
  #rows: Float64Array[] | undefined;

  constructor(size: number) {
    this.#size = size;
  }

  /** Whether nothing was learnt yet. */
  get isFresh(): boolean {
    return this.#rows === undefined;
  }

  /** Where to go: against the gradient, in a full step. Fresh, a step of length 1. */
  downhill(gradient: Float64Array): Float64Array {
    if (this.#rows === undefined) {
      const length = Math.sqrt(dot(gradient, gradient));
      return gradient.map((part) => -part / length);
    }
    const rows = this.#rows;
    return Float64Array.from(rows, (row) => -dot(row, gradient));
  }

  /**
   * Takes in how the gradient changed by `change` along a move, unless the function curves downwards
   * there, of which no inverse can be made.
   */
  learn(move: Float64Array, change: Float64Array): void {
    const curvature = dot(move, change);
    if (!(curvature > 1e-14 * dot(move, move))) return;
    const size = this.#size;
    const scale = curvature / dot(change, change);
    this.#rows ??= Array.from({ length: size }, (_, i) => {
      const row = new Float64Array(size);
      row[i] = scale;
      return row;
    });
    const rows = this.#rows;
    const turned = Float64Array.from(rows, (row) => dot(row, change));
    const factor = (1 + dot(change, turned) / curvature) / curvature;
    for (const [i, row] of rows.entries()) {
      for (let j = 0; j < size; j++) {
        const cross = turned[i]! * move[j]! + move[i]! * turned[j]!;
        row[j]! += factor * move[i]! * move[j]! - cross / curvature;
      }
    }
  }
}

/** a − b. */
export function difference(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((x, i) => x - b[i]!);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
