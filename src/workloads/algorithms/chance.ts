/**
 * Random numbers of one run: all follow from its seed, in streams that overlap neither each other nor the
 * draws of its circuits.
 */
import { MAX_SEED, uniformDraw } from '../../math/philox.ts';

/** Number of the first stream, beyond the event numbers of circuits, which count from 0. */
const FIRST_STREAM = 0x80000000;

/** One stream of uniform numbers. */
export class Chance {
  readonly #seed: number;
  readonly #stream: number;
  #next = 0;

  /**
   * @param seed - Integer in [0, 2^53 − 1].
   * @param stream - Number of the stream within the run; integer in [0, 2^31 − 1].
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
   * A seed for circuits: integer in [0, 2^52 − 1]; neighbouring seeds give unrelated ones.
   *
   * Only half of the range of seeds, so that a batch can count upwards from it.
   */
  seed(): number {
    return Math.floor((this.uniform() * (MAX_SEED + 1)) / 2);
  }
}
