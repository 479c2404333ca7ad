/** The instructions of blocks on two and three register bits. */
import { expect, test } from 'vitest';
import {
  blockPlace,
  REGISTER_QUBITS,
  WordWriter,
  writeBlock,
} from '../../../../src/engine/webgpu/sweep/sweep-code.ts';

const ALL = Array.from({ length: REGISTER_QUBITS }, (_, bit) => bit);
const SUBSETS = Array.from({ length: 2 ** REGISTER_QUBITS }, (_, subset) =>
  ALL.filter((bit) => (subset >> bit) & 1),
).filter(({ length }) => length === 2 || length === 3);
/** Register bits that `exchange_bits` of shaders/sweep.wgsl exchanges, by number. */
const EXCHANGED = [
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 2],
  [0, 3],
  [1, 3],
  [2, 3],
] as const;

test.each(SUBSETS.map((bits) => ({ bits })))(
  'come to the lowest places from bits $bits',
  ({ bits }) => {
    const { exchanges, order } = blockPlace(bits);
    const found = [...ALL];
    for (const which of [exchanges & 15, exchanges >> 4]) {
      const [a, b] = EXCHANGED[which]!;
      [found[a], found[b]] = [found[b]!, found[a]!];
    }
    expect(order).toEqual(found);
    expect(order.slice(0, bits.length).toSorted()).toEqual(bits);
  },
);

test('have as many entries as the kernel reads', () => {
  for (const size of [4, 8]) {
    const out = new WordWriter();
    const place = blockPlace(size === 4 ? [0, 1] : [0, 1, 2]);
    writeBlock(out, place, 1, 0, new Float64Array(2 * size * size));
    expect(out.length).toBe(4 + 2 * size * size);
  }
});
