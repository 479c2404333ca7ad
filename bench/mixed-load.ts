/**
 * Jobs of all kinds at once, by several keys, for a minute: `node bench/mixed-load.ts [--seconds 60]
 * [--lanes 24] [--seed 7]`. What ends how often, how long jobs and requests take, and whether anything
 * that was promised was broken; test/service/mixed-load.test.ts runs the same until it has seen enough.
 *
 * Client and service share the machine. The load is a closed loop, so that the times of jobs say what
 * so many lanes make of one another, not how fast a job alone would be.
 */
import { parseArgs } from 'node:util';
import type { LoadReport } from '../test/support/mixed-load/load-report.ts';
import {
  createLoadKeys,
  MIXED_LOAD_SETTINGS,
  runMixedLoad,
} from '../test/support/mixed-load/mixed-load.ts';
import { parseScrape } from '../test/support/prometheus-text.ts';
import { startServiceProcess, temporaryFolder } from '../test/support/service-process.ts';
import { store } from './harness.ts';

/** Part of all timers' delays. */
const LAG_PARTS = [0.5, 0.99] as const;

interface Options {
  readonly seconds: number;
  readonly lanes: number;
  readonly seed: number;
}

/** Runs the load, prints what came of it and stores that. */
export async function benchMixedLoad({ seconds, lanes, seed }: Options): Promise<LoadReport> {
  using folder = temporaryFolder();
  const keys = await createLoadKeys(folder.path);
  const service = await startServiceProcess(folder.path, MIXED_LOAD_SETTINGS);
  try {
    const isEnough = (_: LoadReport, passed: number) => passed >= seconds;
    const report = await runMixedLoad({ origin: service.origin, keys, isEnough, lanes, seed });
    const lag = lagOf(await (await fetch(`${service.origin}/metrics`)).text());
    print(report, lag);
    store('mixed-load', rowsOf(report), {
      load: { seconds, lanes, seed },
      ...figuresOf(report, lag),
    });
    return report;
  } finally {
    await service.stop('SIGTERM');
  }
}

/** Milliseconds that the event loop's timers were late by, at most in so many of all cases. */
function lagOf(scrape: string): Readonly<Record<string, number>> {
  const buckets = parseScrape(scrape)
    .all('nodejs_eventloop_lag_seconds_bucket')
    .map(({ labels, value }) => ({
      ms: 1000 * Number(labels['le']?.replace('+Inf', 'Infinity')),
      value,
    }))
    .sort((a, b) => a.ms - b.ms);
  const total = buckets.at(-1)?.value ?? 0;
  return Object.fromEntries(
    LAG_PARTS.map((part) => [
      `event_loop_lag_p${100 * part}_ms_at_most`,
      buckets.find(({ value }) => value >= part * total)?.ms ?? Number.NaN,
    ]),
  );
}

/** One a kind of jobs, and one a kind of requests. */
function rowsOf(report: LoadReport): readonly object[] {
  const jobs = [...report.outcomes.entries()].sort().map(([name, outcomes]) => {
    const { p50, p95, p99 } = report.jobMs.of(name);
    const waited = report.queueMs.of(name);
    return {
      jobs: name,
      ...outcomes,
      p50_ms: p50,
      p95_ms: p95,
      p99_ms: p99,
      queue_p50_ms: waited.p50,
    };
  });
  const requests = [...report.requestMs.names].sort().map((name) => {
    const { count, p50, p95, p99 } = report.requestMs.of(name);
    return { requests: name, count, p50_ms: p50, p95_ms: p95, p99_ms: p99 };
  });
  return [...jobs, ...requests];
}

function figuresOf(report: LoadReport, lag: Readonly<Record<string, number>>): object {
  const { seconds, watched, reconnects, repeats, cancelsAsked, faults } = report;
  return {
    jobs: report.total(),
    jobs_per_sec: report.total() / seconds,
    completed: report.total('completed'),
    cancelled: report.total('cancelled'),
    failed: report.total('failed'),
    run_seconds: seconds,
    watched,
    reconnects,
    repeats,
    cancels_asked: cancelsAsked,
    zones_with_lines: report.zonesWithLines.size,
    ...lag,
    faults,
  };
}

function print(report: LoadReport, lag: Readonly<Record<string, number>>): void {
  for (const row of rowsOf(report)) {
    process.stdout.write(
      `${Object.entries(row)
        .map(
          ([name, value]) =>
            `${name} ${typeof value === 'number' ? Number(value.toPrecision(4)) : value}`,
        )
        .join(', ')}\n`,
    );
  }
  process.stdout.write(`${JSON.stringify(figuresOf(report, lag), null, 2)}\n`);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' },
      lanes: { type: 'string', default: '24' },
      seed: { type: 'string', default: '7' },
    },
  });
  const [seconds, lanes, seed] = [values.seconds, values.lanes, values.seed].map(Number);
  if (!seconds || !lanes || seed === undefined || !Number.isInteger(seed)) {
    throw new Error('--seconds, --lanes and --seed are numbers');
  }
  const { faults } = await benchMixedLoad({ seconds, lanes, seed });
  if (faults.length > 0) process.exitCode = 1;
}
