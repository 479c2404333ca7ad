/** Quantinuum's version 2, which pytket and PECOS write: assignments to registers, and comparisons of them. */
import { describe, expect, test } from 'vitest';
import { OpenQasmError } from '../../../../src/circuit/errors.ts';
import { readOpenQasm } from '../../../../src/circuit/openqasm/parse-openqasm.ts';
import { exactOutcomes } from '../../../support/state-oracle.ts';

const HEADER = 'OPENQASM 2.0;\ninclude "hqslib1.inc";\n';
const LIMITS = { maxQubits: 6, maxGates: 10_000 };

function outcomesOf(text: string): Record<string, number> {
  const outcomes = [...exactOutcomes(readOpenQasm(text, LIMITS).circuit)];
  return Object.fromEntries(
    outcomes
      .map(([label, chance]): [string, number] => [label, Math.round(chance * 1e6) / 1e6])
      .filter(([, chance]) => chance > 0),
  );
}

const faultOf = (text: string): string => {
  try {
    readOpenQasm(text, LIMITS);
  } catch (error) {
    if (error instanceof OpenQasmError) return error.message;
    throw error;
  }
  throw new Error('the program was accepted');
};

describe('a register that is assigned', () => {
  test.each([
    ['a number', 'k = 5;', 5],
    ['a number that is cut to its width', 'k = 21;', 5],
    ['another', 'a = 2; k = a;', 2],
    ['a wider one', 'k = 13; b = k; k = b;', 5],
    ['a sum that is wider than its parts', 'a = 3; b = 7; k = a + b;', 10],
    ['a difference below 0', 'a = 1; b = 2; k = a - b;', 15],
    ['a mean', 'a = 3; b = 7; k = (a + b) / 2;', 5],
    ['a product and a quotient', 'a = 3; b = 5; k = a * b / a;', 5],
    ['a power', 'a = 2; b = 3; k = a ** b;', 8],
    ['a shifted one', 'a = 3; k = a << 2;', 12],
    ['a register shifted back', 'k = 13; k = k >> 2;', 3],
    ['a complement', 'a = 1; k = ~a;', 14],
    [
      'what and, or and xor give, in the order of their precedence',
      'a = 1; b = 6; k = a ^ b & 3 | 8;',
      11,
    ],
    ['a bit', 'a = 2; k[2] = a[1];', 4],
    ['the lowest bit of a number', 'a = 2; k[0] = a; k[1] = a >> 1;', 2],
    ['a bit that is negated', 'a = 2; k[3] = a[1] & ~a[0];', 8],
    ['in a single-bit register', 'k = 0; d = 2; k = d + 6;', 6],
  ])('%s', (_name, body, expected) => {
    const text = `${HEADER}qreg q[1]; creg a[2]; creg b[3]; creg d[1]; creg k[4]; ${body} a = 0; b = 0; d = 0;`;
    const label = expected.toString(2).padStart(4, '0');
    expect(outcomesOf(text)).toEqual({ [`${label}000000`]: 1 });
  });

  test.each([
    ['==', 2],
    ['!=', 2],
    ['<', 2],
    ['<=', 2],
    ['>', 2],
    ['>=', 2],
    ['>', 9],
    ['<', 9],
  ])('is compared by %s with %d, when known and when measured', (operator, value) => {
    const holds: Record<string, (x: number) => boolean> = {
      '==': (x) => x === value,
      '!=': (x) => x !== value,
      '<': (x) => x < value,
      '<=': (x) => x <= value,
      '>': (x) => x > value,
      '>=': (x) => x >= value,
    };
    const compare = `if(a${operator}${value}) x q[2]; if(a${operator}${value}) k = 1;`;
    const registers = `${HEADER}qreg q[3]; creg a[2]; creg k[1]; creg m[1];`;
    const measured = `${registers} h q[0]; h q[1]; measure q[0] -> a[0]; measure q[1] -> a[1]; ${compare} measure q[2] -> m[0];`;
    const expected: Record<string, number> = {};
    for (let x = 0; x < 4; x++) {
      const bit = holds[operator]!(x) ? '1' : '0';
      const label = `${bit}${bit}${x.toString(2).padStart(2, '0')}`;
      expected[label] = 0.25;
      expect(outcomesOf(`${registers} a = ${x}; ${compare} measure q[2] -> m[0];`)).toEqual({
        [label]: 1,
      });
    }
    expect(outcomesOf(measured)).toEqual(expected);
  });
});

test('an assignment follows the outcomes of its registers, under conditions too', () => {
  const text = `${HEADER}qreg q[2]; creg c[3];
    h q[0]; measure q[0]->c[0]; if(c[0]==1) c[1]=1; c[0]=0; h q[1]; measure q[1]->c[2]; if(c[2]==1) c[0]=1;`;
  expect(outcomesOf(text)).toEqual({ '000': 0.25, '010': 0.25, '101': 0.25, '111': 0.25 });
});

test('angles are those of version 2, where a quotient has a fraction', () => {
  const rz = (text: string) => readOpenQasm(text, LIMITS).circuit.operations[0];
  const body = 'qreg q[2]; creg c[1]; Rz(1/2) q[0]; c = 1;';
  for (const text of [HEADER + body, `include "hqslib1.inc"; ${body}`]) {
    expect(rz(text)).toMatchObject({ gate: 'RZ', angles: [0.5] });
  }
});

test('registers may have the names of keywords and functions of version 3', () => {
  const text = `${HEADER}qreg input[1]; creg bit[2]; creg sin[2]; creg end[2];
    x input[0]; bit = 3; sin = bit & 2; end = sin ^ bit; if(end==1) x input[0];`;
  expect(outcomesOf(text)).toEqual({ '011011': 1 });
});

test('what the libraries of others lack is refused by its name', () => {
  const other = 'OPENQASM 2.0; include "qelib1.inc"; qreg q[1]; creg k[2];';
  expect(faultOf(`${other} k = 1;`)).toContain(
    '"k" is a classical register, not a gate; version 2 has',
  );
  expect(faultOf(`${other} if (k > 1) x q[0];`)).toContain(
    '">" in a condition of version 2 without',
  );
  expect(faultOf(`${HEADER} extern [32] = F([32]);`)).toContain('"extern"');
  expect(faultOf(`${HEADER} qreg q[1]; creg k[2]; k = F(k);`)).toContain('external function "F"');
  expect(faultOf(`OPENQASM 3; include "stdgates.inc"; bit[2] k; k 1;`)).toContain('expected');
  expect(faultOf(`OPENQASM 3; qubit q; bit[2] k; k q;`)).toContain(
    '"k" is a classical register, not a gate',
  );
});
