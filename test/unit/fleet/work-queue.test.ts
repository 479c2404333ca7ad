import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Lane } from '../../../src/fleet/lane.ts';
import { type Line, WIDTHS } from '../../../src/fleet/width.ts';
import { type Priority, type QueueEntry, WorkQueue } from '../../../src/fleet/work-queue.ts';

function entry(
  id: string,
  priority: Priority = 'normal',
  group = 'a',
  line: Line = 'small',
): QueueEntry {
  return { id, group, line, priority };
}

function queueOf(entries: readonly QueueEntry[], capacity = 100) {
  const queue = new WorkQueue<QueueEntry>({ capacity, ageingMs: 1000 });
  for (const one of entries) queue.add(one, 0);
  return queue;
}

function takeAll(queue: WorkQueue<QueueEntry>, now: number, line: Line = 'small'): string[] {
  const ids: string[] = [];
  const take = () => queue.take([line], now);
  for (let next = take(); next !== undefined; next = take()) ids.push(next.id);
  return ids;
}

describe('Lane', () => {
  test('keeps order and ranks when most of it has been taken out of the middle', () => {
    const lane = new Lane<number>();
    const nodes = Array.from({ length: 1000 }, (_, i) => lane.push(i));
    for (const node of nodes) if (node.value % 10 !== 3) lane.remove(node);
    lane.push(1003);
    const left = Array.from({ length: 101 }, (_, i) => 10 * i + 3);
    expect([...lane.values()]).toEqual(left);
    for (const [rank, value] of left.entries()) {
      expect(lane.countPrefix((other) => other < value)).toBe(rank);
    }
    for (const value of left) {
      const first = lane.first();
      expect(first?.value).toBe(value);
      if (first !== undefined) lane.remove(first);
    }
    expect(lane.length).toBe(0);
  });
});

describe('WorkQueue', () => {
  test('starts higher levels first and, within a level, the earliest arrival', () => {
    const queue = queueOf([
      entry('low', 'low'),
      entry('normal-1'),
      entry('high-1', 'high'),
      entry('normal-2', 'normal', 'b'),
      entry('high-2', 'high', 'b'),
    ]);
    expect(takeAll(queue, 0)).toEqual(['high-1', 'high-2', 'normal-1', 'normal-2', 'low']);
  });

  test('raises an entry one level for each ageing time it has waited', () => {
    const queue = queueOf([entry('low', 'low')]);
    queue.add(entry('high', 'high'), 1999);
    queue.add(entry('normal', 'normal'), 1999);
    expect(queue.position('low', 1999)).toBe(1);
    expect(queue.position('low', 2000)).toBe(0);
    expect(takeAll(queue, 2000)).toEqual(['low', 'high', 'normal']);
  });

  test('does not starve low work under a steady stream of high work', () => {
    const queue = queueOf([entry('low', 'low')]);
    let now = 0;
    let taken: string | undefined;
    while (taken !== 'low') {
      queue.add(entry(`high-${now}`, 'high'), now);
      queue.add(entry(`more-${now}`, 'high'), now);
      now += 100;
      taken = queue.take(['small'], now)?.id;
      expect(now).toBeLessThanOrEqual(2100);
    }
  });

  test('is full at its capacity over all groups, and takes more when it is told to', () => {
    const queue = queueOf([entry('1'), entry('2', 'low', 'b')], 2);
    expect(queue.isFull).toBe(true);
    queue.add(entry('3'), 0);
    expect(queue.length).toBe(3);
  });

  test('refuses an id that waits already', () => {
    expect(() => queueOf([entry('1'), entry('1')])).toThrow('unreachable');
  });

  test('keeps the entries of a paused group, and their places', () => {
    const queue = queueOf([entry('a-1'), entry('b-1', 'normal', 'b'), entry('a-2')]);
    queue.setPaused('a', true);
    expect(queue.position('b-1', 0)).toBe(0);
    expect(queue.position('a-2', 0)).toBe(2);
    expect(takeAll(queue, 0)).toEqual(['b-1']);
    queue.setPaused('a', false);
    expect(takeAll(queue, 0)).toEqual(['a-1', 'a-2']);
  });

  test('keeps small and wide entries apart: neither waits for the other or counts as ahead', () => {
    const queue = queueOf([
      entry('wide-1', 'high', 'a', 'wide'),
      entry('wide-2', 'normal', 'b', 'wide'),
      entry('small-1', 'low'),
    ]);
    expect(queue.position('small-1', 0)).toBe(0);
    expect(queue.position('wide-2', 0)).toBe(1);
    expect([queue.numOpen('small'), queue.numOpen('wide')]).toEqual([1, 2]);
    expect(takeAll(queue, 0)).toEqual(['small-1']);
    queue.add(entry('small-2', 'high'), 1);
    expect(queue.take(['wide'], 1)?.id).toBe('wide-1');
    expect(takeAll(queue, 1, 'wide')).toEqual(['wide-2']);
    expect(queue.lineOf('small-2')).toBe('small');
  });

  test('shares its capacity among the lines', () => {
    const queue = queueOf([entry('1'), entry('2', 'normal', 'a', 'wide')], 2);
    expect(queue.isFull).toBe(true);
  });

  test('gives back all entries in order of arrival when drained', () => {
    const queue = queueOf([entry('1', 'low'), entry('2', 'high')]);
    expect(queue.drain().map(({ id }) => id)).toEqual(['1', '2']);
    expect(queue.length).toBe(0);
    expect(queue.take(['small'], 0)).toBeUndefined();
  });

  test('takes 100,000 entries in and out in far less than quadratic time', () => {
    const queue = queueOf([], 1e6);
    const started = performance.now();
    for (let i = 0; i < 100_000; i++) queue.add(entry(`${i}`), i);
    for (let i = 50_000; i < 75_000; i++) queue.remove(`${i}`);
    for (let i = 75_000; i < 100_000; i += 10) expect(queue.position(`${i}`, 1e5)).toBe(i - 25_000);
    expect(takeAll(queue, 1e5)).toHaveLength(75_000);
    // Walking to the middle for each of the 27,500 removals and ranks would take minutes.
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

/** The specification, as slow as it reads: sort everything for every question. */
class NaiveQueue {
  entries: { entry: QueueEntry; since: number }[] = [];
  readonly paused = new Set<string>();

  order(line: Line, now: number, alsoGroup?: string): string[] {
    const levels = { high: 0, normal: 1, low: 2 };
    return this.entries
      .filter(({ entry }) => entry.line === line)
      .filter(({ entry }) => entry.group === alsoGroup || !this.paused.has(entry.group))
      .map(({ entry, since }) => {
        let level = levels[entry.priority];
        for (let waited = now - since; waited >= 1000 && level > 0; waited -= 1000) level--;
        return { id: entry.id, level };
      })
      .sort((a, b) => a.level - b.level)
      .map(({ id }) => id);
  }

  remove(id: string): QueueEntry | undefined {
    const found = this.entries.find(({ entry }) => entry.id === id)?.entry;
    this.entries = this.entries.filter(({ entry }) => entry.id !== id);
    return found;
  }
}

type Step =
  | {
      readonly do: 'add';
      readonly priority: Priority;
      readonly group: string;
      readonly line: Line;
    }
  | { readonly do: 'take'; readonly line: Line }
  | { readonly do: 'ask' }
  | { readonly do: 'remove'; readonly nth: number }
  | { readonly do: 'pause'; readonly group: string; readonly isPaused: boolean }
  | { readonly do: 'wait'; readonly ms: number };

const group = fc.constantFrom('a', 'b');
const line = fc.constantFrom<Line[]>('small', 'wide');
const add = fc.record({
  do: fc.constant('add' as const),
  priority: fc.constantFrom<Priority[]>('low', 'normal', 'high'),
  group,
  line,
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: add },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('take' as const), line }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('ask' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), nth: fc.nat(200) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('pause' as const), group, isPaused: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(700) }) },
);

