/** The end of a job, for those who wait for it. */
import type { Job } from './job.ts';

/** Greatest delay of setTimeout, which fires longer ones at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

interface Waiter {
  readonly resolve: (job: Job) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * End of a job for its waiters.
 *
 * It is a set of waiters instead of a shared promise: every wait that times out would leave a reaction on the
 * promise until the job ends, and a long job may be polled thousands of times.
 */
export class Settlement {
  readonly #waiters = new Set<Waiter>();
  #isSettled = false;

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Number of those who wait. */
  get numWaiting(): number {
    return this.#waiters.size;
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
   * Waits for `resolve` or `reject`. Call it only before those.
   *
   * @param current - Gives the record to answer with after `timeoutMs`.
   * @throws the signal's reason, if that aborts first or is aborted.
   */
  wait(current: () => Job, timeoutMs?: number, signal?: AbortSignal): Promise<Job> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
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
