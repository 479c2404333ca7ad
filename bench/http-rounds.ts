/** Rounds of one load over HTTP: rate, latencies, and the processor time of a request by kind of thread. */

import { closedLoop, type Load } from '../src/cli/capacity/http-load.ts';
import { percentilesOf } from '../src/cli/capacity/percentiles.ts';
import { type Measurement, median } from './harness.ts';
import { threadTimes } from './thread-times.ts';

const US_PER_S = 1e6;

/** Figures of one round; processor time is microseconds per request, NaN if it is unknown. */
export interface Round {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly clientUs: number;
  readonly mainUs: number;
  readonly workersUs: number;
  readonly helpersUs: number;
}

/** Drives a load once, and measures the cost to the service's process and this one. */
export async function measureRound(load: Load, pid = 0): Promise<Round> {
  const before = threadTimes(pid);
  const clientBefore = process.cpuUsage();
  const start = performance.now();
  const { p50, p95, p99 } = percentilesOf(await closedLoop(load));
  const seconds = (performance.now() - start) / 1000;
  const client = process.cpuUsage(clientBefore);
  const after = threadTimes(pid);
  const spentUs = (kind: 'main' | 'workers' | 'helpers') =>
    (((after?.[kind] ?? Number.NaN) - (before?.[kind] ?? Number.NaN)) * US_PER_S) /
    load.numRequests;
  return {
    perSecond: load.numRequests / seconds,
    p50Ms: p50,
    p95Ms: p95,
    p99Ms: p99,
    clientUs: (client.user + client.system) / load.numRequests,
    mainUs: spentUs('main'),
    workersUs: spentUs('workers'),
    helpersUs: spentUs('helpers'),
  };
}

/** The median of the rounds, with the smallest and the largest. */
export function roundsMeasurement(
  name: string,
  unit: string,
  values: readonly number[],
): Measurement {
  const spread = [Math.min(...values), Math.max(...values)] as const;
  return { name, value: median(values), unit, spread };
}