describe('WorkQueue against a naive model', () => {
  test('orders, ranks and removes as the model does, whatever is done to it', () => {
    const runs = fc.property(fc.array(step, { minLength: 50, maxLength: 400 }), (steps) => {
      const queue = queueOf([], 1000);
      const model = new NaiveQueue();
      let now = 0;
      for (const [i, one] of steps.entries()) {
        switch (one.do) {
          case 'add': {
            const added = entry(`${i}`, one.priority, one.group, one.line);
            queue.add(added, now);
            model.entries.push({ entry: added, since: now });
            break;
          }
          case 'take': {
            const [next] = model.order(one.line, now);
            expect(queue.take([one.line], now)?.id).toBe(next);
            if (next !== undefined) model.remove(next);
            break;
          }
          case 'remove': {
            const id = model.entries[one.nth]?.entry.id ?? 'nobody';
            expect(queue.remove(id)).toBe(model.remove(id));
            break;
          }
          case 'pause':
            queue.setPaused(one.group, one.isPaused);
            if (one.isPaused) model.paused.add(one.group);
            else model.paused.delete(one.group);
            break;
          case 'wait':
            now += one.ms;
            break;
          case 'ask':
            for (const { entry } of model.entries) {
              const rank = model.order(entry.line, now, entry.group).indexOf(entry.id);
              expect(queue.position(entry.id, now)).toBe(rank);
            }
            for (const each of WIDTHS) {
              expect(queue.numOpen(each)).toBe(model.order(each, now).length);
            }
            break;
        }
        expect(queue.length).toBe(model.entries.length);
      }
      queue.setPaused('a', false);
      queue.setPaused('b', false);
      model.paused.clear();
      for (const each of WIDTHS) {
        expect(takeAll(queue, now, each)).toEqual(model.order(each, now));
      }
    });
    fc.assert(runs, { seed: 2, numRuns: 100 });
  });
});
