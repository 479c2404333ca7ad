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

/** Admits circuits to a queue. */
export class Admission {
  readonly #options: AdmissionOptions;
  /** Runs that were promised a place and have not come yet. */
  readonly #admitted = new Set<string>();
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
    const isFull = numWaiting() + this.#admitted.size >= queueLimit;
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

  /** Counts a run of this size that begins to wait. */
  enter(keyId: string, bytes: number): void {
    this.#waitingBytes += bytes;
    const ofKey = (this.#waitingBytesOf.get(keyId) ?? 0) + bytes;
    if (ofKey > 0) this.#waitingBytesOf.set(keyId, ofKey);
    else this.#waitingBytesOf.delete(keyId);
  }

  /** Counts a run of this size that waits no more. */
  leave(keyId: string, bytes: number): void {
    this.enter(keyId, -bytes);
  }
}

const inMib = (bytes: number): string => `${bytes / 2 ** 20} MiB`;
