/** Logs of very many figures: the latencies and waits of simulated jobs. */
import { type Percentiles, percentilesOf } from '../../../src/cli/capacity/percentiles.ts';

/** Figures in memory of their own, grown as needed. */
export class NumberLog {
  #values = new Float64Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(value: number): void {
    if (this.#length === this.#values.length) {
      const grown = new Float64Array(2 * this.#length);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#length++] = value;
  }

  /** The value of that place, in the order in which they were added; 0 where there is none. */
  at(place: number): number {
    return place < this.#length ? (this.#values[place] ?? 0) : 0;
  }

  percentiles(): Percentiles {
    return percentilesOf(this.#values.subarray(0, this.#length));
  }
}

/** Figures of several kinds, each apart and all together. */
export class NumberLogs {
  readonly #all = new NumberLog();
  readonly #byName = new Map<string, NumberLog>();

  add(names: readonly string[], value: number): void {
    this.#all.add(value);
    for (const name of names) {
      let log = this.#byName.get(name);
      if (log === undefined) {
        log = new NumberLog();
        this.#byName.set(name, log);
      }
      log.add(value);
    }
  }

  all(): Percentiles {
    return this.#all.percentiles();
  }

  of(name: string): Percentiles {
    return (this.#byName.get(name) ?? new NumberLog()).percentiles();
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }
}
