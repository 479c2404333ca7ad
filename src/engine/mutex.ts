/** A first-in, first-out mutex: an engine, or the device under it, runs one program at a time. */
import { ClosedError } from './errors.ts';

/** Runs asynchronous work one at a time, in the order in which it was handed in. */
export class Mutex {
  #last: Promise<unknown> | undefined;
  #isClosed = false;

  /**
   * Runs work once everything handed in before has settled.
   *
   * @throws {ClosedError} if the mutex is closed by then.
   * @throws the signal's reason, if it aborts while the work is queued.
   */
  runExclusive<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#last === undefined) return this.#append(() => this.#start(run, signal));
    let hasStarted = false;
    const queued = this.#append(() => {
      hasStarted = true;
      return this.#start(run, signal);
    });
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const onAbort = () => {
      if (!hasStarted) reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    queued.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    if (signal.aborted) onAbort();
    return promise;
  }

  /**
   * Makes work that holds resources repeatable and disposable: each call of `run` is exclusive, and
   * disposing frees the resources, once, after the calls made before. Disposing also works after
   * `close`.
   *
   * @param run - Rejects with ClosedError when called after disposal.
   */
  executable<Q, R>(
    run: (request: Q, signal: AbortSignal) => Promise<R>,
    free: () => void,
  ): AsyncDisposable & { run(request: Q, signal: AbortSignal): Promise<R> } {
    let isDisposed = false;
    return {
      run: (request, signal) =>
        this.runExclusive(async () => {
          if (isDisposed) throw new ClosedError();
          return await run(request, signal);
        }, signal),
      [Symbol.asyncDispose]: () =>
        this.#append(async () => {
          if (!isDisposed) free();
          isDisposed = true;
        }),
    };
  }

  /** Refuses work that has not started, waits for the rest, then calls `end`. */
  close(end: () => Promise<void>): Promise<void> {
    this.#isClosed = true;
    return this.#append(end);
  }

  async #start<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#isClosed) throw new ClosedError();
    signal.throwIfAborted();
    return run();
  }

  #append<T>(run: () => Promise<T>): Promise<T> {
    const queued = this.#last === undefined ? run() : this.#last.then(run, run);
    this.#last = queued;
    const clear = () => {
      if (this.#last === queued) this.#last = undefined;
    };
    queued.then(clear, clear);
    return queued;
  }
}
