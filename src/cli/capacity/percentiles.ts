/** Percentiles of latencies. */

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

/** Exact percentiles: the smallest value that at least the given part of all values does not exceed. */
export function percentilesOf(values: Float64Array | readonly number[]): Percentiles {
  const sorted = Float64Array.from(values).sort();
  const count = sorted.length;
  const at = (part: number) => sorted[Math.max(0, Math.ceil(part * count) - 1)] ?? 0;
  const mean = count === 0 ? 0 : sorted.reduce((sum, value) => sum + value, 0) / count;
  return { count, mean, p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), max: at(1) };
}
