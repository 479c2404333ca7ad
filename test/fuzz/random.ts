/** Choices of the fuzzer: a stream that depends on a text alone, so that a case can be made again. */

/** A stream of choices (xorshift128 by Marsaglia, seeded through FNV-1a). */
export class Random {
  readonly #words: Uint32Array;

  constructor(seed: string) {
    this.#words = Uint32Array.from([1, 2, 3, 4], (word) => {
      let hash = 2166136261 ^ word;
      for (const character of `${word}${seed}`) {
        hash = Math.imul(hash ^ character.charCodeAt(0), 16777619);
      }
      return hash | 1;
    });
    for (let i = 0; i < 16; i++) this.#word();
  }

  #word(): number {
    const words = this.#words;
    let t = words[3]!;
    t ^= t << 11;
    t ^= t >>> 8;
    words.copyWithin(1, 0, 3);
    const first = words[1]!;
    words[0] = t ^ first ^ (first >>> 19);
    return words[0]!;
  }

  /** In [0, 1). */
  uniform(): number {
    return (this.#word() * 2 ** 21 + (this.#word() >>> 11)) / 2 ** 53;
  }

  /** A whole number in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.uniform() * bound);
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.uniform() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** `count` distinct whole numbers below `bound`, in any order. */
  distinct(count: number, bound: number): number[] {
    const all = Array.from({ length: bound }, (_, i) => i);
    for (let i = 0; i < count; i++) {
      const j = this.between(i, bound - 1);
      [all[i], all[j]] = [all[j]!, all[i]!];
    }
    return all.slice(0, count);
  }

  /** Normally distributed, by Box and Muller. */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }

  /** Radians: often one at which a simplification may go wrong. */
  angle(): number {
    if (this.chance(0.5)) return (this.uniform() - 0.5) * 14;
    const { PI } = Math;
    const special = [0, PI, -PI, 2 * PI, -2 * PI, 4 * PI, PI / 2, -PI / 2, 3 * PI, PI / 4, PI / 64];
    return this.pick([...special, 7 * PI, 1e-9, -1e-9, PI + 1e-9, 1e-5, 12345.678, -1e6 / 3]);
  }
}
