/** How evenly the keys of a tier were served. */
import type { Tier } from '../schedule/scheduled-run.ts';

interface KeyTotals {
  readonly tier: Tier;
  latencyMs: number;
  serviceMs: number;
}

/** Time in the fleet and time in service, by key. */
export class FairnessLog {
  readonly #keys = new Map<string, KeyTotals>();

  add(key: string, tier: Tier, latencyMs: number, serviceMs: number): void {
    let totals = this.#keys.get(key);
    if (totals === undefined) {
      totals = { tier, latencyMs: 0, serviceMs: 0 };
      this.#keys.set(key, totals);
    }
    totals.latencyMs += latencyMs;
    totals.serviceMs += serviceMs;
  }

  /**
   * Jain's index of the keys' slowdowns (time in the fleet by time in service) within each tier: 1 where
   * all are equal, 1/k where one of k keys has all of the waiting.
   *
   * @see Jain, Chiu, Hawe, "A quantitative measure of fairness and discrimination", 1984.
   */
  byTier(): Readonly<Partial<Record<Tier, number>>> {
    const groups = Map.groupBy(this.#keys.values(), ({ tier }) => tier);
    const indices = [...groups].map(([tier, keys]) => {
      const slowdowns = keys.map(({ latencyMs, serviceMs }) => latencyMs / serviceMs);
      return [tier, jainIndex(slowdowns)] as const;
    });
    return Object.fromEntries(indices);
  }
}

/** (Σx)² / (n·Σx²); 1 for equal values. */
export function jainIndex(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  const squares = values.reduce((total, value) => total + value * value, 0);
  return squares === 0 ? 1 : (sum * sum) / (values.length * squares);
}
