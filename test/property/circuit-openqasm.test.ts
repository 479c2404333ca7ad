import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OpenQasmError, OpenQasmInputError } from '../../src/circuit/errors.ts';
import { parseOpenQasm } from '../../src/circuit/openqasm/parse-openqasm.ts';
import { numCases } from '../support/seeds.ts';

const limits = { maxQubits: 20, maxGates: 200 };

const VALID = [
  `OPENQASM 2.0; include "qelib1.inc"; qreg q[3]; creg c[3];
gate g(a, b) x, y { rx(a * -b) x; cx x, y; barrier x; }
g(pi/2, sin(0.1)^2) q[0], q[1]; u3(1, 2e-1, .5) q; // comment
barrier q; measure q -> c; if (c == 3) x q[2]; reset q[0];`,
  `OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; bit d;
gphase(pi); h q; c = measure q; d = measure q[0]; if (c[0] == true) { x q[1]; reset q[0]; }`,
  `OPENQASM 3.1; include "stdgates.inc"; input float a; const int n = 2; qubit[n + 1] q; bit[3] c;
gate g(t) x, y { for int j in {1, 2} { ctrl @ rz(t * j) x, y; } pow(0.5) @ inv @ sx y; }
let r = q[0:1] ++ q[{-1}]; for uint i in [0:n] { if (i == 1) continue; g(a ** i) r[i], q[1]; }
int k = 0x2; while (k > 0) { k -= 1; negctrl(2) @ x q[0], q[2], q[1]; } c[0:1] = measure q[1:2];
if (c[0] && !(c < 3) || c[2:2] == "1") { x q[0]; } else { switch (c) { case 0, 1 { y r; } } }`,
];

const FRAGMENTS = [
  ...['OPENQASM', '2.0', '3.0', ';', 'include', '"qelib1.inc"', 'qreg', 'creg', 'qubit', 'bit'],
  ...['q', 'c', '[', ']', '(', ')', '{', '}', '2', '0', ',', '->', '=', '==', '-', '+', '*', '/'],
  ...['^', 'pi', 'sin', 'gate', 'g', 'h', 'cx', 'rx', 'U', 'measure', 'reset', 'barrier', 'if'],
  ...['[0:2]', 'int', 'i', 'in', 'float', 'const', 'input', 'let', 'ctrl @', 'inv @', 'pow(2) @'],
  ...['pow(0.5) @', 'negctrl', 'else', 'while', 'switch', 'case', 'default', 'end', 'break', '&&'],
  ...[
    '<<',
    '>=',
    '=',
    '+=',
    '++',
    ':',
    '0x1f',
    '"01"',
    '1_0',
    'true',
    '$1',
    '&',
    'bit[2]',
    'if (c)',
  ],
  ...['opaque', 'for', '@', '//', '/*', '"', '\n', 'θ', '€', '1e999', '!', 'gphase', 'u0', ' '],
];

/** Whether the text is a program; what is thrown must name a place inside the text. */
function isProgram(source: string): boolean {
  try {
    parseOpenQasm(source, limits, { inputs: source.includes('input') ? { a: 0.5 } : {} });
    return true;
  } catch (error) {
    if (error instanceof OpenQasmInputError) return false;
    if (!(error instanceof OpenQasmError)) throw error;
    const lines = source.split(/\r\n|\r|\n/);
    expect(error.line).toBeGreaterThanOrEqual(1);
    expect(error.line).toBeLessThanOrEqual(lines.length);
    expect(error.column).toBeGreaterThanOrEqual(1);
    expect(error.column).toBeLessThanOrEqual(lines[error.line - 1]!.length + 1);
    return false;
  }
}

describe('an OpenQASM text', () => {
  test('of random tokens is a program or refused at a place in it', () => {
    const tokens = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 60 });
    fc.assert(
      fc.property(fc.constantFrom('', 'OPENQASM 2.0; ', 'OPENQASM 3.0; '), tokens, (head, body) => {
        isProgram(head + body.join(' '));
      }),
      { seed: 30, numRuns: numCases(750) },
    );
  });

  test('that is a program, changed at a few places, is a program or refused at a place in it', () => {
    const edit = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.nat(2),
      put: fc.constantFrom('', ...FRAGMENTS),
    });
    let numPrograms = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...VALID),
        fc.array(edit, { minLength: 1, maxLength: 2 }),
        (source, edits) => {
          let text = source;
          for (const { at, cut, put } of edits) {
            const i = Math.floor(at * text.length);
            text = text.slice(0, i) + put + text.slice(i + cut);
          }
          if (isProgram(text)) numPrograms++;
        },
      ),
      { seed: 31, numRuns: numCases(750) },
    );
    for (const source of VALID) expect(isProgram(source)).toBe(true);
    expect(numPrograms).toBeGreaterThan(numCases(2));
  });

  test('of random characters is refused at a place in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        isProgram(`OPENQASM 2.0;${text}`);
      }),
      { seed: 32, numRuns: numCases(500) },
    );
  });
});

/** A random expression as OpenQASM text and as JavaScript computes it. */
interface Sum {
  readonly text: string;
  readonly value: number;
}

const { expression } = fc.letrec<{ expression: Sum }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 5 },
    fc.double({ min: 0.1, max: 4, noNaN: true }).map((value) => ({ text: `${value}`, value })),
    fc.constant({ text: 'pi', value: Math.PI }),
    tie('expression').map(({ text, value }) => ({ text: `-(${text})`, value: -value })),
    tie('expression').map(({ text, value }) => ({ text: `cos(${text})`, value: Math.cos(value) })),
    fc
      .tuple(tie('expression'), fc.constantFrom('+', '-', '*', '/'), tie('expression'))
      .map(([a, operator, b]) => ({
        text: `(${a.text}) ${operator} (${b.text})`,
        value:
          {
            '+': a.value + b.value,
            '-': a.value - b.value,
            '*': a.value * b.value,
            '/': a.value / b.value,
          }[operator] ?? Number.NaN,
      })),
  ),
}));

describe('an angle', () => {
  test('has the value JavaScript gives the same expression, in a call and in a gate body', () => {
    fc.assert(
      fc.property(
        expression.filter(({ value }) => Number.isFinite(value)),
        ({ text, value }) => {
          const program = `OPENQASM 2.0; include "qelib1.inc"; qreg q[1];
            gate g(a) x { rz(${text.replaceAll('pi', 'a')}) x; }
            rz(${text}) q[0]; g(pi) q[0];`;
          const { operations } = parseOpenQasm(program, limits);
          const angles = operations.map((o) => (o.kind === 'gate' ? o.angles[0] : undefined));
          expect(angles).toEqual([value, value]);
        },
      ),
      { seed: 33, numRuns: numCases(125) },
    );
  });
});
