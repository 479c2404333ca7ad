/**
 * Lets so many through at once; the others wait in the order they came.
 *
 * How many wait is not bounded here: whoever may wait looks at `numWaiting` first.
 */
export class Turnstile {
  readonly #width: number;
  #numInside = 0;
  /** Invariant: empty while there is room inside. */
  readonly #waiting: (() => void)[] = [];

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

  /**
   * Resolves when it is the caller's turn, to what gives the place back.
   *
   * @param goesFirst - Ahead of all that wait.
   * @throws the signal's reason, soon after it aborts.
   */
  async enter(signal: AbortSignal, goesFirst = false): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#numInside < this.#width) this.#numInside++;
    else await this.#turn(signal, goesFirst);
    return { [Symbol.dispose]: () => this.#leave() };
  }

  #turn(signal: AbortSignal, goesFirst: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const admit = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(admit), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      if (goesFirst) this.#waiting.unshift(admit);
      else this.#waiting.push(admit);
    });
  }

  /** The place goes to the next in line without being free meanwhile, so nobody jumps the queue. */
  #leave(): void {
    const admitNext = this.#waiting.shift();
    if (admitNext === undefined) this.#numInside--;
    else admitNext();
  }
}
