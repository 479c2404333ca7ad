/** Log of a simulation: latencies, waits, fairness and how well starts were foretold. */

import { type Percentiles, percentilesOf } from '../../../src/cli/capacity/percentiles.ts';
import type { Tier } from '../../../src/fleet/schedule/scheduled-run.ts';
import type { Scheduler } from '../../../src/fleet/schedule/scheduler.ts';
import type { FleetModel } from './fleet-model.ts';
import { NumberLog, NumberLogs } from './number-log.ts';
import type { SimulatedJob } from './workload.ts';

/** A device's part. */
interface DeviceUse {
  readonly id: string;
  /** Part of the whole time that it had a circuit, 0 to 1. */
  readonly utilisation: number;
  readonly completed: number;
}

/** How far off expected starts were. Milliseconds. */
interface PlanErrors {
  /** Percentiles of |started − expected|. */
  readonly absolute: Percentiles;
  /** The same by the wait that was foretold, or by START_RESOLUTION_MS where that is longer; may exceed 1. */
  readonly relative: Percentiles;
}

/** Records say times to the millisecond: a shorter wait is foretold as though it took one. */
export const START_RESOLUTION_MS = 1;

/** Result of a workload. Times are milliseconds, from the first arrival on. */
export interface SimulationResult {
  readonly numJobs: number;
  /** From the first arrival to the last end. */
  readonly makespanMs: number;
  /** While the middle four fifths of the jobs ended: neither filling up nor running empty counts. */
  readonly perSecond: number;
  /** From arrival to end. */
  readonly latency: Percentiles;
  readonly latencyBySize: Readonly<Record<string, Percentiles>>;
  readonly latencyByTier: Readonly<Partial<Record<Tier, Percentiles>>>;
  /** From arrival to start. */
  readonly wait: Percentiles;
  /** Jobs of each size, all of them. */
  readonly numBySize: Readonly<Record<string, number>>;
  readonly devices: readonly DeviceUse[];
  /** Mean of the devices. */
  readonly utilisation: number;
  readonly fairness: Readonly<Partial<Record<Tier, number>>>;
  /** Absent where none was asked. */
  readonly planErrors?: PlanErrors;
}

/** Part of the jobs at either end of a run. */
const EDGE = 0.1;

interface Times {
  readonly arrivedAt: number;
  startedAt: number;
  plannedStart: number | undefined;
}

/** Follows the jobs of a simulation. */
export class SimulationLog<J extends SimulatedJob> {
  readonly #numWarmUp: number;
  /** Jobs that are in the fleet. */
  readonly #times = new Map<number, Times>();
  readonly #latencies = new NumberLogs();
  readonly #waits = new NumberLogs();
  readonly #fairness = new FairnessLog();
  readonly #ends = new NumberLog();
  readonly #numBySize = new Map<string, number>();
  readonly #absoluteErrors: number[] = [];
  readonly #relativeErrors: number[] = [];
  #firstAt: number | undefined;
  #numJobs = 0;

  constructor(numWarmUp: number) {
    this.#numWarmUp = numWarmUp;
  }

  arrived(job: J, now: number): void {
    this.#firstAt ??= now;
    this.#times.set(job.index, { arrivedAt: now, startedAt: 0, plannedStart: undefined });
  }

  planned(job: J, startAt: number): void {
    this.#timesOf(job).plannedStart = startAt;
  }

  started(job: J, now: number): void {
    const times = this.#timesOf(job);
    times.startedAt = now;
    const { arrivedAt, plannedStart } = times;
    if (plannedStart === undefined) return;
    const error = Math.abs(now - plannedStart);
    this.#absoluteErrors.push(error);
    this.#relativeErrors.push(error / Math.max(START_RESOLUTION_MS, plannedStart - arrivedAt));
  }

  ended(job: J, now: number, serviceMs: number): void {
    const { arrivedAt, startedAt } = this.#timesOf(job);
    this.#times.delete(job.index);
    this.#numJobs++;
    this.#ends.add(now);
    this.#numBySize.set(job.sizeClass, (this.#numBySize.get(job.sizeClass) ?? 0) + 1);
    if (job.index < this.#numWarmUp) return;
    const latency = now - arrivedAt;
    this.#latencies.add([sizeName(job.sizeClass), job.tier], latency);
    this.#waits.add([], startedAt - arrivedAt);
    this.#fairness.add(job.key, job.tier, latency, serviceMs);
  }

  result(fleet: FleetModel, scheduler: Scheduler<J>, now: number): SimulationResult {
    const makespanMs = now - (this.#firstAt ?? now);
    const devices = fleet.devices.map(({ id }) => {
      const { busyMs, completed } = scheduler.devices.counters(id, now);
      return { id, completed, utilisation: makespanMs === 0 ? 0 : busyMs / makespanMs };
    });
    const sizes = [...this.#numBySize.keys()].toSorted();
    const tiers: readonly Tier[] = ['enterprise', 'standard'];
    const tiersSeen = tiers.filter((tier) => this.#latencies.names.includes(tier));
    return {
      numJobs: this.#numJobs,
      makespanMs,
      perSecond: this.#perSecond(),
      latency: this.#latencies.all(),
      latencyBySize: Object.fromEntries(
        sizes.map((size) => [size, this.#latencies.of(sizeName(size))]),
      ),
      latencyByTier: Object.fromEntries(tiersSeen.map((tier) => [tier, this.#latencies.of(tier)])),
      wait: this.#waits.all(),
      numBySize: Object.fromEntries(sizes.map((size) => [size, this.#numBySize.get(size) ?? 0])),
      devices,
      utilisation:
        devices.reduce((sum, { utilisation }) => sum + utilisation, 0) /
        Math.max(1, devices.length),
      fairness: this.#fairness.byTier(),
      ...(this.#absoluteErrors.length > 0 && {
        planErrors: {
          absolute: percentilesOf(this.#absoluteErrors),
          relative: percentilesOf(this.#relativeErrors),
        },
      }),
    };
  }

  #perSecond(): number {
    const from = Math.floor(EDGE * this.#numJobs);
    const to = Math.floor((1 - EDGE) * this.#numJobs);
    const ms = this.#ends.at(to) - this.#ends.at(from);
    return ms <= 0 ? 0 : (1000 * (to - from)) / ms;
  }

  #timesOf({ index, id }: J): Times {
    const times = this.#times.get(index);
    if (times === undefined) throw new Error(`unreachable: ${id} is not in the fleet`);
    return times;
  }
}

/** So that a size that is called as a tier is kept apart from it. */
function sizeName(size: string): string {
  return `size ${size}`;
}

interface KeyTotals {
  readonly tier: Tier;
  latencyMs: number;
  serviceMs: number;
}

/** How evenly the keys of a tier were served: time in the fleet and time in service, by key. */
class FairnessLog {
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
