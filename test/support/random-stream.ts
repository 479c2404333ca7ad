/** Reproducible random choices for tests: every test names its seed. */
import { uniformDraw } from '../../src/math/philox.ts';

/** A stream of choices that depends on nothing but its seed. */
export class RandomStream {
  readonly #seed: number;
  #next = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** In [0, 1). */
  uniform(): number {
    return uniformDraw(this.#seed, this.#next++, 0x7e57, 0);
  }

  /** A whole number in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.uniform() * bound);
  }

  /** Radians in (−2π, 2π). */
  angle(): number {
    return (this.uniform() - 0.5) * 4 * Math.PI;
  }

  /** Normally distributed, by Box and Muller. */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('unreachable: nothing to pick from');
    return item;
  }

  shuffled<T>(items: readonly T[]): readonly T[] {
    const out = [...items];
    for (let i = out.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [out[i], out[j]] = [out[j]!, out[i]!];
    }
    return out;
  }

  /** `count` distinct whole numbers below `bound`, in any order. */
  distinct(count: number, bound: number): readonly number[] {
    return this.shuffled(Array.from({ length: bound }, (_, i) => i)).slice(0, count);
  }
}
