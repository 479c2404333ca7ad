/**
 * The end of a job as those who wait for it see it.
 *
 * A set of waiters and not one shared promise: on a promise every wait that times out would leave its
 * reaction behind until the job ends, and a long job may be polled thousands of times.
 */
import type { Job } from './job.ts';

/** setTimeout fires at once for anything longer. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

interface Waiter {
  readonly resolve: (job: Job) => void;
  readonly reject: (error: unknown) => void;
}

/** Waiters of a job. */
export class Settlement {
  readonly #waiters = new Set<Waiter>();
  #isSettled = false;

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Answers every waiter with the record. */
  resolve(job: Job): void {
    this.#isSettled = true;
    for (const waiter of this.#waiters) waiter.resolve(job);
  }

  /** Answers every waiter with the error. */
  reject(error: unknown): void {
    this.#isSettled = true;
    for (const waiter of this.#waiters) waiter.reject(error);
  }

  /**
   * Waits for `resolve` or `reject`; call it only before those.
   *
   * @param current - The record to answer with after `timeoutMs`.
   * @throws the signal's reason, when that aborts first.
   */
  wait(current: () => Job, timeoutMs?: number, signal?: AbortSignal): Promise<Job> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const leave = () => {
        this.#waiters.delete(waiter);
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        resolve: (job) => {
          leave();
          resolve(job);
        },
        reject: (error) => {
          leave();
          reject(error);
        },
      };
      const onAbort = () => waiter.reject(signal?.reason);
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', onAbort);
      if (timeoutMs !== undefined) {
        const onTime = () => waiter.resolve(current());
        timer = setTimeout(onTime, Math.min(timeoutMs, LONGEST_TIMEOUT_MS)).unref();
      }
    });
  }
}
