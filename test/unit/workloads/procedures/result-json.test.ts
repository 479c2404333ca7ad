import { expect, test } from 'vitest';
import { resultJson } from '../../../../src/workloads/procedures/served-call.ts';

const cycle: { self?: unknown } = {};
cycle.self = cycle;

test.each([
  ['nothing', undefined, /undefined and not a JSON object/],
  ['null', null, /null and not/],
  ['an array', [1], /an array and not/],
  ['a text', 'text', /string and not/],
  ['a number that is none', { deep: [{ value: Number.NaN }] }, /NaN, at value, at \[0\], at deep/],
  ['an infinite number', { value: Number.NEGATIVE_INFINITY }, /-Infinity, at value/],
  ['a big integer', { value: 1n }, /bigint, at value/],
  ['what refers to itself', cycle, /refers to itself/],
  ['a date', { value: new Date(0) }, /class Date, at value/],
  ['a map', { value: new Map() }, /class Map/],
  ['a typed array', { value: new Float64Array(2) }, /class Float64Array/],
  ['a function', { value: () => 1 }, /function, at value/],
  ['a hole', { value: [undefined] }, /undefined, at \[0\], at value/],
])('refuses %s, and says where it is', (_, result, message) => {
  expect(() => resultJson(result, 1000)).toThrowError(message);
});

test('gives what JSON has, without fields that are missing', () => {
  const result = { a: [1, 'é', null, true, { b: -0.5 }], missing: undefined };
  expect(resultJson(result, 1000)).toBe('{"a":[1,"é",null,true,{"b":-0.5}]}');
});

test('counts the bytes of UTF-8, and refuses one more than the limit', () => {
  expect(resultJson({ a: 'é' }, 10)).toBe('{"a":"é"}');
  expect(() => resultJson({ a: 'é' }, 9)).toThrowError(
    expect.objectContaining({ code: 'WORKLOADS_TASK_RESULT' }),
  );
});
