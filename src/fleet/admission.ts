/**
 * Whether the queue has room: bounded in tasks, each a circuit or a batch of them, and in the memory that
 * they take while they wait.
 */
import { QueueFullError } from './errors.ts';

/** Waiting circuits may take this much memory together; the one that crosses it is still taken. */
const MAX_WAITING_BYTES = 512 * 2 ** 20;

/** What the room depends on. */
export interface AdmissionOptions {
  /** Circuits that may wait, over all processors and widths. */
  readonly queueLimit: number;
  readonly numWaiting: () => number;
  /** Until the queue has one circuit less, milliseconds. */
  readonly untilRoomMs: () => number;
}

/** Admits circuits to a queue. */
export class Admission {
  readonly #options: AdmissionOptions;
  /** Tasks that were promised a place and have not come yet. */
  readonly #admitted = new Set<string>();
  #waitingBytes = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /**
   * Checks that there is room for a circuit of the processor.
   *
   * @param taskId - Keeps the place until the task comes, or is withdrawn.
   * @throws {QueueFullError}
   */
  admit(processor: string, taskId?: string): void {
    const { queueLimit, numWaiting, untilRoomMs } = this.#options;
    const isHeavy = this.#waitingBytes >= MAX_WAITING_BYTES;
    if (numWaiting() + this.#admitted.size < queueLimit && !isHeavy) {
      if (taskId !== undefined) this.#admitted.add(taskId);
      return;
    }
    throw new QueueFullError(
      processor,
      isHeavy ? `${MAX_WAITING_BYTES / 2 ** 20} MiB of circuits` : `${queueLimit} circuits`,
      Math.max(1, Math.ceil(untilRoomMs() / 1000)),
    );
  }

  /** Whether a place is kept for a task. */
  isAdmitted(taskId: string): boolean {
    return this.#admitted.has(taskId);
  }

  /** Keeps the place no longer; whether it was kept. */
  withdraw(taskId: string): boolean {
    return this.#admitted.delete(taskId);
  }

  /** Something of this size begins to wait. */
  enter(bytes: number): void {
    this.#waitingBytes += bytes;
  }

  /** It waits no more. */
  leave(bytes: number): void {
    this.#waitingBytes -= bytes;
  }
}
