/** Latencies of very many jobs, and what is told of them. */

/** Percentiles of some figures; all 0 where there are none. */
export interface Percentiles {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

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

/** Exact percentiles: the smallest value that so many parts of all values do not exceed. */
export function percentilesOf(values: Float64Array | readonly number[]): Percentiles {
  const sorted = Float64Array.from(values).sort();
  const count = sorted.length;
  const at = (part: number) => sorted[Math.max(0, Math.ceil(part * count) - 1)] ?? 0;
  const mean = count === 0 ? 0 : sorted.reduce((sum, value) => sum + value, 0) / count;
  return { count, mean, p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), max: at(1) };
}
