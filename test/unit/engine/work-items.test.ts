/** Items come out in an order that the rules of commuting allow, and all of them do. */
import { describe, expect, test } from 'vitest';
import { type Item, ReadyItems } from '../../../src/engine/work-items.ts';
import { RandomStream } from '../../support/random-stream.ts';

function randomItems(stream: RandomStream, numQubits: number, count: number): readonly Item[] {
  return Array.from({ length: count }, (): Item => {
    const a = 1 << stream.below(numQubits);
    const b = 1 << stream.below(numQubits);
    if (stream.uniform() < 0.4) {
      const monomials = [{ mask: a | b, phase: { re: -1, im: 0 } }];
      return { kind: 'diagonal', moved: 0, read: a | b, monomials };
    }
    return { kind: 'rotation', moved: a, read: b & ~a, t: 0.5 };
  });
}

/** On each shared qubit both are diagonal. */
function commute(a: Item, b: Item): boolean {
  return (a.moved & (b.moved | b.read)) === 0 && (b.moved & a.read) === 0;
}

/** Takes items out, at random among those that are ready. */
function drain(items: readonly Item[], stream: RandomStream): readonly Item[] {
  const ready = new ReadyItems(items);
  const order: Item[] = [];
  while (!ready.isEmpty) {
    const diagonal = ready.diagonals.pop();
    if (diagonal !== undefined) {
      order.push(diagonal);
      ready.done(diagonal);
      continue;
    }
    const [item] = ready.moving.splice(stream.below(ready.moving.length), 1);
    order.push(item!);
    ready.done(item!);
  }
  return order;
}

describe('items of a sweep', () => {
  test.each([1, 2, 3, 4, 5, 6])(
    'all become ready, and only past those they commute with (%i)',
    (seed) => {
      const stream = new RandomStream(seed);
      const items = randomItems(stream, 2 + stream.below(5), 120);
      const order = drain(items, stream);
      expect(new Set(order)).toEqual(new Set(items));
      const place = new Map(order.map((item, i) => [item, i]));
      for (const [i, earlier] of items.entries()) {
        for (const later of items.slice(i + 1)) {
          if (!commute(earlier, later)) expect(place.get(earlier)!).toBeLessThan(place.get(later)!);
        }
      }
    },
  );

  test('that are diagonal on all they share are ready together', () => {
    const items: Item[] = [1, 2, 4].map((a) => ({
      kind: 'diagonal',
      moved: 0,
      read: a | 8,
      monomials: [{ mask: a | 8, phase: { re: -1, im: 0 } }],
    }));
    expect(new ReadyItems(items).diagonals).toHaveLength(3);
  });
});
