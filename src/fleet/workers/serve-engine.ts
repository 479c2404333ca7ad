/**
 * The worker's side of an engine pool: takes lists of runs, compiles and runs one after the other, and
 * answers. A batch run of a list is run like a circuit, by itself; circuits of it that differ in their
 * angles alone are run together, with the first of them; see shape-batches.ts.
 *
 * Messages are heard whenever an engine yields, and every few milliseconds between circuits that do
 * not; a worker that does not yield is ended by the pool. A self-test asks for more than counts, so it always
 * takes the whole way.
 */
import { setTimeout } from 'node:timers/promises';
import { readsState } from '../../circuit/outputs.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ParentPort } from '../../processes/parent-port.ts';
import { arraysOf } from '../run-outputs.ts';
import type { Precision } from '../schedule/lane.ts';
import { isBatch, widthOfRun } from '../schedule/scheduled-run.ts';
import type { Compiler, KeepLimits } from './prepared-circuits.ts';
import { methodOfSent } from './sent-circuit.ts';
import { OutcomePacker, ReadObservables, receivedRun } from './sent-run.ts';
import { type Gathered, ServedEngine } from './served-engine.ts';
import { isBriefBatch } from './shape-batches.ts';
import {
  type Begun,
  type Ended,
  type EngineReport,
  type FromWorker,
  failureOf,
  isEngineLost,
  type RunOutcome,
  type SentRun,
  type ToWorker,
  type WorkerFailure,
} from './worker-messages.ts';

/** Circuits of no more than this are done, or yield, in less time than a message of their begin takes. */
const MAX_BRIEF_QUBITS = 10;
const MAX_BRIEF_OPERATIONS = 64;

/** A thread that has been ready for this long warms up. */
const WARM_UP_DELAY_MS = 100;

const NEVER = new AbortController().signal;

/** A worker's connection to the pool. */
export type WorkerPort = ParentPort<ToWorker, FromWorker>;

/** Engines that a worker serves the pool with. */
interface ServedEngines {
  /** Called when a circuit of the precision first comes; the engine is kept. */
  readonly open: (precision: Precision) => Engine;
  readonly compiler: Compiler;
  /** Limits of the circuits that are kept prepared. */
  readonly kept: KeepLimits;
  /** Report on the engine, where it is open already. */
  readonly report?: EngineReport;
  /** Steps that warm up the engine of single precision while there is nothing to run. */
  readonly warmUp?: (engine: ServedEngine) => Iterable<() => Promise<void>>;
}

/** Answers the messages on `port` until the worker is ended. */
export function serveEngine(port: WorkerPort, engines: ServedEngines): void {
  const server = new EngineServer(port, engines);
  const observables = new ReadObservables();
  port.onMessage((message) => {
    switch (message.kind) {
      case 'run':
        server.run(message.runs.map((run) => receivedRun(run, observables)));
        return;
      case 'cancel':
        server.cancel(message.id);
        return;
    }
  });
  const { report, warmUp } = engines;
  port.post({ kind: 'ready', ...(report && { report }) });
  if (warmUp !== undefined) void server.warmUp(warmUp);
}

class EngineServer {
  readonly #port: WorkerPort;
  readonly #options: ServedEngines;
  readonly #engines = new Map<Precision, ServedEngine>();
  readonly #buffer: MessageBuffer;
  readonly #waiting: SentRun[] = [];
  /** By id: one, or those of a batch. */
  readonly #running = new Map<number, AbortController>();
  #isWorking = false;
  #isLost = false;
  /** The step of the warm-up that runs now. */
  #warmUpStep: Promise<void> | undefined;

  constructor(port: WorkerPort, options: ServedEngines) {
    this.#port = port;
    this.#options = options;
    this.#buffer = new MessageBuffer((message, transfer) => port.post(message, transfer));
  }

