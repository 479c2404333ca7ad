/** Arrays, their parts, constants made of bits, and lists that end with a comma. */
import { describe, expect, test } from 'vitest';
import { OpenQasmError } from '../../../../src/circuit/errors.ts';
import { readOpenQasm } from '../../../../src/circuit/openqasm/parse-openqasm.ts';
import { exactOutcomes } from '../../../support/state-oracle.ts';

const HEADER = 'OPENQASM 3; include "stdgates.inc";\n';
const LIMITS = { maxQubits: 6, maxGates: 10_000 };

const read = (body: string, inputs = {}) => readOpenQasm(HEADER + body, LIMITS, { inputs });

/** Labels that occur, with their probabilities. */
function outcomesOf(body: string, inputs = {}): Record<string, number> {
  const outcomes = [...exactOutcomes(read(body, inputs).circuit)];
  return Object.fromEntries(
    outcomes
      .map(([label, chance]): [string, number] => [label, Math.round(chance * 1e6) / 1e6])
      .filter(([, chance]) => chance > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

const faultOf = (body: string): string => {
  try {
    read(body);
  } catch (error) {
    if (error instanceof OpenQasmError) return error.message;
    throw error;
  }
  throw new Error('the program was accepted');
};

describe('a part of an array', () => {
  const two = 'array[uint[4], 3, 2] t = {{0, 1}, {2, 3}, {4, 5}};';
  test.each([
    [
      'is read by a range',
      'array[uint[4], 3] a = {5, 6, 7}; array[uint[4], 2] b = a[1:2]; k = b[0];',
      6,
    ],
    [
      'by a range with a step',
      'array[uint[4], 4] a = {5, 6, 7, 8}; array[uint[4], 2] b = a[0:2:3]; k = b[1];',
      7,
    ],
    ['backwards', 'array[uint[4], 3] a = {5, 6, 7}; array[uint[4], 3] b = a[2:-1:0]; k = b[0];', 7],
    [
      'from the end',
      'array[uint[4], 3] a = {5, 6, 7}; array[uint[4], 2] b = a[-2:-1]; k = b[0];',
      6,
    ],
    ['by an index', `${two} array[uint[4], 2] b = t[1]; k = b[1];`, 3],
    ['by a range and an index', `${two} array[uint[4], 2] b = t[1:2, 0]; k = b[1];`, 4],
    [
      'by a range, then by an index of that',
      `${two} array[uint[4], 2] b = t[1:2][0]; k = b[1];`,
      3,
    ],
    ['by an index and a range', `${two} array[uint[4], 1] b = t[2, 1:1]; k = b[0];`, 5],
    ['by two ranges', `${two} array[uint[4], 2, 1] b = t[0:1, 1:1]; k = b[1][0];`, 3],
    ['is written by a range', `${two} t[0:1] = t[1:2]; k = t[1, 0];`, 4],
    [
      'is written from one that overlaps',
      'array[uint[4], 3] a = {5, 6, 7}; a[1:2] = a[0:1]; k = a[2];',
      6,
    ],
    ['is written across a dimension', `${two} t[0:2, 0] = t[0:2, 1]; k = t[2][0];`, 5],
    ['is written row by row', `${two} array[uint[4], 2] r = {9, 8}; t[1] = r; k = t[1, 1];`, 8],
    [
      'is written whole',
      `${two} array[uint[4], 3, 2] u; u = t; t[0, 0] = 7; k = u[0, 0] + u[2, 1];`,
      5,
    ],
    [
      'is joined to another',
      'array[uint[4], 2] a = {5, 6}; array[uint[4], 4] b = a ++ a[1:1] ++ a[0:0]; k = b[2];',
      6,
    ],
    [
      'is written with two that are joined',
      'array[uint[4], 2] a = {5, 6}; array[uint[4], 3] b = {1, 2, 3}; b[0:1] = a[1:1] ++ b[2:2]; k = b[1];',
      3,
    ],
    [
      'is a row of a list',
      `array[uint[4], 2] a = {5, 6}; array[uint[4], 2, 2] b = {a, {7, 8}}; k = b[0][1];`,
      6,
    ],
    ['is a copy', 'array[uint[4], 2] a = {5, 6}; array[uint[4], 2] b = a; b[0] = 1; k = a[0];', 5],
    [
      'is what a loop runs over',
      'array[uint[4], 4] a = {8, 1, 2, 8}; uint[4] s = 0; for uint[4] v in a[1:2] s += v; k = s;',
      3,
    ],
    ['has an alias', 'array[uint[4], 3] a = {5, 6, 7}; let b = a[1:2]; b[0] = 9; k = a[1];', 9],
    ['has bits', 'array[uint[4], 3] a = {5, 6, 7}; k[1:2] = a[2][1:2]; k[0] = a[0, 0];', 7],
    ['is written bit by bit', 'array[uint[4], 2] a = {5, 6}; a[1][0] = 1; k = a[1];', 7],
    ['has a size', `${two} k = sizeof(t, 1) + 4 * sizeof(t[0:1]);`, 10],
    ['has the size of what is left', `${two} k = sizeof(t[0], 0);`, 2],
    [
      'holds measured bits',
      'array[bit, 2] f; qubit q; x q; f[1] = measure q; k[2] = f[1]; k[1] = f[0];',
      4,
    ],
    ['holds registers', 'array[bit[3], 2] w = {"101", "010"}; k = w[0] | w[1]; k[0] = w[1][0];', 6],
    ['holds bools', 'array[bool, 2] w = {true, false}; if (w[0] && !w[1]) k = 9;', 9],
  ])('%s', (_name, body, expected) => {
    const label = expected.toString(2).padStart(4, '0');
    expect(outcomesOf(`output bit[4] k; qubit p;\n${body}`)).toEqual({ [label]: 1 });
  });

  test.each([
    [
      'an element under a condition',
      'array[uint[2], 2] a = {1, 2}; if (c) a[0] = a[1]; k = a[0];',
      { '01': 0.5, '10': 0.5 },
    ],
    [
      'a part under a condition',
      'array[uint[2], 2] a = {1, 2}; array[uint[2], 2] b = {2, 0}; if (c) a[0:1] = b[0:1]; k = a[0] + a[1];',
      { '10': 0.5, '11': 0.5 },
    ],
    [
      'an array of bits in a loop on measured bits',
      'array[bit, 2] f = {1, 0}; int n = 0; while (f[0]) { h q; f[0] = measure q; f[1] = 1; let g = f; g[1] = 1; n += 1; if (n == 2) f[0] = 0; } k[0] = f[0]; k[1] = f[1];',
      { '10': 1 },
    ],
    [
      'a register in an array, measured',
      'array[bit[2], 2] f; f[1][0] = measure q; k = f[1];',
      { '00': 0.5, '01': 0.5 },
    ],
  ])('%s', (_name, body, expected) => {
    const text = `output bit[2] k; qubit q; bit c; h q; c = measure q;\n${body}`;
    expect(outcomesOf(text)).toEqual(expected);
  });
});

describe('an array as the parameter of a subroutine', () => {
  const sum =
    'def sum(readonly array[uint[4], #dim = 1] a) -> uint[4] { uint[4] s = 0; for uint[4] v in a { s += v; } return s; }';
  const clear = 'def clear(mutable array[uint[4], 2] a,) { a[0] = 0; a[1] = 0; }';
  const data = 'array[uint[4], 2, 3] t = {{1, 2, 3}, {4, 5, 6}};';
  test.each([
    ['may be a part', `${sum} ${data} k = sum(t[0, 0:1]);`, 3],
    ['may be a row', `${sum} ${data} k = sum(t[0]);`, 6],
    ['may be a column', `${sum} ${data} k = sum(t[0:1, 1]);`, 7],
    [
      'is changed in place',
      `${clear} ${data} clear(t[1, 0:1]); k = t[1, 0] + t[1, 1] + t[1, 2] + t[0, 0];`,
      7,
    ],
    [
      'is handed on',
      `${sum} def twice(readonly array[uint[4], #dim = 1] a) -> uint[4] { return sum(a) + sum(a[0:0]); } ${data} k = twice(t[0]);`,
      7,
    ],
    [
      'has a size',
      `def n(readonly array[uint[4], #dim = 2] a) -> uint[4] { return sizeof(a) * sizeof(a, 1); } ${data} k = n(t);`,
      6,
    ],
  ])('%s', (_name, body, expected) => {
    const label = expected.toString(2).padStart(4, '0');
    expect(outcomesOf(`output bit[4] k; qubit q;\n${body}`)).toEqual({ [label]: 1 });
  });

  test.each([
    [
      'readonly, is not changed',
      'def f(readonly array[int, 2] a) { a[0] = 1; }',
      'a readonly array',
    ],
    [
      'readonly, is not handed on to be changed',
      'def g(mutable array[int, 2] a) { a[0] = 1; } def f(readonly array[int, 2] a) { g(a); }',
      'is mutable, and this array is readonly',
    ],
    ['has its sizes', 'def f(readonly array[int, 3] a) { }', 'an array of 3 elements, not of 2'],
    ['has its dimensions', 'def f(readonly array[int, #dim = 2] a) { }', '2 dimensions, not 1'],
    ['has its type', 'def f(readonly array[int[8], 2] a) { }', 'an array of int[8], not of int'],
  ])('%s', (_name, body, expected) => {
    expect(faultOf(`qubit q; ${body}\narray[int, 2] x = {1, 2}; f(x);`)).toContain(expected);
  });
});

describe('faults of arrays', () => {
  const array = 'qubit q; array[int, 3, 2] a = {{0, 1}, {2, 3}, {4, 5}}; bit[2] c;\n';
  test.each([
    ['int n = a[0];', 'an array of 2; one of its elements is needed'],
    ['a[0] = 1;', 'must be an array of 2 elements'],
    ['a[0] = a;', 'must be an array of 2 elements, not of 3 × 2'],
    ['a[0:1] = a[1:1];', 'must be an array of 2 × 2 elements, not of 1 × 2'],
    ['a[0] += a[1];', '"+=" of arrays is not supported'],
    ['a[0, 0:0, 1] = a;', '"a" has 2 dimensions; more are selected here'],
    ['a[3] = a[0];', 'a[3] is out of range; a has indices 0 to 2'],
    ['a[2:1] = a[0:1];', 'selects nothing of a'],
    ['for int v in a { x q; }', 'a loop runs over an array of one dimension; this one has 2'],
    ['c[0:1, 0] = 1;', '"c" has one dimension here, not 2'],
    ['array[int, 2] b = a[0] ++ a;', 'joins arrays that differ in their first dimension at most'],
    ['int n = 1 ++ 2;', '++ joins registers, or arrays'],
    ['array[complex[float], 2] b;', '"complex" of OpenQASM 3 is not supported'],
  ])('%s', (body, expected) => {
    expect(faultOf(array + body).toLowerCase()).toContain(expected.toLowerCase());
  });
});

describe('bits that are constant', () => {
  test.each([
    ['a register', 'const bit[3] s = "101"; for int i in [0:2] { k[i] = s[i]; }', 5],
    ['one bit', 'const bit s = 1; if (s) k = 6;', 6],
    ['computed from another', 'const bit[3] s = "101"; const bit[3] t = ~s; k = t;', 2],
    ['an index by a range', 'const bit[4] s = "1010"; k = s[1:3];', 5],
    [
      'in a loop over them',
      'const bit[3] s = "101"; int n = 0; for bit b in s { if (b) n += 1; } k = n;',
      2,
    ],
    ['in a loop over a bit string', 'int n = 0; for bit b in "111" { if (b) n += 1; } k = n;', 3],
    ['joined', 'const bit[2] s = "01"; const bit[4] t = s ++ "10"; k = t;', 9],
  ])('%s', (_name, body, expected) => {
    const label = expected.toString(2).padStart(4, '0');
    expect(outcomesOf(`output bit[4] k; qubit q;\n${body}`)).toEqual({ [label]: 1 });
  });

  test.each([
    ['const bit[2] s = "01"; s = "10";', '"s" is constant'],
    ['const bit[2] s = "011";', '2 bits cannot hold the value of 3 bits'],
    ['const bit[2] s;', 'expected "="'],
  ])('%s', (body, expected) => {
    expect(faultOf(`qubit q; ${body}`)).toContain(expected);
  });
});

test('a comma may end every list of OpenQASM 3', () => {
  const plain = `
    gate link(t, u) a, b { cx a, b; rz(t) b; rz(u) a; }
    def f(qubit q, readonly array[int, 2, 2] a, int n) -> int { x q; return a[n, 0]; }
    qubit[2] w; bit[2] k; array[int, 2, 2] a = {{1, 2}, {3, 4}}; int n = 1;
    link(0.3, sin(0.5)) w[0], w[1]; barrier w[0], w[1]; delay[1ns] w[0], w[1]; nop w[0], w[1];
    for int i in {0, 1} { x w[i]; } let e = w[{0, 1}];
    n = f(w[0], a, sizeof(a, 1) - 1);
    switch (n) { case 1, 3 { x w[1]; } default { } }
    k = measure w;`;
  const ended = plain
    .replaceAll(/([^\s,({])( ?)([)\]}])/g, '$1$3')
    .replace('(t, u) a, b {', '(t, u,) a, b, {')
    .replace('int n) ->', 'int n,) ->')
    .replace('array[int, 2, 2] a,', 'array[int, 2, 2,] a,')
    .replace('array[int, 2, 2] a =', 'array[int, 2, 2,] a =')
    .replace('{3, 4}}', '{3, 4,},}')
    .replace('sin(0.5))', 'sin(0.5,),)')
    .replaceAll('w[0], w[1];', 'w[0], w[1],;')
    .replaceAll('{0, 1}', '{0, 1,}')
    .replace('sizeof(a, 1) - 1)', 'sizeof(a, 1,) - 1,)')
    .replace('a[n, 0]', 'a[n, 0,]')
    .replace('case 1, 3 {', 'case 1, 3, {');
  expect(ended.match(/, *[)\]};{]/g)?.length).toBeGreaterThan(14);
  expect(read(ended).circuit).toEqual(read(plain).circuit);
});

test.each(['80ns', '80 ns', '80\t\tns', '0.08 us', '8e1 ns', '80_0 ns / 10'])(
  'a duration may have blanks before its unit: %s',
  (duration) => {
    const delay = (text: string) => read(`qubit q; delay[${text}] q; x q;`).circuit;
    expect(delay(duration)).toEqual(delay('80ns'));
  },
);

test('a duration does not reach across the end of a line', () => {
  expect(faultOf('qubit q; delay[80\nns] q;')).toContain(
    'line 3, column 1: expected "]", found "ns"',
  );
});
