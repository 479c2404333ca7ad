/**
 * Runs procedures in processes of their own, a bounded number at a time; further calls wait in a fair
 * queue by priority, tier and key, as circuits wait for engines.
 *
 * A process serves many calls, because starting one takes longer than most calls. It is replaced when it
 * ends, does not finish a call in time, or has grown large. A call whose process was lost is run again
 * from its beginning, at most twice, unless the process was killed on purpose. A call that ran out of
 * memory is not run again, because it would again.
 */
import { ProcessorUnavailableError } from '../../fleet/errors.ts';
import type { Processor } from '../../fleet/processor.ts';
import { levelOf } from '../../fleet/schedule/scheduled-run.ts';
import { ChildPool, type FailedStart, mayRetry } from '../../processes/child-pool.ts';
import { ProcessGuard } from '../../processes/process-guard.ts';
import { drained } from '../drained.ts';
import { CallQueue, type Outlook, type QueuedCall } from './call-queue.ts';
import { ProcedureLostError, ProcedureMemoryError } from './errors.ts';
import { type Census, censusOf } from './pool-census.ts';
import { PooledProcess, type PooledProcessOptions } from './pooled-process.ts';
import type {
  ProcedureAddress,
  ProcedureCall,
  ProcedureHooks,
  ProcedureLoad,
  ProcedureOutcome,
} from './procedure-call.ts';
import type { CallEnd } from './running-call.ts';

export type {
  ProcedureCall,
  ProcedureHooks,
  ProcedureLoad,
  ProcedureOutcome,
} from './procedure-call.ts';

/** Default limit of a result's JSON, bytes. */
const MAX_RESULT_BYTES = 4 * 2 ** 20;
const GRACE_MS = 200;
/** Memory of a process beyond its heap, MiB: Node's own. Arrays may take as much again as the heap. */
const NODE_MB = 128;
const MIB = 2 ** 20;

/** Expected run time of a procedure that has not run yet, milliseconds. */
const FIRST_RUN_TIME_MS = 500;
/** Weight of the latest call in the average run time. */
const RUN_TIME_WEIGHT = 0.2;
/** Idle processes beyond the usual number end after this many milliseconds. */
const EXTRA_KEPT_MS = 10_000;
const RELIEF_MS = 2000;

interface WaitingCall extends QueuedCall {
  readonly call: ProcedureCall;
  readonly hooks: ProcedureHooks;
  readonly signal: AbortSignal;
  readonly processors: readonly Processor[];
  readonly attempt: number;
  readonly since: number;
  readonly onAbort: () => void;
  readonly resolve: (outcome: ProcedureOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** Settings of a pool. */
export interface ProcedurePoolOptions {
  /**
   * Module that the processes import. It exports `findProcedure(owner, name)`, and optionally `preload()`,
   * which is awaited before a process is ready.
   */
  readonly catalog: URL;
  /** Processors that run circuits, the preferred one first. */
  readonly processors: readonly Processor[];
  /**
   * Calls that run at a time; processes are started on demand. Calls that only wait for processors are not
   * counted, but there are never more than twice as many processes. Each process takes up to twice the
   * heap limit plus 128 MiB.
   */
  readonly numProcesses: number;
  /** Limit of V8's old space in each process, MiB. */
  readonly heapLimitMb: number;
  /** Most waiting calls. */
  readonly queueLimit: number;
  readonly maxResultBytes?: number;
  /**
   * Time from a cancel or a deadline until a process that has not finished its call is killed, milliseconds;
   * 200 unless given.
   */
  readonly graceMs?: number;
  /**
   * A key with no call running waits at most this many milliseconds; then another process is started, if
   * the limit allows one. 2 s unless given.
   */
  readonly reliefMs?: number;
  /** Environment variables of the processes, all of them; none unless given. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Called when a process ends unexpectedly, with the reason and its last output. */
  readonly onProcessLost?: (how: string) => void;
}

/** A pool of processes that run procedures. */
export class ProcedurePool {
  readonly #options: ProcedurePoolOptions;
  readonly #queue: CallQueue<WaitingCall>;
  readonly #pool: ChildPool<PooledProcess>;
  readonly #guard = new ProcessGuard();
  /** Busy processes, each with the expected run time of its call in milliseconds. */
  readonly #running = new Map<PooledProcess, number>();
  readonly #runTimes = new RunTimes();
  /** Called once when the first process is ready or has failed to start. */
  #onFirstStart: ((failure?: ProcedureLostError) => void) | undefined;
  #trimTimer: NodeJS.Timeout | undefined;
  #reliefTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ProcedurePoolOptions) {
    this.#options = options;
    this.#queue = new CallQueue(options.queueLimit);
    const { catalog, heapLimitMb, maxResultBytes = MAX_RESULT_BYTES, environment = {} } = options;
    const maxRssBytes = (2 * heapLimitMb + NODE_MB) * MIB;
    const { graceMs = GRACE_MS } = options;
    const limits = { heapLimitMb, maxResultBytes, maxRssBytes, graceMs };
    const ofProcess: PooledProcessOptions = {
      ...limits,
      catalog,
      environment,
      guard: this.#guard,
    };
    this.#pool = new ChildPool<PooledProcess>(
      {
        start: (events) =>
          new PooledProcess(ofProcess, {
            ...events,
            onFree: (process) => {
              this.#pool.release(process);
              this.#freed();
            },
            onParked: () => this.#goOn(),
          }),
      },
      {
        onReady: () => {
          this.#onFirstStart?.();
          this.#onFirstStart = undefined;
          this.#freed();
        },
        onEnd: (_, { wasReady }) => {
          if (wasReady) this.#goOn();
        },
        onFailedStart: (failure) => {
          this.#failedToStart(failure);
          this.#goOn();
        },
      },
    );
  }

