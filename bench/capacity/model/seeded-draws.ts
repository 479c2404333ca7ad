/** Random choices of a simulation, the same in every run with the same seed. */
import { uniformDraw } from '../../../src/math/philox.ts';

/** Draws of one job belong to its number, so that jobs stay as they are when others are added. */
export class SeededDraws {
  readonly #seed: number;

  /** @param seed - Integer in [0, 2^53 − 1]. */
  constructor(seed: number) {
    this.#seed = seed;
  }

  /**
   * Uniform in [0, 1).
   *
   * @param purpose - What is decided by the draw; draws of different purposes are independent.
   */
  uniform(job: number, purpose: number): number {
    return uniformDraw(this.#seed, job, purpose, 0);
  }

  /** Exponential with that mean. */
  exponential(job: number, purpose: number, mean: number): number {
    return -mean * Math.log1p(-this.uniform(job, purpose));
  }

  /**
   * Log-normal with median 1.
   *
   * @param sigma - Standard deviation of the logarithm.
   * @see Box and Muller, "A note on the generation of random normal deviates", 1958.
   */
  logNormal(job: number, purpose: number, sigma: number): number {
    if (sigma === 0) return 1;
    const radius = Math.sqrt(-2 * Math.log1p(-uniformDraw(this.#seed, job, purpose, 0)));
    const angle = 2 * Math.PI * uniformDraw(this.#seed, job, purpose, 1);
    return Math.exp(sigma * radius * Math.cos(angle));
  }

  /**
   * An index, each as likely as its weight is large.
   *
   * @param weights - At least one; their sum need not be 1.
   */
  weighted(job: number, purpose: number, weights: readonly number[]): number {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    let left = this.uniform(job, purpose) * total;
    for (const [index, weight] of weights.entries()) {
      left -= weight;
      if (left < 0) return index;
    }
    return weights.length - 1;
  }
}
