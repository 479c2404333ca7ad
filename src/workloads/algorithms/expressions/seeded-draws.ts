/** Random functions of expressions; draws are determined by the run's seed. */
import { isMatrix } from 'mathjs';
import { uniformDraw } from '../../../math/philox.ts';
import { ExpressionLimitError } from './value-size.ts';

/** Draws one after another. */
export class SeededDraws {
  readonly #seed: number;
  #numDraws = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Number of draws so far. */
  get numDraws(): number {
    return this.#numDraws;
  }

  /** In [0, 1). */
  next(): number {
    return uniformDraw(this.#seed, 0, 0, this.#numDraws++);
  }

  /** `random(size?, min?, max?)`, as mathjs has it. */
  random(args: readonly unknown[]): unknown {
    return this.#fill('random', args, (low, high) => low + this.next() * (high - low));
  }

  /** `randomInt(size?, min?, max?)`: whole numbers, `max` excluded. */
  randomInt(args: readonly unknown[]): unknown {
    const draw = (low: number, high: number) => Math.floor(low + this.next() * (high - low));
    return this.#fill('randomInt', args, draw);
  }

  /** `pickRandom(list, count?)`, each entry as likely as any. */
  pickRandom(args: readonly unknown[]): unknown {
    const list: unknown = isMatrix(args[0]) ? args[0].valueOf() : args[0];
    const count = args[1];
    if (!Array.isArray(list) || list.length === 0 || list.some(Array.isArray)) {
      throw new TypeError('pickRandom takes a list of at least one entry.');
    }
    const pick = (): unknown => list[Math.floor(this.next() * list.length)];
    if (count === undefined) return pick();
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || args.length > 2) {
      throw new TypeError('pickRandom takes a whole number of entries to pick.');
    }
    if (count > list.length) throw new ExpressionLimitError('pickRandom has too few entries.');
    return Array.from({ length: count }, pick);
  }

  #fill(name: string, args: readonly unknown[], draw: (low: number, high: number) => number) {
    const [first, ...others] = args;
    const size: unknown = isMatrix(first) ? first.valueOf() : first;
    const bounds = Array.isArray(size) ? others : args;
    const isGood = bounds.every((bound) => typeof bound === 'number' && Number.isFinite(bound));
    if (!isGood || bounds.length > 2) {
      throw new TypeError(`${name} takes a list of sizes, if any, and up to two finite bounds.`);
    }
    const ends = bounds.filter((bound) => typeof bound === 'number');
    // One bound is the upper one.
    const [low, high] = ends.length === 2 ? ends : [0, ends[0] ?? (name === 'random' ? 1 : 2)];
    const filled = (lengths: readonly unknown[]): unknown => {
      const [length, ...rest] = lengths;
      if (length === undefined) return draw(low!, high!);
      if (typeof length !== 'number' || !Number.isInteger(length) || length < 0) {
        throw new TypeError(`${name} takes whole numbers as sizes.`);
      }
      return Array.from({ length }, () => filled(rest));
    };
    return Array.isArray(size) ? filled(size) : draw(low!, high!);
  }
}
