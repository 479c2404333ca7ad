/**
 * Jobs of all kinds at once, by several keys, for a minute: `node bench/mixed-load.ts [--seconds 60]
 * [--lanes 24] [--seed 7]`. What ends how often, how long jobs and requests take, and whether anything
 * that was promised was broken; test/service/mixed-load.test.ts runs the same until it has seen enough.
 *
 * With `--kill-every-ms 1000`, a random process that the service has started is killed about once a
 * second, until `--jobs 2000` have been submitted: no job may fail for that.
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
import { RandomStream } from '../test/support/random-stream.ts';
import { startServiceProcess, temporaryFolder } from '../test/support/service-process.ts';
import { childProcessesOf } from './child-processes.ts';
import { store } from './harness.ts';

/** Quantiles of the timers' delays. */
const LAG_PARTS = [0.5, 0.99] as const;

interface Options {
  readonly seconds: number;
  /** Fewest jobs to submit, however long that takes. */
  readonly jobs: number;
  /** Average time between kills of the service's child processes; 0 for none. */
  readonly killEveryMs: number;
  readonly lanes: number;
  readonly seed: number;
}

/** Runs the load, prints the report and stores it. */
export async function benchMixedLoad(options: Options): Promise<readonly string[]> {
  const { seconds, jobs, killEveryMs, lanes, seed } = options;
  using folder = temporaryFolder();
  const keys = await createLoadKeys(folder.path);
  const service = await startServiceProcess(folder.path, MIXED_LOAD_SETTINGS);
  try {
    const isEnough = (soFar: LoadReport, passed: number) =>
      passed >= seconds && soFar.total() >= jobs;
    const pid = service.process.pid ?? 0;
    const killing = killEveryMs > 0 ? new WorkerKills(pid, killEveryMs, seed) : undefined;
    const report = await runMixedLoad({ origin: service.origin, keys, isEnough, lanes, seed });
    const kills = killing?.stop();
    const lag = lagOf(await (await fetch(`${service.origin}/metrics`)).text());
    const figures = figuresOf(report, lag, kills !== undefined);
    print(report, figures);
    if (kills !== undefined) process.stdout.write(`${JSON.stringify({ kills })}\n`);
    store(kills === undefined ? 'mixed-load' : 'worker-kills', rowsOf(report), {
      load: options,
      ...(kills && { kills }),
      ...figures,
    });
    return figures.faults;
  } finally {
    await service.stop('SIGTERM');
  }
}

/** Kills child processes of the service, one at random at a time. */
class WorkerKills {
  readonly #service: number;
  readonly #random: RandomStream;
  readonly #everyMs: number;
  readonly #numOf: Record<string, number> = {};
  #timer: NodeJS.Timeout;

  constructor(service: number, everyMs: number, seed: number) {
    this.#service = service;
    this.#everyMs = everyMs;
    this.#random = new RandomStream(seed);
    this.#timer = setTimeout(() => this.#next(), everyMs);
  }

  /**
   * Stops killing.
   *
   * @returns Number of kills by kind of process.
   */
  stop(): Readonly<Record<string, number>> {
    clearTimeout(this.#timer);
    return this.#numOf;
  }

  #next(): void {
    const workers = childProcessesOf(this.#service).flatMap(({ pid, module }) =>
      module === undefined ? [] : { pid, module },
    );
    if (workers.length > 0) {
      const { pid, module } = this.#random.pick(workers);
      process.kill(pid, 'SIGKILL');
      this.#numOf[module] = (this.#numOf[module] ?? 0) + 1;
    }
    const delayMs = 2 * this.#everyMs * this.#random.uniform();
    this.#timer = setTimeout(() => this.#next(), delayMs);
  }
}

/** Quantiles of the delay of the event loop's timers, milliseconds. */
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

/** Rows of the report: one for each kind of job, and one for each kind of request. */
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

/**
 * A fault that is documented: a record shows less progress than before if its work started over.
 */
const STARTED_OVER = /progress went from/;

function figuresOf(report: LoadReport, lag: Readonly<Record<string, number>>, wasKilling: boolean) {
  const { seconds, watched, reconnects, repeats, cancelsAsked } = report;
  const faults = report.faults.filter((fault) => !(wasKilling && STARTED_OVER.test(fault)));
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

function print(report: LoadReport, figures: object): void {
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
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' },
      jobs: { type: 'string', default: '0' },
      'kill-every-ms': { type: 'string', default: '0' },
      lanes: { type: 'string', default: '24' },
      seed: { type: 'string', default: '7' },
    },
  });
  const [seconds = 0, jobs = 0, killEveryMs = 0, lanes = 0, seed = 0] = [
    values.seconds,
    values.jobs,
    values['kill-every-ms'],
    values.lanes,
    values.seed,
  ].map(Number);
  const numbers = [seconds, jobs, killEveryMs, lanes, seed];
  if (!numbers.every(Number.isInteger) || seconds * lanes === 0) {
    throw new Error('--seconds, --jobs, --kill-every-ms, --lanes and --seed are whole numbers');
  }
  const faults = await benchMixedLoad({ seconds, jobs, killEveryMs, lanes, seed });
  if (faults.length > 0) process.exitCode = 1;
}
