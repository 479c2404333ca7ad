/**
 * Programs whose variables, loops and subroutines depend on measured bits: what the circuit that is read
 * from them comes to, over all shots.
 */
import { describe, expect, test } from 'vitest';
import { isStatic, withFinalMeasurement } from '../../../../src/circuit/circuit.ts';
import { readOpenQasm } from '../../../../src/circuit/openqasm/parse-openqasm.ts';
import { exactOutcomes } from '../../../support/state-oracle.ts';

const HEADER = 'OPENQASM 3; include "stdgates.inc"; ';
const LIMITS = { maxQubits: 6, maxGates: 10_000 };

const read = (body: string, inputs = {}) => readOpenQasm(HEADER + body, LIMITS, { inputs }).circuit;

/** Labels that occur with their probabilities, rounded to six digits. */
function outcomesOf(body: string, inputs = {}): Record<string, number> {
  const exact = [...exactOutcomes(read(body, inputs))].filter(([, chance]) => chance > 1e-6);
  return Object.fromEntries(
    exact
      .map(([label, chance]): [string, number] => [label, Math.round(chance * 1e6) / 1e6])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

describe('a variable that depends on measured bits', () => {
  const coin = 'qubit q; bit c; h q; c = measure q;';
  test.each([
    ['a bool', `${coin} bool b = c; bit d; d = !b;`, { '01': 0.5, '10': 0.5 }],
    ['an int', `${coin} int n = c; n += 2; bit[3] d; d = n;`, { '0100': 0.5, '0111': 0.5 }],
    [
      'a negative int',
      `${coin} int[4] n = 0; if (c) n = -3; bit[4] d; d = n;`,
      { '00000': 0.5, '11011': 0.5 },
    ],
    [
      'a uint that wraps',
      `${coin} uint[2] n = 3; n += c; bit[2] d; d = n;`,
      { '001': 0.5, '110': 0.5 },
    ],
    [
      'a register read as a number',
      'qubit[2] q; bit[2] c; h q; c = measure q; bit d; d = c + 1 == 3;',
      { '000': 0.25, '001': 0.25, '011': 0.25, '110': 0.25 },
    ],
    [
      'a number combined bit by bit',
      `${coin} uint[4] n = 12; n = n | c; int[4] m = -2; m = m & c; bit[4] d; d = n; bit[2] e; e = m;`,
      { '0011000': 0.5, '0011011': 0.5 },
    ],
    [
      'a float',
      'qubit[2] q; bit[2] c; h q[0]; c[0] = measure q[0]; float t = 0; if (c[0]) t = pi; rx(t) q[1]; c[1] = measure q[1];',
      { '00': 0.5, '11': 0.5 },
    ],
    [
      'an angle of several bits',
      'qubit[2] q; angle[2] a = 0; x q; a[1] = measure q[0]; bit c; ry(a) q[1]; c = measure q[1];',
      { '0': 1 },
    ],
    [
      'an angle that is shifted',
      'qubit[2] q; angle[3] a = 0; x q[0]; a[0] = measure q[0]; a <<= 2; bit c; ry(a) q[1]; c = measure q[1];',
      { '1': 1 },
    ],
    [
      'its old value, chosen by a condition',
      `${coin} int n = 5; if (c) { n = 2; } else { n = n + 1; } bit[3] d; d = n;`,
      { '0101': 0.5, '1100': 0.5 },
    ],
    [
      'one that outlives its bits',
      `${coin} bool b = c; reset q; c = measure q; bit d; d = b;`,
      { '00': 0.5, '10': 0.5 },
    ],
    [
      'one whose bits are written after it was copied',
      `${coin} uint[2] n; n[0] = c; uint[2] m = n; n[1] = 1; bit[2] d; d = n; bit[2] e; e = m;`,
      { '00100': 0.5, '01111': 0.5 },
    ],
    [
      'two that change places',
      `${coin} int a = c; int b = 2; int t = a; a = b; b = t; bit[2] x_; bit[2] y_; x_ = a; y_ = b;`,
      { '00100': 0.5, '01101': 0.5 },
    ],
    [
      'bits of an int',
      `${coin} int[4] n = 4; n[0] = c; bit[4] d; d = n; bit e; e = n[2];`,
      { '101000': 0.5, '101011': 0.5 },
    ],
    [
      'a uint shifted beyond the bits that were measured',
      `${coin} uint[4] n = c; n <<= 2; n |= c; output uint[4] d; d = n;`,
      { '0000': 0.5, '0101': 0.5 },
    ],
    [
      'a uint whose bits are flipped',
      `${coin} uint[4] n = c; output uint[4] d; d = ~n;`,
      { '1110': 0.5, '1111': 0.5 },
    ],
    [
      'a uint that is rotated',
      `${coin} uint[4] n = c; output uint[4] d; d = rotr(n, 1);`,
      { '0000': 0.5, '1000': 0.5 },
    ],
    [
      'a bit that is cleared again',
      `${coin} uint[2] n = 3; n[0] = c; n[1] = 0; output uint[2] d; d = n;`,
      { '00': 0.5, '01': 0.5 },
    ],
    [
      'a quotient that is computed only where it exists',
      `${coin} int n = c; output bit d; if (n != 0) { if (8 / n == 8) d = 1; }`,
      { '0': 0.5, '1': 0.5 },
    ],
    [
      'an element of an array',
      `${coin} array[int[4], 2, 2] a = {{1, 2}, {3, 4}}; a[1, 0] = c; bit[3] d; d = a[1][0] + a[0, 1];`,
      { '0100': 0.5, '0111': 0.5 },
    ],
  ])('is %s', (_, body, expected) => {
    expect(outcomesOf(body)).toEqual(expected);
  });

  test('counts as 0, with a warning, before it is given a value', () => {
    const text = `${HEADER} qubit q; angle[3] a; rx(a) q; uint[2] n; n += 1;`;
    const { circuit, warnings } = readOpenQasm(text, LIMITS);
    expect(circuit.operations).toMatchObject([{ gate: 'RX', angles: [0] }]);
    expect(warnings).toMatchObject([
      { code: 'CIRCUIT_VARIABLE_UNSET' },
      { code: 'CIRCUIT_VARIABLE_UNSET' },
    ]);
    expect(warnings[0]?.message).toContain('"a" is read before it is given a value');
  });

  test('that is measured directly is not part of the outcome', () => {
    const body =
      'qubit[2] q; bit c; h q[0]; bool b = measure q[0]; if (b) x q[1]; c = measure q[1];';
    expect(outcomesOf(body)).toEqual({ '0': 0.5, '1': 0.5 });
    expect(isStatic(read(body))).toBe(false);
  });

  test('is assigned to bits only if necessary', () => {
    const circuit = read(`${coin} int n; n = c; switch (n) { case 0 { x q; } default { z q; } }`);
    expect(isStatic(circuit)).toBe(true);
  });

  test('makes as few gates as its angle allows', () => {
    const body = 'qubit[3] q; bit[3] c; c = measure q; uint[3] n = c; rz(n * pi / 4.0) q[0];';
    const gates = read(body).operations.filter(({ kind }) => kind === 'gate');
    // One for each bit, and one that always acts, which noise models see.
    expect(gates).toHaveLength(4);
  });
});

describe('a loop on measured bits', () => {
  test('runs until its condition no longer holds', () => {
    const body =
      'qubit q; bit c; uint[2] n = 0; while (!c) { h q; c = measure q; if (n < 3) n += 1; } bit[2] d; d = n;';
    expect(outcomesOf(body)).toEqual({ '011': 0.5, '101': 0.25, '111': 0.25 });
  });

  test.each([
    [
      'break',
      'while (true) { n += 1; h q; c = measure q; if (c) break; if (n == 3) break; }',
      { '0011': 0.125, '1001': 0.5, '1010': 0.25, '1011': 0.125 },
    ],
    [
      'continue',
      'bit go = 1; while (go) { n += 1; h q; c = measure q; go = n < 2; if (c) continue; n += 1; }',
      { '0011': 0.25, '0100': 0.25, '1010': 0.25, '1011': 0.25 },
    ],
    [
      'a for loop that is left',
      'for int i in [0:3] { h q; c = measure q; if (c) { break; } n += 1; }',
      { '0100': 0.0625, '1000': 0.5, '1001': 0.25, '1010': 0.125, '1011': 0.0625 },
    ],
    [
      'a for loop whose rounds are cut short',
      'for int i in [0:1] { h q; c = measure q; if (c) continue; n += 1; }',
      { '0001': 0.25, '0010': 0.25, '1000': 0.25, '1001': 0.25 },
    ],
    ['an end', 'h q; c = measure q; if (c) { n = 5; end; } n = 1;', { '0001': 0.5, '1101': 0.5 }],
  ])('%s', (_, body, expected) => {
    const outcome = 'output bit[3] d; output bit e; d = n; e = c;';
    const order = body.includes('end') ? body.replace('end;', 'd = n; e = c; end;') : body;
    const declared = 'qubit q; bit c; uint[3] n = 0;';
    const text = body.includes('end')
      ? `${declared} output bit[3] d; output bit e; ${order} d = n; e = c;`
      : `${declared} ${body} ${outcome}`;
    expect(outcomesOf(text)).toEqual(expected);
  });

  test('over a range may break in any of hundreds of rounds', () => {
    const body = `qubit q; bit c; uint[2] n;
      for int i in [1:250] { h q; c = measure q; if (n < 3) n += 1; if (c) break; }
      output uint[2] d; d = n;`;
    const found = outcomesOf(body);
    expect(found).toEqual({ '01': 0.5, '10': 0.25, '11': 0.25 });
  });

  test('inside another keeps its own count', () => {
    const body = `qubit q; uint[3] rounds = 0; uint[2] outer = 0; bit c; bit go = 1;
      while (go) {
        c = 0;
        while (!c) { h q; c = measure q; if (rounds < 7) rounds += 1; else c = 1; }
        outer += 1;
        go = outer < 2;
      }
      output uint[3] n; n = rounds;`;
    const found = outcomesOf(body);
    // The sum of two geometric variables: (k − 1)/2^k.
    expect(found['010']).toBeCloseTo(1 / 4, 5);
    expect(found['011']).toBeCloseTo(2 / 8, 5);
    expect(found['100']).toBeCloseTo(3 / 16, 5);
  });

  test('that has ended by break does not measure for its condition again', () => {
    const body = `qubit[2] q; bit c; x q[0];
      while (measure q[0]) { h q[1]; c = measure q[1]; if (c) { reset q[0]; h q[0]; break; } }
      h q[0]; output bit d; d = measure q[0];`;
    expect(outcomesOf(body)).toEqual({ '0': 1 });
  });

  test('under a condition runs only if it holds, even if it writes the condition', () => {
    const body = `qubit[2] q; bit c; bit d; h q[0]; c = measure q[0];
      if (c) { while (c) { h q[0]; c = measure q[0]; } x q[1]; }
      d = measure q[1];`;
    expect(outcomesOf(body)).toEqual({ '00': 0.5, '10': 0.5 });
  });
});

describe('a condition', () => {
  test.each([
    [
      'goes on after its bit is written',
      'qubit[2] q; bit c; bit d; h q[0]; c = measure q[0]; if (c) { x q[0]; c = measure q[0]; x q[1]; } d = measure q[1];',
      { '00': 0.5, '10': 0.5 },
    ],
    [
      'does so in its other branch',
      'qubit[2] q; bit c; bit d; h q[0]; c = measure q[0]; if (!c) { x q[0]; c = measure q[0]; } else { x q[1]; } d = measure q[1];',
      { '01': 0.5, '11': 0.5 },
    ],
    [
      'inside one whose bit was written',
      'qubit[2] q; bit[2] c; bit d; h q; c = measure q; if (c[0]) { if (c[1]) { c[0] = 0; } x q[1]; } d = measure q[1];',
      { '000': 0.25, '101': 0.25, '110': 0.25, '010': 0.25 },
    ],
    [
      'met in many ways',
      'qubit[4] q; bit[4] c; bit d; h q; c = measure q; reset q[0]; if (c[0] ^ c[1] ^ c[2] ^ c[3]) x q[0]; d = measure q[0]; output bit[2] e; e[0] = d; e[1] = popcount(c) % 2 == 1;',
      { '00': 0.5, '11': 0.5 },
    ],
  ])('%s', (_, body, expected) => {
    expect(outcomesOf(body)).toEqual(
      Object.fromEntries(Object.entries(expected).sort(([a], [b]) => (a < b ? -1 : 1))),
    );
  });

  test('that never holds writes nothing', () => {
    const body = 'qubit q; bit c; bit d; h q; c = measure q; if (c) { if (!c) { d = 1; } }';
    expect(outcomesOf(body)).toEqual({ '00': 0.5, '01': 0.5 });
  });

  test('on a wide register is computed once', () => {
    const body = 'qubit q; bit[40] c; bit d; if (c == 0) x q; d = measure q;';
    expect(outcomesOf(body)).toEqual({ [`1${'0'.repeat(40)}`]: 1 });
  });
});

describe('a subroutine', () => {
  test.each([
    [
      'may be called as a gate is',
      'def turn(float t, qubit[2] a) { rx(t) a; } qubit[2] q; turn(pi) q; bit[2] c = measure q;',
      { '11': 1 },
    ],
    [
      'acts on the caller’s qubits',
      'def flip(qubit[2] a) { x a[1]; } qubit[3] q; flip(q[1:2]); bit[3] c = measure q;',
      { '100': 1 },
    ],
    [
      'returns what it measured',
      'def look(qubit a) -> bit { h a; return measure a; } qubit q; bit c = look(q); bit d; d = !c;',
      { '01': 0.5, '10': 0.5 },
    ],
    [
      'takes numbers by value',
      'def twice(int n) -> int { n = n * 2; return n; } qubit q; int m = 3; bit[3] c; c = twice(m); bit[2] d; d = m;',
      { '11110': 1 },
    ],
    [
      'takes bits by value',
      'def not_(bit b) -> bit { b = !b; return b; } qubit q; bit c; bit d = not_(c);',
      { '10': 1 },
    ],
    [
      'writes an array of the caller’s',
      'def set(mutable array[int[4], #dim = 1] a, int v) { a[0] = v; } qubit q; array[int[4], 2] a = {1, 2}; set(a, 5); bit[4] c; c = a[0];',
      { '0101': 1 },
    ],
    [
      'returns early under a condition',
      'def f(qubit a, qubit b) -> uint[2] { bit m; h a; m = measure a; if (m) return 3; x b; return 1; } qubit[2] q; bit[2] c; c = f(q[0], q[1]); bit d; d = measure q[1];',
      { '011': 0.5, '101': 0.5 },
    ],
    [
      'calls itself as long as that ends',
      'def count(int n) -> int { if (n == 0) return 0; return 1 + count(n - 1); } qubit q; bit[3] c; c = count(5);',
      { '101': 1 },
    ],
    [
      'has names of its own',
      'const int k = 2; def f(int n) -> int { int m = n + k; return m; } qubit q; int m = 7; bit[3] c; c = f(1); bit[3] d; d = m;',
      { '111011': 1 },
    ],
    [
      'runs in a loop on measured bits',
      'def toss(qubit a) -> bit { reset a; h a; return measure a; } qubit q; uint[2] n = 0; bit go = 1; while (go) { go = toss(q); if (n < 3) n += 1; else go = 0; } output uint[2] c; c = n;',
      { '01': 0.5, '10': 0.25, '11': 0.25 },
    ],
  ])('%s', (_, body, expected) => {
    const found = outcomesOf(body);
    const total: Record<string, number> = {};
    for (const [label, chance] of Object.entries(found)) {
      const shown = label.slice(-Object.keys(expected)[0]!.length);
      total[shown] = (total[shown] ?? 0) + chance;
    }
    expect(total).toEqual(expected);
  });

  test('that calls itself without end is refused', () => {
    const body = 'def f(int n) -> int { return f(n + 1); } qubit q; int m = f(0);';
    expect(() => read(body)).toThrow('more than 64 deep');
  });
});

describe('inputs and outputs', () => {
  test('an input register is given as a label or a number', () => {
    const body =
      'input bit[3] b; qubit[3] q; for int i in [0:2] { if (b[i]) x q[i]; } bit[3] c = measure q;';
    expect(outcomesOf(body, { b: '011' })).toEqual({ '011': 1 });
    expect(outcomesOf(body, { b: 6 })).toEqual({ '110': 1 });
    expect(isStatic(read(body, { b: 6 }))).toBe(true);
    expect(() => read(body, { b: '01' })).toThrow('bit[3] is a label of 3 digits 0 and 1');
    expect(() => read(body, { b: 9 })).toThrow('bit[3] is a label of 3 digits 0 and 1');
  });

  test('outputs are the whole outcome, in their order', () => {
    const body =
      'qubit[2] q; bit[2] c; x q[1]; output bit d; output uint[2] n; c = measure q; d = c[1]; n = 2;';
    expect(outcomesOf(body)).toEqual({ '101': 1 });
  });
});

test.each([
  ['a number of measured bits', 'w = c;'],
  ['a number', 'w = 3;'],
  ['nothing', ''],
])(
  'a block runs to its end after it wrote the bit of its condition, with %s assigned in between',
  (_, between) => {
    const block = `if (!d) { d = measure q; ${between} d = false; }`;
    expect(outcomesOf(`qubit q; bit[2] c; bit d; uint[4] w = 6; x q; ${block} c[0] = d;`)).toEqual({
      '000': 1,
    });
  },
);

describe('a program that measures nothing', () => {
  test.each([
    ['has all qubits as its outcome', 'qubit[2] q; bit c; x q[1];', '10'],
    ['has them though a register has a value', 'bit[3] c = "011"; qubit[2] q; x q[0];', '01'],
    ['has them though a register reads 0', 'bit[3] c = "000"; qubit[2] q; x q[0];', '01'],
    [
      'has them though a subroutine has a bit',
      'qubit q; def f() -> bit { bit c = true; return c; } if (f()) { x q; }',
      '1',
    ],
    ['tests its registers', 'bit[2] c = "10"; qubit q; if (c[1]) x q;', '1'],
    ['tests registers without values', 'bit[2] c; qubit q; if (c == 0) x q;', '1'],
    ['repeats loops on its registers', 'bit go = 1; qubit q; while (go) { x q; go = 0; }', '1'],
    ['has its outputs as its outcome', 'output bit[2] c; qubit q; x q; c = "10";', '10'],
    ['has outputs that read 0', 'output bit[2] c; qubit q; x q; c = "00";', '00'],
    ['has outputs without values', 'output bit[2] c; qubit q; x q;', '00'],
    ['has output numbers', 'output uint[3] n; qubit q; x q; uint[3] m = 1; n = ~m;', '110'],
  ])('%s', (_, body, label) => {
    const exact = exactOutcomes(withFinalMeasurement(read(body)));
    expect([...exact].filter(([, chance]) => chance > 1e-6)).toEqual([[label, 1]]);
  });
});

test.each([
  ['a block', '', 'bit t; if (!t) { x q; } t = measure q; d = t;'],
  [
    'a subroutine',
    'def f(qubit a) -> bit { bit t; if (!t) { x a; } t = measure a; return t; }',
    'd = f(q);',
  ],
])('a bit declared in %s is 0 in each round of a loop on measured bits', (_, before, body) => {
  const loop = `while (d && (k < 2)) { k += 1; ${body} }`;
  const program = `${before} qubit q; output bit d; x q; d = measure q; reset q; uint[4] k = 0; ${loop}`;
  expect(outcomesOf(program)).toEqual({ '0': 1 });
});

test('a value is written as it was before the numbers that depend on the target were saved', () => {
  const program =
    'qubit[2] q; bit[3] c; uint[4] w = 7; if (c[1]) {} else { w += uint[3](c); }' +
    'if (c[0]) { c[2] = measure q[0]; } else { w = ~(w ^ c[2]); c = bit[3](uint[3](w)); }';
  expect(outcomesOf(program)).toEqual({ '000': 1 });
});
