/**
 * Load of this process over the last hour, minute by minute, in memory: queue, busy engines, how long circuits took, and
 * what failed. States are sampled by a timer; jobs and requests are counted as they end. A node of a cluster has the
 * history of its own engines, of the jobs that it ran, and of the requests that it answered.
 */
import type { EngineTime } from '../../fleet/engine-lanes.ts';
import type { Job } from '../../jobs/job.ts';

const MINUTE_MS = 60_000;
/** Minutes that are kept, the present one included. */
const NUM_MINUTES = 60;
/** Interval of the samples. */
const SAMPLE_MS = 5000;

/** State at a moment. */
export interface LoadSample {
  /** Circuits that wait for an engine. */
  readonly waiting: number;
  /** Until a small circuit would start; undefined where nothing would start it. */
  readonly expectedWaitMs: number | undefined;
  /** Totals since the start. */
  readonly engines: readonly EngineTime[];
}

/** Load of a minute, or of several. */
export interface Load {
  /** Time for which samples were taken, milliseconds. */
  readonly sampledMs: number;
  /** Circuits that waited, on average and at most; undefined without a sample. */
  readonly waiting: { readonly mean: number; readonly most: number } | undefined;
  /** Greatest of the expected waits. */
  readonly expectedWaitMs: number | undefined;
  /** Engines of each lane that had runs, on average. */
  readonly busy: ReadonlyMap<string, number>;
  readonly jobs: {
    readonly completed: number;
    readonly failed: number;
    readonly cancelled: number;
  };
  /** From submission to result of completed circuits, milliseconds within 5 %; undefined without one. */
  readonly latency:
    | { readonly p50: number; readonly p95: number; readonly p99: number }
    | undefined;
  /** Requests that were answered, and those that failed by a fault of the service (status 500 and above). */
  readonly requests: { readonly answered: number; readonly failed: number };
}

/** Bounds of latencies: this many for each doubling. */
const STEPS = 8;

/** Durations by their size, with a resolution of 9 %. */
class Durations {
  /** Index 0 has what is below 1 ms. */
  readonly #counts = new Map<number, number>();

  add(ms: number): void {
    const index = ms < 1 ? 0 : 1 + Math.floor(STEPS * Math.log2(ms));
    this.#counts.set(index, (this.#counts.get(index) ?? 0) + 1);
  }

