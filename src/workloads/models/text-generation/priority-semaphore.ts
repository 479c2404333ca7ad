/**
 * Lets so many through at once; the others wait, by rank and within a rank in the order they came.
 *
 * How many wait is not bounded here: whoever may wait looks at `numAhead` first.
 */
export class Turnstile {
  readonly #width: number;
  #numInside = 0;
  /** Invariants: empty while there is room inside; ranks never fall from one to the next. */
  readonly #waiting: Waiting[] = [];

  /** @param width - How many may be inside at once; at least 1. */
  constructor(width: number) {
    this.#width = width;
  }

  get numInside(): number {
    return this.#numInside;
  }

  get numWaiting(): number {
    return this.#waiting.length;
  }

  /** How many wait that one who comes now would have before it. */
  numAhead(rank: number): number {
    const behind = this.#waiting.findIndex((one) => one.rank > rank);
    return behind < 0 ? this.#waiting.length : behind;
  }

  /**
   * Resolves when it is the caller's turn, to what gives the place back.
   *
   * @param rank - Whoever has a lower one goes ahead.
   * @throws the signal's reason, soon after it aborts.
   */
  async enter(rank: number, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#numInside < this.#width) this.#numInside++;
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

  /** The place goes to the next in line without being free meanwhile, so nobody jumps the queue. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#numInside--;
    else next.admit();
  }
}

interface Waiting {
  readonly rank: number;
  readonly admit: () => void;
}
