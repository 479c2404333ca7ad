/**
 * Semaphore whose waiting callers are ordered by rank, and within a rank by arrival.
 *
 * The queue is unbounded: a caller that must not wait long checks `numAhead` first.
 */
export class PrioritySemaphore {
  readonly #width: number;
  #numHeld = 0;
  /** Invariants: empty while a slot is free; ranks never decrease. */
  readonly #waiting: Waiting[] = [];

  /** @param width - Number of slots; at least 1. */
  constructor(width: number) {
    this.#width = width;
  }

  get numHeld(): number {
    return this.#numHeld;
  }

  get numWaiting(): number {
    return this.#waiting.length;
  }

  /** Number of waiting callers that a new one of this rank would queue behind. */
  numAhead(rank: number): number {
    const behind = this.#waiting.findIndex((one) => one.rank > rank);
    return behind < 0 ? this.#waiting.length : behind;
  }

  /**
   * Waits for a slot; disposing of the result releases it.
   *
   * @param rank - Callers of a lower rank go first.
   * @throws the signal's reason, soon after it aborts.
   */
  async acquire(rank: number, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#numHeld < this.#width) this.#numHeld++;
    else await this.#turn(rank, signal);
    return { [Symbol.dispose]: () => this.#leave() };
  }

  #turn(rank: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const admit = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const one = { rank, admit };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(one), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.splice(this.numAhead(rank), 0, one);
    });
  }

  /** The slot passes directly to the first in the queue, so no newcomer can take it. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#numHeld--;
    else next.admit();
  }
}

interface Waiting {
  readonly rank: number;
  readonly admit: () => void;
}
