/**
 * One worker, a thread or a process, and the list of runs that it runs one after the other.
 *
 * Each circuit's promise settles by itself, always: with the worker's answer, with the signal's reason
 * once the work has stopped, or with WorkerLostError when the worker ends. A cancelled circuit that
 * has not begun is dropped from the list. One that is still running after the grace is stopped by
 * ending its worker, and so are those of a worker that falls silent where a limit is set to that.
 */
import { type ChildEnd, SupervisedChild } from '../../processes/supervised-child.ts';
import { WorkerLostError } from '../errors.ts';
import type { CircuitRun } from '../processor.ts';
import type { Precision } from '../schedule/lane.ts';
import { circuitWork, isBatch } from '../schedule/scheduled-run.ts';
import { OutcomeUnpacker, PostedCircuits, postedRun } from './sent-run.ts';
import {
  type Ended,
  type EngineReport,
  errorOf,
  type FromWorker,
  type PostedRun,
  type RunOutcome,
  type StartWorker,
  type ToWorker,
} from './worker-messages.ts';

/** Default time in which a worker must open its engine. */
const START_LIMIT_MS = 30_000;
/** A worker says nothing while it compiles: an operation may take this long on a busy machine. */
const COMPILING_MS = 0.25;

/** A run to be given to a worker, with the callbacks by which the worker's owner follows it. */
export interface WorkerRun extends Pick<CircuitRun, 'circuit' | 'request'> {
  readonly computedIn: Precision;
  readonly onProgress: (fraction: number) => void;
  /**
   * Called when the run has begun, before its promise settles; for one that takes less than some 20 ms
   * perhaps just before.
   *
   * @param startedAt - On the clock of `performance.now()`.
   */
  readonly onStarted?: (startedAt: number) => void;
  readonly signal: AbortSignal;
}

/** Options of a runner, for starting and stopping its worker. */
interface EngineRunnerOptions {
  readonly start: StartWorker;
  /** Milliseconds in which a cancelled circuit must stop. */
  readonly cancelGraceMs: number;
  /** Milliseconds in which a worker must open its engine; 30 s by default. */
  readonly startLimitMs?: number;
  /** Milliseconds for which a worker with a circuit may send nothing; it means to send something every second. */
  readonly silenceLimitMs?: number;
}

/** Events of a worker. */
interface EngineRunnerEvents<Run extends WorkerRun> {
  /** The worker is open: it can take a first list. */
  readonly onReady: () => void;
  /** The worker is through with its list: it can take another. */
  readonly onIdle: (runner: EngineRunner<Run>) => void;
  /** Circuits came through. */
  readonly onOutcomes: () => void;
  /** A circuit came further. */
  readonly onProgress?: () => void;
  /** The worker has ended. */
  readonly onEnd: (end: ChildEnd) => void;
}

type News = Extract<FromWorker, { kind: 'news' }>;
type Progress = Extract<FromWorker, { kind: 'progress' }>;

interface Running<Run> {
  readonly id: number;
  readonly run: Run;
  readonly resolve: (outcome: RunOutcome) => void;
  readonly reject: (error: unknown) => void;
  readonly onAbort: () => void;
  hasBegun: boolean;
  graceTimer?: NodeJS.Timeout;
}

/** End of a circuit, with its start if it was begun. */
interface Ending<Run> {
  readonly running: Running<Run>;
  readonly startedAt?: number;
  readonly answer: (running: Running<Run>) => void;
}

/** A worker with an engine. */
export class EngineRunner<Run extends WorkerRun = WorkerRun> {
  readonly #child: SupervisedChild<ToWorker, FromWorker>;
  readonly #options: EngineRunnerOptions;
  readonly #events: EngineRunnerEvents<Run>;
  #stopSilenceWatch: (() => void) | undefined;
  readonly #unpacker = new OutcomeUnpacker();
  /** By id, in the order of the list. */
  readonly #running = new Map<number, Running<Run>>();
  #numRun = 0;
  #report: EngineReport | undefined;

