/**
 * Pool of the children of one kind. It knows which are free, and replaces those that end or cannot be started.
 *
 * A pool of a fixed size replaces a child that ends: at once the first time, then after growing delays, so
 * that a crash loop does not spin. Without a fixed size the owner starts children as work comes. Several
 * failed starts in a row say that the installation or the machine is at fault: the pool reports each to the
 * owner, so that work does not wait for ever.
 *
 * A pool does not queue: take a child only if one is free.
 */
import type { ChildEnd } from './supervised-child.ts';

/** Events of a child, which its owner passes on. */
export interface PooledChildEvents {
  /** The child can be given work for the first time. */
  readonly onReady: () => void;
  readonly onEnd: (end: ChildEnd) => void;
}

/** Options of a pool. */
export interface ChildPoolOptions<Child> {
  /** Starts a child. An exception counts as a failed start. */
  readonly start: (events: PooledChildEvents) => Child;
  /** Size of the pool, if it is fixed. */
  readonly size?: number;
  /** Failed starts in a row before `isBroken`; 2 by default. */
  readonly maxFailedStarts?: number;
  /**
   * Starts in a row that do not count as failed because somebody else killed the child, which is no fault of
   * the installation. 20 by default.
   */
  readonly maxKilledStarts?: number;
}

/** Why a child could not be started. */
export interface FailedStart extends Pick<ChildEnd, 'how' | 'inFull'> {
  /** Somebody else killed the child, and this start does not count as failed. */
  readonly isExcused: boolean;
}

/** Events of a pool, for its owner. */
interface ChildPoolEvents<Child> {
  /** A child is ready and free. */
  readonly onReady: (child: Child) => void;
  /** A child has ended, and is no longer of the pool. */
  readonly onEnd: (child: Child, end: ChildEnd) => void;
  /** A child could not be started, or ended before it was ready. Called after `onEnd`. */
  readonly onFailedStart: (failure: FailedStart) => void;
}

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 30_000;

/** Children of one kind. */
export class ChildPool<Child> {
  readonly #options: Required<Omit<ChildPoolOptions<Child>, 'size'>>;
  readonly #isFixed: boolean;
  readonly #events: ChildPoolEvents<Child>;
  readonly #children = new Set<Child>();
  /** Last in, first out: the child that worked last has the warmest caches. */
  readonly #free: Child[] = [];
  readonly #restarts = new Set<NodeJS.Timeout>();
  #numFailedStarts = 0;
  #numKilledStarts = 0;
  /** Unintended ends since the last success. */
  #numLost = 0;
  #isClosed = false;

  /** Starts the children of a pool of a fixed size. */
  constructor(
    { start, size = 0, maxFailedStarts = 2, maxKilledStarts = 20 }: ChildPoolOptions<Child>,
    events: ChildPoolEvents<Child>,
  ) {
    this.#options = { start, maxFailedStarts, maxKilledStarts };
    this.#isFixed = size > 0;
    this.#events = events;
    for (let i = 0; i < size; i++) this.start();
  }

  /** Children that have been started and have not ended. */
  get children(): ReadonlySet<Child> {
    return this.#children;
  }

  /** Children that have no work, the one that worked last at the end. */
  get free(): readonly Child[] {
    return this.#free;
  }

  /** Failed starts since a child was last ready or released. */
  get numFailedStarts(): number {
    return this.#numFailedStarts;
  }

  /** Whether `maxFailedStarts` starts have failed in a row, so that another try will probably fail, too. */
  get isBroken(): boolean {
    return this.#numFailedStarts >= this.#options.maxFailedStarts;
  }

  /** Starts one more child. */
  start(): void {
    if (this.#isClosed) return;
    try {
      const child: Child = this.#options.start({
        onReady: () => this.#onReady(child),
        onEnd: (end) => this.#onEnd(child, end),
      });
      this.#children.add(child);
    } catch (error) {
      // The machine has no memory for it, say. Reported later, like an end before it was ready.
      setImmediate(() => {
        this.#failedToStart({
          how: 'it could not be started',
          inFull: String(error),
          wasKilled: false,
        });
        if (this.#isFixed) this.#startLater();
      });
    }
  }

  /** Takes the free child that worked last; undefined if none is free. */
  take(): Child | undefined {
    return this.#free.pop();
  }

  /** Makes a child free that was taken. Its work is done, so failed starts are forgotten and tried again. */
  release(child: Child): void {
    this.#forgetFailedStarts();
    this.#free.push(child);
  }

  /** Takes a certain child, if it is free, such as one that is to be ended. */
  withdraw(child: Child): void {
    const place = this.#free.indexOf(child);
    if (place >= 0) this.#free.splice(place, 1);
  }

  /** Work came through: the next lost child is replaced at once. */
  noteSuccess(): void {
    this.#numLost = 0;
  }

  /** Starts no more children. The owner ends those that there are. */
  close(): void {
    this.#isClosed = true;
    this.#free.length = 0;
    for (const timer of this.#restarts) clearTimeout(timer);
    this.#restarts.clear();
  }

  #forgetFailedStarts(): void {
    this.#numFailedStarts = 0;
    this.#numKilledStarts = 0;
  }

  #onReady(child: Child): void {
    this.#forgetFailedStarts();
    if (this.#isClosed) return;
    this.#free.push(child);
    this.#events.onReady(child);
  }

  #onEnd(child: Child, end: ChildEnd): void {
    this.#children.delete(child);
    this.withdraw(child);
    this.#events.onEnd(child, end);
    if (this.#isFixed) {
      if (end.wasIntended) this.start();
      else this.#startLater();
    }
    if (!end.wasReady && !end.wasIntended) this.#failedToStart(end);
  }

  #failedToStart({ how, inFull, wasKilled }: Pick<ChildEnd, 'how' | 'inFull' | 'wasKilled'>): void {
    if (this.#isClosed) return;
    const isExcused = wasKilled && ++this.#numKilledStarts < this.#options.maxKilledStarts;
    if (!isExcused) this.#numFailedStarts++;
    this.#events.onFailedStart({ how, inFull, isExcused });
  }

  #startLater(): void {
    if (this.#isClosed) return;
    // Unref'ed: the owner of waiting work keeps the process alive.
    const timer = setTimeout(
      () => {
        this.#restarts.delete(timer);
        this.start();
      },
      delayAfter(this.#numLost++),
    ).unref();
    this.#restarts.add(timer);
  }
}

/** Attempts at a unit of work after which its losses count as its own fault. */
const MAX_ATTEMPTS = 3;
/** The same while somebody else kills the children, which says nothing about the work. */
const MAX_KILLED_ATTEMPTS = 10;

/** Whether work whose child was lost in its `attempt`-th try is tried again. */
export function mayRetry(attempt: number, { wasKilled }: Pick<ChildEnd, 'wasKilled'>): boolean {
  return attempt < (wasKilled ? MAX_KILLED_ATTEMPTS : MAX_ATTEMPTS);
}

/** Milliseconds before a child is replaced. */
function delayAfter(numLost: number): number {
  if (numLost === 0) return 0;
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (numLost - 1));
}