  include(other: Durations): void {
    for (const [index, count] of other.#counts) {
      this.#counts.set(index, (this.#counts.get(index) ?? 0) + count);
    }
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The duration that a part of all are at most: the middle of its step. There is at least one. */
  quantile(part: number): number {
    let left = Math.ceil(part * this.total);
    for (const index of [...this.#counts.keys()].sort((a, b) => a - b)) {
      left -= this.#counts.get(index) ?? 0;
      if (left <= 0) return index === 0 ? 0.5 : 2 ** ((index - 0.5) / STEPS);
    }
    throw new Error('unreachable: a quantile of no durations');
  }
}

class Minute {
  /** Number of the minute since 1970 UTC. */
  readonly number: number;
  sampledMs = 0;
  waitingMs = 0;
  mostWaiting = 0;
  expectedWaitMs: number | undefined;
  readonly busyMs = new Map<string, number>();
  readonly jobs = { completed: 0, failed: 0, cancelled: 0 };
  readonly latencies = new Durations();
  readonly requests = { answered: 0, failed: 0 };

  constructor(number: number) {
    this.number = number;
  }

  include(other: Minute): void {
    this.sampledMs += other.sampledMs;
    this.waitingMs += other.waitingMs;
    this.mostWaiting = Math.max(this.mostWaiting, other.mostWaiting);
    if (other.expectedWaitMs !== undefined) {
      this.expectedWaitMs = Math.max(this.expectedWaitMs ?? 0, other.expectedWaitMs);
    }
    for (const [id, ms] of other.busyMs) this.busyMs.set(id, (this.busyMs.get(id) ?? 0) + ms);
    for (const ending of ['completed', 'failed', 'cancelled'] as const) {
      this.jobs[ending] += other.jobs[ending];
    }
    this.latencies.include(other.latencies);
    this.requests.answered += other.requests.answered;
    this.requests.failed += other.requests.failed;
  }

  get load(): Load {
    const { sampledMs, waitingMs, mostWaiting, expectedWaitMs, latencies, jobs, requests } = this;
    const isSampled = sampledMs > 0;
    const [p50, p95, p99] =
      latencies.total === 0 ? [] : QUANTILES.map((p) => latencies.quantile(p));
    return {
      sampledMs,
      waiting: isSampled ? { mean: waitingMs / sampledMs, most: mostWaiting } : undefined,
      expectedWaitMs,
      busy: new Map(isSampled ? [...this.busyMs].map(([id, ms]) => [id, ms / sampledMs]) : []),
      jobs: { ...jobs },
      latency:
        p50 === undefined || p95 === undefined || p99 === undefined ? undefined : { p50, p95, p99 },
      requests: { ...requests },
    };
  }
}

const QUANTILES = [0.5, 0.95, 0.99];

/** Keeps the load of the last hour. */
export class LoadHistory {
  readonly #now: () => number;
  readonly #minutes: Minute[] = [];
  #last: { readonly at: number; readonly engines: ReadonlyMap<string, number> } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #begunAt: number | undefined;

  /** @param now - Milliseconds since 1970 UTC. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Beginning of the history, milliseconds since 1970 UTC: the start, or an hour ago. */
  get since(): number {
    const { number } = this.#present();
    return Math.max(this.#begunAt ?? 0, (number - NUM_MINUTES + 1) * MINUTE_MS);
  }

  /** Takes samples from now on, until it is closed. */
  start(read: () => LoadSample): void {
    this.sample(read());
    this.#timer = setInterval(() => this.sample(read()), SAMPLE_MS).unref();
  }

  /** Ends the samples. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** Adds a sample of now: it stands for the time since the one before. */
  sample({ waiting, expectedWaitMs, engines }: LoadSample): void {
    const at = this.#now();
    const last = this.#last;
    this.#last = { at, engines: new Map(engines.map(({ id, busyMs }) => [id, busyMs])) };
    const minute = this.#present();
    minute.mostWaiting = Math.max(minute.mostWaiting, waiting);
    if (expectedWaitMs !== undefined) {
      minute.expectedWaitMs = Math.max(minute.expectedWaitMs ?? 0, expectedWaitMs);
    }
    // The clock may have been set.
    if (last === undefined || at <= last.at) return;
    const ms = at - last.at;
    minute.sampledMs += ms;
    minute.waitingMs += ms * waiting;
    for (const { id, slots, busyMs } of engines) {
      const before = last.engines.get(id) ?? 0;
      const busy = Math.min(slots * ms, Math.max(0, busyMs - before));
      minute.busyMs.set(id, (minute.busyMs.get(id) ?? 0) + busy);
    }
  }

  /** Counts a job that has ended. */
  countJob({ kind, status, createdAt, finishedAt }: Job): void {
    if (status === 'queued' || status === 'running') return;
    const minute = this.#present();
    minute.jobs[status] += 1;
    if (kind !== 'circuit' || status !== 'completed' || finishedAt === undefined) return;
    minute.latencies.add(Math.max(0, finishedAt - createdAt));
  }

  /** Counts a request that was answered. */
  countRequest(statusCode: number): void {
    const { requests } = this.#present();
    requests.answered += 1;
    if (statusCode >= 500) requests.failed += 1;
  }

  /** Minutes of the last hour in which something was seen, oldest first; the last one may still go on. */
  minutes(): readonly (Load & { readonly at: number })[] {
    this.#present();
    return this.#minutes.map(({ number, load }) => ({ at: number * MINUTE_MS, ...load }));
  }

  /** All minutes together. */
  hour(): Load {
    this.#present();
    const all = new Minute(0);
    for (const minute of this.#minutes) all.include(minute);
    return all.load;
  }

  /** The present minute. Those before the last hour are dropped. */
  #present(): Minute {
    // A clock that is set back goes on in the minute that was reached.
    const reached = this.#minutes.at(-1);
    const number = Math.max(Math.floor(this.#now() / MINUTE_MS), reached?.number ?? 0);
    const present = reached?.number === number ? reached : new Minute(number);
    this.#begunAt ??= this.#now();
    if (present !== reached) this.#minutes.push(present);
    while ((this.#minutes[0]?.number ?? number) <= number - NUM_MINUTES) this.#minutes.shift();
    return present;
  }
}