  constructor(options: EngineRunnerOptions, events: EngineRunnerEvents<Run>) {
    this.#options = options;
    this.#events = events;
    const { start, startLimitMs = START_LIMIT_MS } = options;
    this.#child = new SupervisedChild<ToWorker, FromWorker>(
      { start, startLimitMs },
      {
        onReady: ({ report }) => {
          this.#report = report;
          events.onReady();
        },
        onMessage: (message) => this.#onMessage(message),
        onEnd: (end) => this.#onEnd(end),
      },
    );
  }

  /** Whether the engine has been opened. */
  get isReady(): boolean {
    return this.#child.isReady;
  }

  /** Report of the worker on its engine; undefined before it is open. */
  get report(): EngineReport | undefined {
    return this.#report;
  }

  /** Process id, where the worker is a process. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The runs of its list that are not answered, in order. */
  get list(): readonly Pick<Running<Run>, 'run' | 'hasBegun'>[] {
    return [...this.#running.values()];
  }

  /**
   * Runs circuits in the order of the list; the worker is idle.
   *
   * @returns A promise for each. They settle in any order, so each needs somebody who listens.
   */
  run(runs: readonly Run[]): readonly Promise<RunOutcome>[] {
    if (this.#running.size > 0) throw new Error('unreachable: the worker runs circuits');
    const ids: number[] = [];
    const promises = runs.map((run) => {
      const { promise, resolve, reject } = Promise.withResolvers<RunOutcome>();
      const id = this.#numRun++;
      const onAbort = () => this.#cancel(id);
      this.#running.set(id, { id, run, resolve, reject, onAbort, hasBegun: false });
      run.signal.addEventListener('abort', onAbort, { once: true });
      ids.push(id);
      return promise;
    });
    this.#child.setHolding(true);
    this.#watchSilence();
    this.#send(postedRuns(runs, ids));
    return promises;
  }

  /** Ends the worker; circuits it has not answered are rejected. */
  async end(): Promise<void> {
    this.#child.kill();
    await this.#child.ended;
  }

  /** Sends the list. Runs that cannot be cloned are rejected, and the rest goes on. */
  #send(runs: readonly PostedRun[]): void {
    try {
      if (runs.length > 0) this.#child.post({ kind: 'run', runs });
    } catch (error) {
      const sendable = runs.filter(isSendable);
      const others = runs.filter((run) => !sendable.includes(run));
      // Runs that the host alone refuses are not sent again and again.
      const refused = others.length > 0 ? others : runs;
      this.#send(others.length > 0 ? sendable : []);
      this.#settle(refused.flatMap(({ id }) => this.#ending(id, ({ reject }) => reject(error))));
      return;
    }
    const first = runs[0] && this.#running.get(runs[0].id);
    if (first !== undefined) this.#begin(first, performance.now());
  }

  #cancel(id: number): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#child.post({ kind: 'cancel', id });
    running.graceTimer = setTimeout(() => this.#onGraceOver(running), this.#options.cancelGraceMs);
  }

  /** Ends the worker if the run has begun. One that has not waits behind another, which must not suffer. */
  #onGraceOver(running: Running<Run>): void {
    if (running.hasBegun) this.#child.kill();
    else this.#settle(this.#ending(running.id, ({ run, reject }) => reject(run.signal.reason)));
  }

  /** Counts again from now. */
  #watchSilence(): void {
    if (this.#options.silenceLimitMs === undefined) return;
    this.#stopSilenceWatch?.();
    if (this.#running.size === 0) return;
    const numOperations = [...this.#running.values()].map(({ run }) => numOperationsToCompile(run));
    const limitMs =
      this.#options.silenceLimitMs + Math.floor(Math.max(...numOperations) * COMPILING_MS);
    this.#stopSilenceWatch = this.#child.killAfter(limitMs, `it said nothing for ${limitMs} ms`);
  }

  #onMessage(message: Exclude<FromWorker, { kind: 'ready' }>): void {
    switch (message.kind) {
      case 'lost':
        this.#child.kill(message.how);
        return;
      case 'progress':
        this.#watchSilence();
        if (!this.#child.isEnding) this.#onProgress(message);
        return;
      case 'news':
        // An ending worker gets no other list, so its messages no longer matter.
        if (!this.#child.isEnding) this.#onNews(message);
        return;
    }
  }

  #onProgress({ id, fraction }: Progress): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#events.onProgress?.();
    running.run.onProgress(fraction);
  }

  #onNews({ packed, ended, begun }: News): void {
    this.#watchSilence();
    const now = performance.now();
    const endings = ended.flatMap((end) => this.#endingOf(end, now));
    if (packed !== undefined) {
      for (const { id, outcome, begunAgoMs } of this.#unpacker.unpack(packed)) {
        endings.push(...this.#ending(id, ({ resolve }) => resolve(outcome), now - begunAgoMs));
      }
    }
    if (packed !== undefined || ended.some(({ kind }) => kind === 'done'))
      this.#events.onOutcomes();
    if (begun !== undefined) {
      const running = this.#running.get(begun.id);
      if (running !== undefined) this.#begin(running, now - begun.agoMs);
    }
    this.#settle(endings);
  }

  #endingOf(ended: Ended, now: number): readonly Ending<Run>[] {
    switch (ended.kind) {
      case 'done':
        return this.#ending(ended.id, (one) => one.resolve(ended.outcome), now - ended.agoMs);
      case 'failed':
        return this.#ending(
          ended.id,
          (one) => one.reject(errorOf(ended.failure)),
          now - ended.agoMs,
        );
      case 'aborted':
        return this.#ending(ended.id, ({ run, reject }) => reject(run.signal.reason));
    }
  }

  /** Takes a circuit off the list; none if it was dropped before. */
  #ending(
    id: number,
    answer: (running: Running<Run>) => void,
    startedAt?: number,
  ): readonly [] | readonly [Ending<Run>] {
    const running = this.#take(id);
    if (running === undefined) return [];
    return [{ running, answer, ...(startedAt !== undefined && { startedAt }) }];
  }

  /** The worker is free before its callers hear of it: the next list is on its way by then. */
  #settle(endings: readonly Ending<Run>[]): void {
    if (endings.length === 0) return;
    this.#watchSilence();
    if (this.#running.size === 0) {
      this.#child.setHolding(false);
      if (!this.#child.isEnding) this.#events.onIdle(this);
    }
    for (const { running, startedAt, answer } of endings) {
      if (startedAt !== undefined) this.#begin(running, startedAt);
      const { signal } = running.run;
      if (signal.aborted) running.reject(signal.reason);
      else answer(running);
    }
  }

  #begin(running: Running<Run>, startedAt: number): void {
    if (running.hasBegun) return;
    running.hasBegun = true;
    running.run.onStarted?.(startedAt);
  }

  #onEnd(end: ChildEnd): void {
    const left = [...this.#running.keys()].flatMap((id) => this.#take(id) ?? []);
    this.#events.onEnd(end);
    for (const { run, reject } of left) {
      if (run.signal.aborted) reject(run.signal.reason);
      else reject(new WorkerLostError(end.inFull, left.length === 1, end));
    }
  }

  #take(id: number): Running<Run> | undefined {
    const running = this.#running.get(id);
    if (running === undefined) return undefined;
    this.#running.delete(id);
    clearTimeout(running.graceTimer);
    running.run.signal.removeEventListener('abort', running.onAbort);
    return running;
  }
}

/** Operations that a worker compiles for a run; a batch run's shape has few. */
function numOperationsToCompile({ circuit, request }: WorkerRun): number {
  return isBatch(request) ? 0 : circuitWork(circuit).numOperations;
}

/** The list in the form that is sent. */
function postedRuns(runs: readonly WorkerRun[], ids: readonly number[]): readonly PostedRun[] {
  const circuits = new PostedCircuits();
  return runs.map((run, i) => {
    const { computedIn: precision, request } = run;
    return postedRun({ id: ids[i]!, precision, circuit: circuits.of(run), request });
  });
}

/** Whether it can be cloned. */
function isSendable(run: PostedRun): boolean {
  try {
    structuredClone(run);
    return true;
  } catch {
    return false;
  }
}