  /**
   * Starts the first process; the others are started on demand.
   *
   * @throws {ProcedureLostError} if it ends before it is ready: the installation is at fault.
   */
  async start(): Promise<void> {
    if (this.#pool.children.size > 0) return;
    await new Promise<void>((resolve, reject) => {
      this.#onFirstStart = (failure) => (failure === undefined ? resolve() : reject(failure));
      this.#pool.start();
    });
  }

  /**
   * Reserves a place in the queue for the call with this id, until the call is run or withdrawn.
   *
   * @throws {ProcedureQueueFullError} if the waiting calls and reserved places reach the limit.
   */
  admit(id: string): void {
    this.#queue.admit(id, this.#outlook());
  }

  /** Releases a reserved place; does nothing without one. */
  withdraw(id: string): void {
    this.#queue.withdraw(id);
  }

  /**
   * Queues the call and runs it when its turn comes.
   *
   * @throws {ProcedureQueueFullError} as `admit`, unless the call was admitted or is readmitted.
   * @throws {ProcedureDeadlineError} once it has run for its `deadlineMs`.
   * @throws {ProcedureMemoryError} if it exceeded its process's memory limit.
   * @throws {ProcedureResultError} if its result is too large.
   * @throws {ProcedureLostError} if its process ended, and so did the next ones; when the pool closes.
   * @throws {ProcessorUnavailableError} if `processorId` is none of the pool's processors.
   * @throws {RelayedError} with the code of the procedure's error; a processor's error for one
   *   of its circuits, if the procedure rethrew it.
   * @throws {Error} that is no CodedError for bugs of a procedure, with its stack in the process.
   * @throws the signal's reason, at once.
   */
  async run(
    call: ProcedureCall,
    hooks: ProcedureHooks,
    signal: AbortSignal,
  ): Promise<ProcedureOutcome> {
    const wasAdmitted = this.#queue.withdraw(call.id);
    signal.throwIfAborted();
    if (this.#isClosed) throw stopping();
    const takesRoom = hooks.readmitted !== true;
    if (takesRoom && !wasAdmitted) this.#queue.checkRoom(this.#outlook());
    const processors = this.#processorsFor(call.processorId);
    return await new Promise((resolve, reject) => {
      const onAbort = () => {
        if (this.#queue.remove(call.id) === undefined) return;
        signal.removeEventListener('abort', onAbort);
        reject(signal.reason);
      };
      const { id, keyId: key, priority, tier } = call;
      const level = levelOf(priority, tier);
      const own = { id, key, level, takesRoom };
      const given = { call, hooks, signal, processors, onAbort };
      this.#wait(
        { ...own, ...given, attempt: 1, since: performance.now(), resolve, reject },
        false,
      );
    });
  }

  /** Number of calls that will start before this one; undefined if it is not queued. */
  queuePosition(id: string): number | undefined {
    return this.#queue.position(id);
  }

  load(): ProcedureLoad {
    const waiting = this.#queue.length;
    const running = this.#running.size;
    const processes = this.#pool.children.size;
    const isAtOnce = waiting < this.#numSpare();
    return { waiting, running, processes, expectedWaitMs: isAtOnce ? 0 : this.#expectedWaitMs() };
  }

  /**
   * Refuses new calls, ends waiting and running ones after `graceMs` milliseconds, and ends the
   * processes.
   */
  async close(graceMs = 0): Promise<void> {
    this.#isClosed = true;
    await drained(() => this.#queue.length + this.#running.size, graceMs);
    for (const waiting of this.#queue.drain()) {
      waiting.signal.removeEventListener('abort', waiting.onAbort);
      waiting.reject(stopping());
    }
    this.#pool.close();
    const processes = [...this.#pool.children];
    for (const process of processes) {
      process.call?.end({ kind: 'failed', error: stopping() });
      process.kill();
    }
    await Promise.all(processes.map(({ ended }) => ended));
    this.#guard.close();
  }

  #processorsFor(id: string | undefined): readonly Processor[] {
    const { processors } = this.#options;
    if (id === undefined) return processors;
    const named = processors.filter(({ spec }) => spec.id === id);
    if (named.length > 0) return named;
    throw new ProcessorUnavailableError(id, 'Procedures run no circuits on it.');
  }

  #outlook(): Outlook {
    return { numSpare: this.#numSpare(), expectedWaitMs: () => this.load().expectedWaitMs };
  }

  /** Number of calls that could start now, without another call ending first. */
  #numSpare(): number {
    const { numReady, numStartable, mayBegin } = this.#census();
    return Math.min(mayBegin, numReady + numStartable);
  }

  #census(): Census {
    return censusOf(this.#pool.children, this.#options.numProcesses);
  }

  #expectedWaitMs(): number {
    let total = 0;
    for (const { call } of this.#queue.calls()) total += this.#runTimes.expected(call.address);
    for (const [process, expectedMs] of this.#running) {
      total += Math.max(0, expectedMs - (process.call?.runningMs ?? 0));
    }
    return total / this.#options.numProcesses;
  }

  #wait(waiting: WaitingCall, comesBack: boolean): void {
    const cost = this.#runTimes.expected(waiting.call.address);
    waiting.signal.addEventListener('abort', waiting.onAbort);
    this.#queue.add(waiting, cost, comesBack);
    this.#goOn();
  }

  #goOn(): void {
    this.#fill();
    this.#relieve();
  }

  /**
   * Starts an overdue call of a key that has no call running, in one more process than usual: the calls
   * of other keys may run long.
   */
  #relieve(): void {
    clearTimeout(this.#reliefTimer);
    if (this.#queue.length === 0 || this.#isClosed) return;
    const { reliefMs = RELIEF_MS } = this.#options;
    const { mayBegin, numReady, numStartable, keysAtWork } = this.#census();
    const isFull =
      mayBegin === 0 && (this.#pool.free.length > 0 || (numReady === 0 && numStartable > 0));
    const since = performance.now() - reliefMs;
    const overdue = isFull ? this.#queue.overdue(since, keysAtWork) : undefined;
    if (overdue !== undefined) {
      const process = this.#pool.take();
      if (process !== undefined) {
        const waiting = this.#queue.startNow(overdue.id);
        if (waiting !== undefined) this.#begin(waiting, process);
      } else if (!this.#doesWithout) this.#pool.start();
    }
    this.#reliefTimer = setTimeout(() => this.#relieve(), reliefMs / 2).unref();
  }

  /** Assigns waiting calls to free processes, and starts processes for the rest. */
  #fill(): void {
    for (;;) {
      const { mayBegin, keysThatWait } = this.#census();
      if (this.#pool.free.length === 0 || mayBegin === 0) break;
      const waiting = this.#queue.start(keysThatWait);
      if (waiting === undefined) return;
      const process = this.#pool.take();
      if (process !== undefined) this.#begin(waiting, process);
    }
    if (this.#isClosed && this.#queue.length === 0) return;
    if (this.#doesWithout) return;
    const { numReady, numStartable, mayBegin, keysThatWait } = this.#census();
    const numMissing = Math.min(this.#queue.lengthWithout(keysThatWait), mayBegin) - numReady;
    for (let i = 0; i < Math.min(numMissing, numStartable); i++) this.#pool.start();
  }

  #freed(): void {
    this.#goOn();
    if (this.#census().numExtra > 0)
      this.#trimTimer ??= setTimeout(() => this.#trim(), EXTRA_KEPT_MS).unref();
  }

  /** Ends free processes beyond the usual number, the longest unused first. */
  #trim(): void {
    this.#trimTimer = undefined;
    for (const process of this.#pool.free.slice(0, this.#census().numExtra)) {
      this.#pool.withdraw(process);
      process.kill();
    }
  }

  /** Whether no process can be started at present, but running ones still serve. */
  get #doesWithout(): boolean {
    if (!this.#pool.isBroken) return false;
    return [...this.#pool.children].some(({ wasReady, isEnding }) => wasReady && !isEnding);
  }

  #failedToStart({ how, inFull, isExcused }: FailedStart): void {
    if (!this.#isClosed) this.#options.onProcessLost?.(`before it was ready: ${inFull}`);
    if (isExcused) {
      // Waiting calls start another process by themselves; `start` does not.
      if (this.#onFirstStart !== undefined) this.#pool.start();
      return;
    }
    const failure = new ProcedureLostError(`before it was ready: ${how}`);
    this.#onFirstStart?.(failure);
    this.#onFirstStart = undefined;
    if (!this.#pool.isBroken || this.#doesWithout) return;
    // Rejects one call for each failed start, so that a broken installation does not start processes for
    // ever.
    const waiting = this.#queue.removeFirst();
    waiting?.signal.removeEventListener('abort', waiting.onAbort);
    waiting?.reject(failure);
  }

  #begin(waiting: WaitingCall, process: PooledProcess): void {
    const { call, hooks, signal, processors, onAbort, since } = waiting;
    signal.removeEventListener('abort', onAbort);
    const queueMs = performance.now() - since;
    this.#running.set(process, this.#runTimes.expected(call.address));
    const onEnd = (end: CallEnd, executionMs: number) => {
      this.#running.delete(process);
      this.#settle(waiting, end, { queueMs, executionMs });
    };
    try {
      process.run({ call, hooks, signal, processors, onEnd });
      hooks.onStarted?.();
    } catch (error) {
      // The input could not be serialised, or the caller's hook threw.
      this.#running.delete(process);
      waiting.reject(error);
      process.kill();
    }
  }

  #settle(waiting: WaitingCall, end: CallEnd, timing: ProcedureOutcome['timing']): void {
    const { call, hooks, signal, attempt, resolve, reject } = waiting;
    switch (end.kind) {
      case 'done':
        this.#runTimes.note(call.address, timing.executionMs);
        resolve({ ...end.outcome, timing });
        return;
      case 'failed':
        reject(end.error);
        return;
      case 'out-of-memory':
        reject(new ProcedureMemoryError(this.#options.heapLimitMb));
        return;
      case 'lost':
        this.#options.onProcessLost?.(end.end.inFull);
        if (!mayRetry(attempt, end.end) || signal.aborted || this.#isClosed) {
          reject(new ProcedureLostError(end.end.how));
          return;
        }
        hooks.onStartedOver?.();
        this.#wait({ ...waiting, attempt: attempt + 1, since: performance.now() }, true);
    }
  }
}

function stopping(): ProcedureLostError {
  return new ProcedureLostError('the service is stopping');
}

/** Expected run time of each procedure: the exponential moving average of recent calls. */
class RunTimes {
  readonly #meanMs = new Map<string, number>();

  /** Records a call that succeeded. */
  note(address: ProcedureAddress, executionMs: number): void {
    const key = keyOf(address);
    const mean = this.#meanMs.get(key);
    this.#meanMs.set(
      key,
      mean === undefined ? executionMs : mean + RUN_TIME_WEIGHT * (executionMs - mean),
    );
  }

  /** Expected run time, milliseconds; above 0. */
  expected(address: ProcedureAddress): number {
    return Math.max(0.1, this.#meanMs.get(keyOf(address)) ?? FIRST_RUN_TIME_MS);
  }
}

function keyOf({ owner, name }: ProcedureAddress): string {
  return `${owner}/${name}`;
}
