import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SizeClass } from '../../src/fleet/schedule/lane.ts';
import { RunQueue } from '../../src/fleet/schedule/run-queue.ts';
import { RandomStream } from '../support/random-stream.ts';
import { NaiveQueue } from '../support/scheduler-naive-queue.ts';
import { numCases, seeds } from '../support/seeds.ts';

const AGEING_MS = 100;

/** Something that happens to a queue; what it is about depends on what waits. */
const step = fc.record({
  kind: fc.constantFrom('add', 'add', 'add', 'come back', 'start', 'start any', 'remove', 'wait'),
  sizeClass: fc.constantFrom<SizeClass>('small', 'wide'),
  processor: fc.constantFrom('p', 'q'),
  key: fc.constantFrom('a', 'b', 'c', 'd'),
  level: fc.nat(5),
  // Halves and quarters add up without rounding, so ties are ties in both.
  cost: fc.nat(64).map((quarters) => quarters / 4),
  which: fc.nat(1000),
});

describe('the order of a queue', () => {
  test('is that of its rules, tried one run after another', () => {
    let numOrdered = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), fc.nat(2), (steps, leftOut) => {
        const queue = new RunQueue(AGEING_MS);
        const naive = new NaiveQueue(AGEING_MS);
        const isLeftOut = (processor: string) => ['p', 'q'][leftOut] === processor;
        let now = 0;
        for (const [i, { kind, sizeClass, which, cost, ...run }] of steps.entries()) {
          const waiting = [...queue.runs()].map(({ id }) => id);
          const any = waiting[which % waiting.length];
          if (kind === 'add' || kind === 'come back') {
            const comesBack = kind === 'come back';
            queue.add({ id: `${i}`, ...run }, sizeClass, cost, now, comesBack);
            naive.add({ id: `${i}`, ...run }, sizeClass, cost, now, comesBack);
          } else if (kind === 'wait') {
            now += which % 150;
          } else if (any !== undefined && kind === 'remove') {
            queue.remove(any);
            naive.remove(any);
          } else if (any !== undefined) {
            const [first = any] = naive.order(now, () => false);
            const id = kind === 'start' ? first : any;
            queue.start(id, now);
            naive.start(id, now);
          }
        }
        const order = [...queue.walk(now, { isLeftOut })].map(({ run }) => run.id);
        expect(order).toEqual(naive.order(now, isLeftOut));
        numOrdered += order.length;
        const left = [...queue.runs()];
        expect(left).toHaveLength(naive.order(now, () => false).length);
        for (const { id } of left) queue.remove(id);
        expect([...queue.walk(now)]).toEqual([]);
      }),
      { seed: 61, numRuns: numCases(500) },
    );
    expect(numOrdered).toBeGreaterThan(numCases(1000));
  });

  test('is that in which runs start, if each starts as the walk comes to it', () => {
    for (const seed of seeds(50)) {
      const random = new RandomStream(seed);
      const queue = new RunQueue(AGEING_MS);
      const now = 450;
      for (let i = 0; i < 40; i++) {
        const run = {
          id: `${i}`,
          processor: random.pick(['p', 'q']),
          key: random.pick(['a', 'b', 'c']),
          level: random.below(6),
        };
        const sizeClass = random.pick(['small', 'wide'] as const);
        queue.add(run, sizeClass, 10 * random.uniform(), random.below(now), random.below(10) === 0);
      }
      const planned = [...queue.walk(now)].map(({ run }) => run.id);
      const started: string[] = [];
      for (let i = 0; i < planned.length; i++) {
        const [next] = queue.walk(now);
        if (next === undefined) break;
        started.push(next.run.id);
        queue.start(next.run.id, now);
      }
      expect(started).toEqual(planned);
    }
  });

  test('is not changed by runs that start while it is walked', () => {
    const fill = (random: RandomStream) => {
      const queue = new RunQueue(AGEING_MS);
      for (let i = 0; i < 40; i++) {
        const key = random.pick(['a', 'b', 'c']);
        const run = { id: `${i}`, processor: 'p', key, level: random.below(3) };
        queue.add(run, random.pick(['small', 'wide'] as const), 10 * random.uniform(), 0);
      }
      return queue;
    };
    for (const seed of seeds(25)) {
      const planned = [...fill(new RandomStream(seed)).walk(0)].map(({ run }) => run.id);
      const random = new RandomStream(seed);
      const queue = fill(random);
      const walked: string[] = [];
      for (const { run } of queue.walk(0)) {
        walked.push(run.id);
        if (random.below(2) === 0) queue.start(run.id, 0);
      }
      expect(walked).toEqual(planned);
    }
  });

  test('lets a key that could not start for long go three runs ahead, and not more', () => {
    const queue = new RunQueue(AGEING_MS);
    const add = (id: string, key: string) => {
      queue.add({ id, processor: 'p', key, level: 3 }, 'small', 10, 0);
    };
    for (let i = 0; i < 20; i++) add(`blocked ${i}`, 'blocked');
    for (let i = 0; i < 50; i++) {
      add(`busy ${i}`, 'busy');
      queue.start(`busy ${i}`, 0);
    }
    add('new', 'new');
    const order = [...queue.walk(0)].map(({ run }) => run.id);
    expect(order.indexOf('new')).toBe(3);
  });

  test('gives no turn to what the walker says will not start', () => {
    const queue = new RunQueue(AGEING_MS);
    for (const [i, key] of [...'aaabb'].entries()) {
      queue.add({ id: `${i}${key}`, processor: 'p', key, level: 3 }, 'small', 10, 0);
    }
    const walked: string[] = [];
    for (const stop of queue.walk(0)) {
      walked.push(stop.run.id);
      stop.takesTurn = stop.run.id !== '0a';
    }
    expect(walked).toEqual(['0a', '1a', '3b', '2a', '4b']);
    expect([...queue.walk(0)].map(({ run }) => run.id)).toEqual(['0a', '3b', '1a', '4b', '2a']);
  });

  test('ends once nothing that is left is open', () => {
    const queue = new RunQueue(AGEING_MS);
    const of = (id: string, processor: string) => ({ id, processor, key: 'a', level: 3 });
    queue.add(of('1', 'p'), 'small', 1, 0);
    queue.add(of('2', 'q'), 'wide', 1, 0);
    queue.add(of('3', 'p'), 'small', 1, 0);
    queue.add(of('4', 'p'), 'wide', 1, 0);
    const ids = (isOpen: (sizeClass: SizeClass, processor: string) => boolean) =>
      [...queue.walk(0, { isOpen })].map(({ run }) => run.id);
    expect(ids(() => false)).toEqual([]);
    expect(ids((sizeClass, processor) => sizeClass === 'wide' && processor === 'q')).toEqual([
      '1',
      '2',
    ]);
    expect(ids((sizeClass, processor) => sizeClass === 'small' && processor === 'p')).toEqual([
      '1',
      '2',
      '3',
    ]);
    expect(ids((_, processor) => processor === 'p')).toEqual(['1', '2', '3', '4']);
  });

  test('stays the same when hundreds of keys have come and gone', () => {
    const queue = new RunQueue(AGEING_MS);
    const add = (id: string, key: string, cost: number) =>
      queue.add({ id, processor: 'p', key, level: 3 }, 'small', cost, 0);
    // Both are ahead of all that follow, one by more.
    for (const [key, cost] of [
      ['heavy', 1000],
      ['light', 900],
    ] as const) {
      add(`${key} 1`, key, cost);
      queue.start(`${key} 1`, 0);
    }
    for (let i = 0; i < 700; i++) {
      const key = i % 2 === 0 ? 'busy' : `key ${i}`;
      add(`${i}`, key, 1);
      queue.start(`${i}`, 0);
    }
    add('known', 'key 1', 1);
    add('heavy 2', 'heavy', 1);
    add('light 2', 'light', 1);
    add('new', 'new', 1);
    expect([...queue.walk(0)].map(({ run }) => run.id)).toEqual([
      'known',
      'new',
      'light 2',
      'heavy 2',
    ]);
  });
});