  /** Takes a list of circuits. */
  run(runs: readonly SentRun[]): void {
    this.#waiting.push(...runs);
    if (!this.#isWorking) void this.#work();
  }

  /** Drops a circuit that waits, or stops the one that runs. */
  cancel(id: number): void {
    this.#running.get(id)?.abort();
    if (!this.#waiting.some((run) => run.id === id)) return;
    this.#drop(id);
    this.#buffer.send();
  }

  /**
   * Runs steps one by one while nothing else is to be run. A circuit that comes meanwhile waits for one step.
   */
  async warmUp(steps: NonNullable<ServedEngines['warmUp']>): Promise<void> {
    // The first self-test, which the service waits for, goes ahead.
    await setTimeout(WARM_UP_DELAY_MS, undefined, { ref: false });
    for (const step of steps(this.#engine('f32'))) {
      while (this.#isWorking) await setTimeout(TICK_MS, undefined, { ref: false });
      if (this.#isLost) return;
      // A fault is for the self-test to find.
      this.#warmUpStep = step().catch(() => {});
      await this.#warmUpStep;
      this.#warmUpStep = undefined;
      await heard();
    }
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    if (this.#warmUpStep !== undefined) await this.#warmUpStep;
    this.#buffer.open();
    let isFirst = true;
    for (;;) {
      const run = this.#waiting.shift();
      if (run === undefined || this.#isLost) break;
      const engine = this.#engines.get(run.precision);
      const batch = engine?.gather(run, this.#waiting);
      if (engine !== undefined && batch !== undefined) await this.#runTogether(batch, engine);
      else await this.#runOne(run, isFirst);
      isFirst = false;
      if (!this.#buffer.isDue) continue;
      this.#buffer.send();
      await heard();
    }
    this.#buffer.close();
    this.#isWorking = false;
  }

  async #runOne(run: SentRun, isFirst: boolean): Promise<void> {
    const { id, precision } = run;
    const signal = this.#begin(id);
    const beganAt = performance.now();
    this.#buffer.begin(id, beganAt, isFirst);
    if (!isBrief(run)) this.#buffer.send();
    try {
      const onProgress = (fraction: number) => this.#buffer.progress(fraction);
      const outcome = await this.#engine(precision).run(run, onProgress, signal);
      this.#buffer.done(id, outcome, beganAt);
    } catch (error) {
      if (isEngineLost(error)) this.#lose(error.message);
      else if (signal.aborted) this.#buffer.aborted(id);
      else this.#buffer.failed(id, failureOf(error, widthOf(run)), beganAt);
    } finally {
      this.#running.delete(id);
    }
  }

  /** A batch is too short to be stopped for a circuit that is cancelled in it. */
  async #runTogether(batch: Gathered, engine: ServedEngine): Promise<void> {
    const signals = batch.map(({ id }) => this.#begin(id));
    const beganAt = performance.now();
    try {
      const outcomes = await engine.runTogether(batch, NEVER);
      // Without outcomes, each circuit goes back to be run by itself.
      if (outcomes === undefined) this.#waiting.unshift(...batch);
      for (const [i, { id }] of batch.entries()) {
        const outcome = outcomes?.[i];
        if (signals[i]?.aborted) this.#drop(id);
        else if (outcome !== undefined) this.#buffer.done(id, outcome, beganAt);
      }
    } catch (error) {
      if (!isEngineLost(error)) throw error;
      this.#lose(error.message);
    } finally {
      for (const { id } of batch) this.#running.delete(id);
    }
  }

  #begin(id: number): AbortSignal {
    const controller = new AbortController();
    this.#running.set(id, controller);
    return controller.signal;
  }

  /** Answers for a circuit that will not be run, and takes it out of those that wait. */
  #drop(id: number): void {
    const place = this.#waiting.findIndex((run) => run.id === id);
    if (place >= 0) this.#waiting.splice(place, 1);
    this.#buffer.aborted(id);
  }

  /** The pool ends this worker, and runs its unanswered circuits again on a fresh one. */
  #lose(how: string): void {
    this.#isLost = true;
    this.#buffer.send();
    this.#port.post({ kind: 'lost', how }, []);
  }

  #engine(precision: Precision): ServedEngine {
    const { open, compiler, kept } = this.#options;
    const engine =
      this.#engines.get(precision) ?? new ServedEngine(open(precision), compiler, kept);
    this.#engines.set(precision, engine);
    return engine;
  }
}

/** Whether it needs no message of its own to say that it was begun. */
function isBrief({ circuit, request }: SentRun): boolean {
  if (isBatch(request)) return isBriefBatch(circuit, request);
  return (
    'shape' in circuit &&
    circuit.numQubits <= MAX_BRIEF_QUBITS &&
    circuit.numOperations <= MAX_BRIEF_OPERATIONS &&
    !readsState(request)
  );
}

/** Qubits of the state that a run holds, of one where it holds two. */
function widthOf({ circuit, request }: SentRun): number {
  const method = methodOfSent(circuit, request);
  return widthOfRun(circuit, { ...request, method, gradients: false });
}

/**
 * Resolves when messages that were there have been heard. The first turn may be the rest of the one
 * that brought the list.
 */
async function heard(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Interval of looking at the gathered news, where the engine yields. */
const TICK_MS = 10;
/** Ends of circuits wait no longer than this before the next is begun. */
const MAX_GATHERING_MS = 5;
/** Progress goes out at most this often. */
const PROGRESS_INTERVAL_MS = 50;
/** And at least this often. */
const SIGN_OF_LIFE_INTERVAL_MS = 1000;

/** Below this size a copy costs less than a transfer (measured: some 4 µs a buffer). */
const MIN_TRANSFER_BYTES = 16_384;

interface Current {
  readonly id: number;
  readonly beganAt: number;
  /** Whether the other side knows that it has begun. */
  isKnown: boolean;
  fraction: number;
  /** When progress was last sent. */
  progressedAt: number;
}

/** The way to the pool. */
type Post = (message: FromWorker, transfer: readonly ArrayBuffer[]) => void;

/**
 * Message buffer of a worker: sends the news of a list of circuits in as few messages as possible. All
 * times are on the clock of `performance.now()`.
 *
 * A message costs both threads several microseconds, as much as a small circuit. So the ends of
 * circuits are gathered, and sent with the end of the list, or once they have waited for some
 * milliseconds. That a circuit was begun is sent with them, and soon when it turns out to run long.
 *
 * While a circuit runs, something goes out at least once a second as long as the engine yields, also
 * when the fraction stands still: it is the sign of life that health checks read.
 */
export class MessageBuffer {
  readonly #post: Post;
  readonly #packer = new OutcomePacker();
  #ended: Ended[] = [];
  #transfer: ArrayBuffer[] = [];
  #current: Current | undefined;
  #sentAt = 0;
  #ticker: NodeJS.Timeout | undefined;

  constructor(post: Post) {
    this.#post = post;
  }

  /** A list begins. */
  open(): void {
    this.#sentAt = performance.now();
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
  }

  /** The list has ended: sends the rest. */
  close(): void {
    clearInterval(this.#ticker);
    this.send();
  }

  /** Whether it has been some milliseconds since anything was sent. */
  get isDue(): boolean {
    return performance.now() - this.#sentAt >= MAX_GATHERING_MS;
  }

  /**
   * A circuit begins; the start of a very short one is not sent.
   *
   * @param isKnown - Whether the other side knows without a message.
   */
  begin(id: number, beganAt: number, isKnown: boolean): void {
    this.#current = { id, beganAt, isKnown, fraction: 0, progressedAt: beganAt };
  }

  /** Notes the progress of the circuit that has begun. */
  progress(fraction: number): void {
    const current = this.#current;
    if (current === undefined) return;
    current.fraction = fraction;
    const now = performance.now();
    if (now - current.progressedAt >= PROGRESS_INTERVAL_MS) this.#sendProgress(current, now);
  }

  /** A circuit came through. */
  done(id: number, outcome: RunOutcome, beganAt: number): void {
    this.#current = undefined;
    if (this.#packer.add(id, outcome, beganAt)) return;
    this.#ended.push({ kind: 'done', id, outcome, agoMs: performance.now() - beganAt });
    this.#transfer.push(...buffersOf(outcome));
  }

  failed(id: number, failure: WorkerFailure, beganAt: number): void {
    this.#current = undefined;
    this.#ended.push({ kind: 'failed', id, failure, agoMs: performance.now() - beganAt });
  }

  /** A circuit was stopped, or not even begun. */
  aborted(id: number): void {
    if (this.#current?.id === id) this.#current = undefined;
    this.#ended.push({ kind: 'aborted', id });
  }

  /** Sends all gathered reports. */
  send(): void {
    const now = performance.now();
    const begun = this.#takeBegun(now);
    const isEmpty = this.#packer.isEmpty && this.#ended.length === 0;
    if (isEmpty && begun === undefined) return;
    const packed = this.#packer.isEmpty ? undefined : this.#packer.take(now);
    this.#post(
      { kind: 'news', ended: this.#ended, ...(packed && { packed }), ...(begun && { begun }) },
      this.#transfer,
    );
    this.#ended = [];
    this.#transfer = [];
    this.#sentAt = now;
  }

  /** The circuit that has begun, if the other side does not know yet. */
  #takeBegun(now: number): Begun | undefined {
    const current = this.#current;
    if (current === undefined || current.isKnown) return undefined;
    current.isKnown = true;
    return { id: current.id, agoMs: now - current.beganAt };
  }

  #tick(): void {
    this.send();
    const current = this.#current;
    const now = performance.now();
    if (current === undefined || now - current.progressedAt < SIGN_OF_LIFE_INTERVAL_MS) return;
    this.#sendProgress(current, now);
  }

  #sendProgress(current: Current, now: number): void {
    current.progressedAt = now;
    this.#post({ kind: 'progress', id: current.id, fraction: current.fraction }, []);
  }
}

/** The large buffers, to transfer; each once, for two arrays may share one. */
function buffersOf({ outputs }: RunOutcome): ReadonlySet<ArrayBuffer> {
  const buffers = new Set<ArrayBuffer>();
  for (const array of arraysOf(outputs)) {
    const { buffer } = array;
    if (!(buffer instanceof ArrayBuffer) || buffer.byteLength < MIN_TRANSFER_BYTES) continue;
    buffers.add(buffer);
  }
  return buffers;
}
