/**
 * Admission to the queue: bounded in runs, each a circuit or a batch, and in the memory that they take
 * while they wait. No key may fill all that memory by itself.
 */
import { QueueFullError } from './errors.ts';
import type { ComingRun } from './processor.ts';

/** Waiting circuits may take this much memory together; the one that crosses it is still taken. */
export const MAX_WAITING_BYTES = 512 * 2 ** 20;
/** Waiting circuits of one key may take this much memory; the one that crosses it is still taken. */
export const MAX_WAITING_BYTES_OF_KEY = MAX_WAITING_BYTES / 4;

/** Facts that admission depends on. */
interface AdmissionOptions {
  /** Runs that may wait, over all processors. */
  readonly queueLimit: number;
  readonly numWaiting: () => number;
  /** Milliseconds until the queue has one run less. */
  readonly untilRoomMs: () => number;
}

/** A waiting run as admission sees it. */
interface WaitingRun {
  /** The API key whose run it is. */
  readonly key: string;
  /** Bytes that it takes while it waits, about. */
  readonly numBytes: number;
  /** Whether another run keeps its place in the queue. */
  readonly isPart: boolean;
}

/** Admits circuits to a queue. */
export class Admission {
  readonly #options: AdmissionOptions;
  /** Runs that were promised a place and have not come yet. */
  readonly #admitted = new Set<string>();
  /** Waiting runs for which another run keeps a place. */
  #numParts = 0;
  #waitingBytes = 0;
  readonly #waitingBytesOf = new Map<string, number>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /**
   * Checks that there is room for a circuit of the processor, and of that key if any.
   *
   * @throws {QueueFullError}
   */
  check(processor: string, keyId?: string): void {
    const limit = this.#limitReached(keyId);
    if (limit === undefined) return;
    const retryAfterS = Math.max(1, Math.ceil(this.#options.untilRoomMs() / 1000));
    throw new QueueFullError(processor, limit, retryAfterS);
  }

  /**
   * Keeps a place for a run until it comes, or is withdrawn.
   *
   * @throws {QueueFullError}
   */
  admit(processor: string, { id, keyId }: Pick<ComingRun, 'id' | 'keyId'>): void {
    this.check(processor, keyId);
    this.#admitted.add(id);
  }

  #limitReached(keyId: string | undefined): string | undefined {
    const { queueLimit, numWaiting } = this.#options;
    const ofKey = keyId === undefined ? 0 : (this.#waitingBytesOf.get(keyId) ?? 0);
    if (this.#waitingBytes >= MAX_WAITING_BYTES) return `${inMib(MAX_WAITING_BYTES)} of circuits`;
    if (ofKey >= MAX_WAITING_BYTES_OF_KEY) {
      return `${inMib(MAX_WAITING_BYTES_OF_KEY)} of your circuits`;
    }
    const isFull = numWaiting() - this.#numParts + this.#admitted.size >= queueLimit;
    return isFull ? `${queueLimit} circuits` : undefined;
  }

  /** Whether a place is kept for a run. */
  isAdmitted(runId: string): boolean {
    return this.#admitted.has(runId);
  }

  /** Gives the place up; returns whether it was kept. */
  withdraw(runId: string): boolean {
    return this.#admitted.delete(runId);
  }

  /** Counts a run that begins to wait. */
  enter(run: WaitingRun): void {
    this.#count(run, 1);
  }

  /** Counts a run that waits no more. */
  leave(run: WaitingRun): void {
    this.#count(run, -1);
  }

  #count({ key, numBytes, isPart }: WaitingRun, by: 1 | -1): void {
    if (isPart) this.#numParts += by;
    this.#waitingBytes += by * numBytes;
    const ofKey = (this.#waitingBytesOf.get(key) ?? 0) + by * numBytes;
    if (ofKey > 0) this.#waitingBytesOf.set(key, ofKey);
    else this.#waitingBytesOf.delete(key);
  }
}

const inMib = (bytes: number): string => `${bytes / 2 ** 20} MiB`;
