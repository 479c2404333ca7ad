import { expect, test } from 'vitest';
import {
  type ExchangeRow,
  exchangeRows,
} from '../../../../src/engine/webgpu/sweep/register-moves.ts';
import { RandomStream } from '../../../support/random-stream.ts';

const NUM_BITS = 4;
const PLACES = Array.from({ length: 2 ** NUM_BITS }, (_, i) => i);

/** Contents of the places after the rows, if each held its own number before. */
function after(rows: readonly ExchangeRow[]): number[] {
  const held = [...PLACES];
  for (const { bit, places } of rows) {
    for (const place of places) {
      const partner = place | (1 << bit);
      [held[place], held[partner]] = [held[partner]!, held[place]!];
    }
  }
  return held;
}

test('any permutation of 16 registers takes at most 7 rows', () => {
  const stream = new RandomStream(1);
  for (let i = 0; i < 200; i++) {
    const source = stream.distinct(PLACES.length, PLACES.length);
    const rows = exchangeRows(source, NUM_BITS);
    expect(after(rows)).toEqual(source);
    expect(rows.length).toBeLessThanOrEqual(2 * NUM_BITS - 1);
    expect(rows.every(({ bit, places }) => places.every((place) => !(place & (1 << bit))))).toBe(
      true,
    );
  }
});

test('what stays takes no row, and a controlled flip takes one', () => {
  expect(exchangeRows(PLACES, NUM_BITS)).toEqual([]);
  const flipped = PLACES.map((place) => ((place & 0b0110) === 0b0110 ? place ^ 0b1000 : place));
  expect(exchangeRows(flipped, NUM_BITS)).toEqual([{ bit: 3, places: [0b0110, 0b0111] }]);
});

test('a swap of two bits takes three rows', () => {
  const swapped = PLACES.map((place) => {
    const differ = ((place >> 1) ^ (place >> 2)) & 1;
    return place ^ (differ ? 0b0110 : 0);
  });
  expect(exchangeRows(swapped, NUM_BITS).length).toBeLessThanOrEqual(3);
});
