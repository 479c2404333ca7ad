/** The order in which what asks for an engine gets it: one at a time, first come, first served. */
import { ClosedError } from './errors.ts';

/** Whose turn it is. */
export class Turns {
  #last: Promise<unknown> | undefined;
  #isClosed = false;

  /**
   * Runs when everything before has settled.
   *
   * @throws {ClosedError} if the engine is closed by then.
   * @throws the signal's reason, if it aborts while the turn is still waited for.
   */
  take<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#last === undefined) return this.#add(() => this.#start(run, signal));
    let hasStarted = false;
    const turn = this.#add(() => {
      hasStarted = true;
      return this.#start(run, signal);
    });
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const onAbort = () => {
      if (!hasStarted) reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    turn.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    if (signal.aborted) onAbort();
    return promise;
  }

  /** Gives things back when everything before has settled; also once the engine is closed. */
  takeLast(giveBack: () => void): Promise<void> {
    return this.#add(async () => giveBack());
  }

  /** Refuses what has not begun, waits for what has, and closes. */
  close(end: () => Promise<void>): Promise<void> {
    this.#isClosed = true;
    return this.#add(end);
  }

  async #start<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#isClosed) throw new ClosedError();
    signal.throwIfAborted();
    return run();
  }

  #add<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#last === undefined ? run() : this.#last.then(run, run);
    this.#last = turn;
    const clear = () => {
      if (this.#last === turn) this.#last = undefined;
    };
    turn.then(clear, clear);
    return turn;
  }
}
