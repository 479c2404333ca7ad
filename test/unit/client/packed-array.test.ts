/** Arrays in base64 as the service documents them, and as nested lists. */
import { expect, test } from 'vitest';
import { batchResultOf } from '../../../src/client/batch-result.ts';
import { numericArray, packArray, unpackArray } from '../../../src/client/packed-array.ts';

test('base64 is read as little-endian float64, row by row', () => {
  const bytes = Buffer.alloc(16);
  bytes.writeDoubleLE(0.1, 0);
  bytes.writeDoubleLE(-Infinity, 8);
  const packed = { dtype: '<f8', shape: [1, 2], data: bytes.toString('base64') } as const;
  expect(unpackArray(packed)).toEqual({ shape: [1, 2], data: new Float64Array([0.1, -Infinity]) });
});

test('what is packed is unpacked, also a part of a larger buffer, also much of it', () => {
  const all = Float64Array.from({ length: 100_003 }, (_, i) => Math.sin(i));
  const data = all.subarray(3);
  const packed = packArray({ shape: [1000, 100], data });
  expect(Buffer.from(packed.data, 'base64')).toHaveLength(800_000);
  expect(unpackArray(packed)).toEqual({ shape: [1000, 100], data: data.slice() });
});

test('data that does not match its shape is refused', () => {
  const packed = { dtype: '<f8', shape: [2, 2], data: btoa('12345678') } as const;
  expect(() => unpackArray(packed)).toThrow('8 bytes are no array of the shape [2, 2].');
});

test('nested lists are read the same, null as NaN', () => {
  const nested = [[[1, 2, null]], [[4, 5, 6]]];
  expect(numericArray(nested)).toEqual({
    shape: [2, 1, 3],
    data: new Float64Array([1, 2, Number.NaN, 4, 5, 6]),
  });
  expect(numericArray([])).toEqual({ shape: [0], data: new Float64Array() });
});

test('a batch keeps its other fields, and each array in either form is read', () => {
  const record = {
    batch_id: 'batch_1',
    processor: 'statevector-sim',
    points: 1,
    seed: 7,
    status: 'completed',
    priority: 'normal',
    created_at: '2026-01-02T03:04:05.678Z',
    programs: [
      {
        points: 1,
        qubits: 1,
        method: 'statevector',
        seed: 7,
        counts: [{ '0': 3 }],
        expectation: packArray({ shape: [1, 1], data: new Float64Array([0.5]) }),
        probabilities: [[0.25, 0.75]],
      },
    ],
  } as const;
  expect(batchResultOf(record)).toEqual({
    ...record,
    programs: [
      {
        ...record.programs[0],
        expectation: { shape: [1, 1], data: new Float64Array([0.5]) },
        probabilities: { shape: [1, 2], data: new Float64Array([0.25, 0.75]) },
      },
    ],
  });
});
