/** Counts in base64 as docs/batches.md describes them. */
import { expect, test } from 'vitest';
import { batchResultOf } from '../../../src/client/batch-result.ts';
import { countsByPoint } from '../../../src/client/packed-array.ts';

const base64 = (...bytes: readonly number[]) => Buffer.from(bytes).toString('base64');

const COUNTS = {
  bits: 9,
  outcomes_per_point: {
    dtype: '<u4',
    shape: [3],
    data: base64(2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0),
  },
  outcomes: { dtype: '|u1', shape: [3, 2], data: base64(1, 0, 2, 1, 255, 1) },
  occurrences: { dtype: '<u2', shape: [3], data: base64(3, 0, 4, 1, 5, 0) },
} as const;
const POINTS = [{ '000000001': 3, '100000010': 260 }, {}, { '111111111': 5 }];

test('outcomes are read lowest byte first and belong to their points in order', () => {
  expect(countsByPoint(COUNTS)).toEqual(POINTS);
});

test('counts in JSON are left as they are', () => {
  expect(countsByPoint(POINTS)).toBe(POINTS);
});

test('a batch has its counts in either form as objects', () => {
  const program = { points: 3, qubits: 9, method: 'statevector', seed: 7 } as const;
  const { programs } = batchResultOf({ programs: [{ ...program, counts: COUNTS }, program] });
  expect(programs).toEqual([{ ...program, counts: POINTS }, program]);
});

test('data that does not match its shape is refused', () => {
  const occurrences = { ...COUNTS.occurrences, shape: [2] };
  expect(() => countsByPoint({ ...COUNTS, occurrences })).toThrow(
    '6 bytes are no array of the shape [2].',
  );
});
