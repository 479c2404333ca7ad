/**
 * The chance of one run: numbers and seeds that follow from its seed alone, in streams that neither
 * meet each other nor the draws of its circuits.
 */
import { MAX_SEED, uniformDraw } from '../../math/philox.ts';

/** Circuits number their measuring events from 0; streams lie where no circuit reaches. */
const FIRST_STREAM = 0x80000000;

/** One stream of uniform numbers. */
export class Chance {
  readonly #seed: number;
  readonly #stream: number;
  #next = 0;

  /**
   * @param seed - Integer in [0, 2^53 − 1].
   * @param stream - Which of the run's streams; integer in [0, 2^31 − 1].
   */
  constructor(seed: number, stream: number) {
    this.#seed = seed;
    this.#stream = FIRST_STREAM + stream;
  }

  /** A uniform number in [0, 1). */
  uniform(): number {
    return uniformDraw(this.#seed, this.#next++, this.#stream, 0);
  }

  /** 0 or 1, equally likely. */
  bit(): number {
    return this.uniform() < 0.5 ? 0 : 1;
  }

  /** A whole number in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.uniform() * bound);
  }

  /**
   * Integer in [0, 2^52 − 1], for circuits; neighbouring seeds give unrelated ones.
   *
   * Half of the range of seeds, so that those of a batch may count on from it.
   */
  seed(): number {
    return Math.floor((this.uniform() * (MAX_SEED + 1)) / 2);
  }
}

/** Draws `trials` outcomes and counts each; the probabilities sum to 1. */
export function drawMultinomial(
  chance: Chance,
  trials: number,
  probabilities: readonly number[],
): readonly number[] {
  const counts = probabilities.map(() => 0);
  for (let trial = 0; trial < trials; trial++) {
    let left = chance.uniform();
    // What rounding leaves over falls to the first outcome.
    const drawn = probabilities.findIndex((probability) => {
      left -= probability;
      return left < 0;
    });
    counts[Math.max(0, drawn)]!++;
  }
  return counts;
}
