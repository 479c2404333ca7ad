/**
 * Message buffer of a worker: sends the news of a list of circuits in as few messages as possible.
 *
 * A message costs both threads several microseconds, as much as a small circuit. So the ends of
 * circuits are gathered, and sent with the end of the list, or once they have waited for some
 * milliseconds. That a circuit was begun is sent with them, and soon when it turns out to run long.
 *
 * While a circuit runs, something goes out at least once a second as long as the engine yields, also
 * when the fraction stands still: it is the sign of life that health checks read.
 */
import { OutcomePacker } from './packed-outcomes.ts';
import type {
  Begun,
  CircuitOutcome,
  Ended,
  FromWorker,
  RunOutcome,
  WorkerFailure,
} from './worker-messages.ts';

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
  /** Whether the other side has been told of its begin. */
  isKnown: boolean;
  fraction: number;
  /** When progress was last sent. */
  progressedAt: number;
}

/** The way to the pool. */
export type Post = (message: FromWorker, transfer: readonly ArrayBuffer[]) => void;

/** Gathers and sends. All times are on the clock of `performance.now()`. */
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

  /** The list has ended: sends what is left. */
  close(): void {
    clearInterval(this.#ticker);
    this.send();
  }

  /** Whether it has been some milliseconds since anything was sent. */
  get isDue(): boolean {
    return performance.now() - this.#sentAt >= MAX_GATHERING_MS;
  }

  /**
   * A circuit begins; what runs in no time need not be told of.
   *
   * @param isKnown - Whether the other side knows without being told.
   */
  begin(id: number, beganAt: number, isKnown: boolean): void {
    this.#current = { id, beganAt, isKnown, fraction: 0, progressedAt: beganAt };
  }

  /** How far the circuit is that has begun. */
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
    if ('run' in outcome && this.#packer.add(id, outcome, beganAt)) return;
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

  /** Sends what there is. */
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

function arraysOfRun({ run: { counts, statevector, probabilities } }: CircuitOutcome) {
  return [counts.outcomes, counts.occurrences, statevector, probabilities];
}

/** The large buffers, to transfer; each once, for two arrays may share one. */
function buffersOf(outcome: RunOutcome): ReadonlySet<ArrayBuffer> {
  const arrays = 'run' in outcome ? arraysOfRun(outcome) : Object.values(outcome.batch);
  const buffers = new Set<ArrayBuffer>();
  for (const array of arrays) {
    const buffer = array?.buffer;
    if (!(buffer instanceof ArrayBuffer) || buffer.byteLength < MIN_TRANSFER_BYTES) continue;
    buffers.add(buffer);
  }
  return buffers;
}
