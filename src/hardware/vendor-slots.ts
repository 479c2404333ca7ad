/**
 * The vendor's jobs that may be in flight at once, and the circuits that wait for one: in fair turns of keys, by
 * priority.
 */
import { AGEING_MS, FairQueue, type QueuedItem } from '../fleet/schedule/fair-queue.ts';

interface Waiting extends QueuedItem {
  readonly enter: () => void;
}

/** Every job costs its key the same. */
const COST_MS = 1000;

/** Slots at a vendor. */
export class VendorSlots {
  readonly #numSlots: number;
  readonly #isOpen: () => boolean;
  readonly #queue = new FairQueue<Waiting>(AGEING_MS);
  #numTaken = 0;

  /** @param isOpen - Whether the vendor takes jobs now; call `pump` when that changes. */
  constructor(numSlots: number, isOpen: () => boolean) {
    this.#numSlots = numSlots;
    this.#isOpen = isOpen;
  }

  get numWaiting(): number {
    return this.#queue.length;
  }

  get numTaken(): number {
    return this.#numTaken;
  }

  /** Takes a slot for a job that the vendor has already, even if there is none left. */
  takeAnyway(): Disposable {
    this.#numTaken++;
    return this.#slot();
  }

  /**
   * Waits for a slot; the caller disposes of it when its job has ended.
   *
   * @throws the signal's reason, if it aborts first.
   */
  async take(item: QueuedItem, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => {
      // A job that has just got its slot sees the abort by itself.
      if (this.#queue.remove(item.id) !== undefined) reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#queue.add({ ...item, enter: resolve }, COST_MS, performance.now());
    this.pump();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
    return this.#slot();
  }

  /** Jobs that get a slot before this one; undefined if it does not wait. */
  position(id: string): number | undefined {
    if (!this.#queue.has(id)) return undefined;
    let ahead = 0;
    for (const { item } of this.#queue.walk(performance.now())) {
      if (item.id === id) break;
      ahead++;
    }
    return ahead;
  }

  /** Gives free slots to those who wait. */
  pump(): void {
    while (this.#numTaken < this.#numSlots && this.#isOpen()) {
      const now = performance.now();
      const next = this.#queue.walk(now).next().value?.item;
      if (next === undefined) return;
      this.#queue.start(next.id, now);
      this.#numTaken++;
      next.enter();
    }
  }

  #slot(): Disposable {
    return {
      [Symbol.dispose]: () => {
        this.#numTaken--;
        this.pump();
      },
    };
  }
}
