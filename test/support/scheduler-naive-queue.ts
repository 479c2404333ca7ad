/** The order of waiting tasks by its rules, one task after another by looking at all of them. */
import type { QueuedTask, QueueLine } from '../../src/fleet/schedule/fair-queue.ts';

interface Waiting {
  readonly task: QueuedTask;
  readonly line: QueueLine;
  readonly cost: number;
  readonly since: number;
  readonly arrival: number;
  readonly comesBack: boolean;
}

/** What keys were given: tags by line (or all), level and key; times by line (or all) and level. */
interface Turns {
  /** When each key was last given a start, by line and key. */
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

  add(task: QueuedTask, line: QueueLine, cost: number, since: number, comesBack: boolean): void {
    const arrival = this.#arrivals++;
    const level = comesBack ? -1 : task.level;
    for (const of of [line, 'all']) {
      const waits = this.#waiting.some(
        (other) => other.task.key === task.key && (of === 'all' || other.line === line),
      );
      if (waits) continue;
      const name = `${of} ${level} ${task.key}`;
      const time = this.#turns.times.get(`${of} ${level}`) ?? 0;
      this.#turns.tags.set(name, Math.max(time, this.#turns.tags.get(name) ?? 0));
    }
    this.#waiting = [...this.#waiting, { task, line, cost, since, arrival, comesBack }];
  }

  remove(id: string): void {
    this.#waiting = this.#waiting.filter(({ task }) => task.id !== id);
  }

  start(id: string, now: number): void {
    const waiting = this.#waiting.find(({ task }) => task.id === id);
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
    let left = this.#waiting.filter(({ task }) => !isLeftOut(task.processor));
    const order: string[] = [];
    while (left.length > 0) {
      const heads = (['small', 'wide'] as const).flatMap((line) => {
        const ofLine = left.filter((waiting) => waiting.line === line);
        return ofLine.length === 0 ? [] : [this.#first(ofLine, line, turns, now)];
      });
      const next = this.#first(heads, 'all', turns, now);
      this.#charge(turns, next, now);
      order.push(next.task.id);
      left = left.filter((waiting) => waiting !== next);
    }
    return order;
  }

  #first(some: readonly Waiting[], of: string, turns: Turns, now: number): Waiting {
    const rank = (waiting: Waiting) => {
      const level = this.#level(waiting, turns, now);
      return [level, turns.tags.get(`${of} ${level} ${waiting.task.key}`) ?? 0, waiting.arrival];
    };
    return some.reduce((a, b) => (isBefore(rank(b), rank(a)) ? b : a));
  }

  #charge(turns: Turns, waiting: Waiting, now: number): void {
    const { tags, times, starts } = turns;
    const level = this.#level(waiting, turns, now);
    starts.set(`${waiting.line} ${waiting.task.key}`, now);
    for (const of of [waiting.line, 'all']) {
      const name = `${of} ${level} ${waiting.task.key}`;
      const time = times.get(`${of} ${level}`) ?? 0;
      const tag = Math.max(time - 2 * waiting.cost - 4, tags.get(name) ?? 0);
      times.set(`${of} ${level}`, Math.max(time, tag));
      tags.set(name, tag + waiting.cost);
    }
  }

  #level({ task, line, since, comesBack }: Waiting, { starts }: Turns, now: number): number {
    if (comesBack) return -1;
    const lastStart = starts.get(`${line} ${task.key}`) ?? Number.NEGATIVE_INFINITY;
    if (now - lastStart < this.#ageingMs) return task.level;
    return Math.max(0, task.level - Math.floor((now - since) / this.#ageingMs));
  }
}

function isBefore(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0);
}
