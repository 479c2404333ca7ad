import { expect, test } from 'vitest';
import { inputColumns, inputRows, inputsAt } from '../../../src/circuit/input-columns.ts';

test('numbers stand for all points that arrays give', () => {
  const inputs = inputColumns({ a: [1, 2, 3], b: 0.5, c: Float64Array.of(7, 8, 9), d: true });
  expect(inputs.numPoints).toBe(3);
  expect(inputs.names).toEqual(['a', 'b', 'c', 'd']);
  expect(inputsAt(inputs, 1)).toEqual({ a: 2, b: 0.5, c: 8, d: true });
});

test('without arrays there is one point', () => {
  expect(inputColumns({}).numPoints).toBe(1);
  expect(inputColumns({ a: 1 }).numPoints).toBe(1);
});

test('rows of chosen points are in their order', () => {
  const inputs = inputColumns({ a: [1, 2, 3, 4], b: 0.5, f: [true, false, true, false] });
  expect([...inputRows(inputs, undefined, 1, 3)]).toEqual([2, 0.5, 0, 3, 0.5, 1]);
  expect([...inputRows(inputs, Uint32Array.of(0, 2, 3), 1, 3)]).toEqual([3, 0.5, 1, 4, 0.5, 0]);
});

test.each([
  ['an empty array', { a: [] }, 'inputs.a'],
  ['an array of another length', { a: [1, 2], b: [1, 2, 3] }, 'inputs.b'],
  ['NaN', { a: Number.NaN }, 'inputs.a'],
  ['an infinite number in an array', { a: [1, 2, 3, Number.POSITIVE_INFINITY] }, 'inputs.a[3]'],
  ['a text', { a: 'x' }, 'inputs.a'],
  ['null', { a: null }, 'inputs.a'],
  ['an array in an array', { a: [1, [2]] }, 'inputs.a[1]'],
  ['a boolean among numbers', { a: [1, true] }, 'inputs.a[1]'],
  ['a number among booleans', { a: [true, 1] }, 'inputs.a[1]'],
])('%s is a fault with its path', (_, inputs, path) => {
  const faults = [expect.objectContaining({ path })];
  expect(() => inputColumns(inputs)).toThrow(
    expect.objectContaining({ code: 'CIRCUIT_INPUTS_INVALID', faults }),
  );
});

test('a million bad values are counted, and twenty listed', () => {
  const read = () => inputColumns({ a: new Array(1_000_000).fill(Number.NaN) });
  expect(read).toThrow(expect.objectContaining({ numFaults: 1_000_000 }));
  expect(read).toThrow(
    expect.objectContaining({ faults: expect.objectContaining({ length: 20 }) }),
  );
});
