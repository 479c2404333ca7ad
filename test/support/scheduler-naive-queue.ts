/** The order of waiting runs by its rules, one run after another by looking at all of them. */

import type { SizeClass } from '../../src/fleet/schedule/lane.ts';
import type { QueuedRun } from '../../src/fleet/schedule/run-queue.ts';

interface Waiting {
  readonly run: QueuedRun;
  readonly sizeClass: SizeClass;
  readonly cost: number;
  readonly since: number;
  readonly arrival: number;
  readonly comesBack: boolean;
}

/** Turns that keys were given: tags by sizeClass (or all), level and key; times by sizeClass (or all) and level. */
interface Turns {
  /** When each key was last given a start, by sizeClass and key. */
  readonly starts: Map<string, number>;
  readonly tags: Map<string, number>;
  readonly times: Map<string, number>;
}

/** A queue that is as slow as it is plain. */
export class NaiveQueue {
  readonly #ageingMs: number;
  readonly #turns: Turns = { tags: new Map(), times: new Map(), starts: new Map() };
  #waiting: readonly Waiting[] = [];
  #arrivals = 0;

  constructor(ageingMs: number) {
    this.#ageingMs = ageingMs;
  }

  add(run: QueuedRun, sizeClass: SizeClass, cost: number, since: number, comesBack: boolean): void {
    const arrival = this.#arrivals++;
    const level = comesBack ? -1 : run.level;
    for (const of of [sizeClass, 'all']) {
      const waits = this.#waiting.some(
        (other) => other.run.key === run.key && (of === 'all' || other.sizeClass === sizeClass),
      );
      if (waits) continue;
      const name = `${of} ${level} ${run.key}`;
      const time = this.#turns.times.get(`${of} ${level}`) ?? 0;
      this.#turns.tags.set(name, Math.max(time, this.#turns.tags.get(name) ?? 0));
    }
    this.#waiting = [...this.#waiting, { run, sizeClass, cost, since, arrival, comesBack }];
  }

  remove(id: string): void {
    this.#waiting = this.#waiting.filter(({ run }) => run.id !== id);
  }

  start(id: string, now: number): void {
    const waiting = this.#waiting.find(({ run }) => run.id === id);
    if (waiting === undefined) throw new Error(`${id} does not wait`);
    this.#charge(this.#turns, waiting, now);
    this.remove(id);
  }

  /** Ids of what waits, in the order in which each would start. */
  order(now: number, isLeftOut: (processor: string) => boolean): readonly string[] {
    const turns = {
      tags: new Map(this.#turns.tags),
      times: new Map(this.#turns.times),
      starts: new Map(this.#turns.starts),
    };
    let left = this.#waiting.filter(({ run }) => !isLeftOut(run.processor));
    const order: string[] = [];
    while (left.length > 0) {
      const heads = (['small', 'wide'] as const).flatMap((sizeClass) => {
        const ofLine = left.filter((waiting) => waiting.sizeClass === sizeClass);
        return ofLine.length === 0 ? [] : [this.#first(ofLine, sizeClass, turns, now)];
      });
      const next = this.#first(heads, 'all', turns, now);
      this.#charge(turns, next, now);
      order.push(next.run.id);
      left = left.filter((waiting) => waiting !== next);
    }
    return order;
  }

  #first(some: readonly Waiting[], of: string, turns: Turns, now: number): Waiting {
    const rank = (waiting: Waiting) => {
      const level = this.#level(waiting, turns, now);
      return [level, turns.tags.get(`${of} ${level} ${waiting.run.key}`) ?? 0, waiting.arrival];
    };
    return some.reduce((a, b) => (isBefore(rank(b), rank(a)) ? b : a));
  }

  #charge(turns: Turns, waiting: Waiting, now: number): void {
    const { tags, times, starts } = turns;
    const level = this.#level(waiting, turns, now);
    starts.set(`${waiting.sizeClass} ${waiting.run.key}`, now);
    for (const of of [waiting.sizeClass, 'all']) {
      const name = `${of} ${level} ${waiting.run.key}`;
      const time = times.get(`${of} ${level}`) ?? 0;
      const tag = Math.max(time - 2 * waiting.cost - 4, tags.get(name) ?? 0);
      times.set(`${of} ${level}`, Math.max(time, tag));
      tags.set(name, tag + waiting.cost);
    }
  }

  #level({ run, sizeClass, since, comesBack }: Waiting, { starts }: Turns, now: number): number {
    if (comesBack) return -1;
    const lastStart = starts.get(`${sizeClass} ${run.key}`) ?? Number.NEGATIVE_INFINITY;
    if (now - lastStart < this.#ageingMs) return run.level;
    return Math.max(0, run.level - Math.floor((now - since) / this.#ageingMs));
  }
}

function isBefore(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0);
}
