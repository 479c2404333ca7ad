/** Faults of a program after its first one. */
import { expect, test } from 'vitest';
import { OpenQasmError } from '../../../../src/circuit/errors.ts';
import { readOpenQasm } from '../../../../src/circuit/openqasm/parse-openqasm.ts';

const LIMITS = { maxQubits: 20, maxGates: 1000, maxRounds: 1000 };

/** The first fault and the further ones, as `line: problem`. */
function faultsIn(lines: readonly string[]): readonly string[] {
  const faults: OpenQasmError[] = [];
  const qasm = ['OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c;', ...lines].join('\n');
  try {
    readOpenQasm(qasm, LIMITS, { onFurtherFault: (fault) => faults.push(fault) });
  } catch (error) {
    if (!(error instanceof OpenQasmError)) throw error;
    faults.unshift(error);
  }
  return faults.map(({ line, message }) => `${line}: ${message.replace(/^[^:]*: /, '')}`);
}

test.each<[string, readonly string[], readonly (readonly [number, string])[]]>([
  ['none', ['h q[0];'], []],
  [
    'unknown gates and bad indices',
    ['hh q[0];', 'x q[5];', 'h q[0];', 'c[7] = measure q[0];', 'rx q[0];'],
    [
      [2, 'hh'],
      [3, 'q[5]'],
      [5, 'c[7]'],
      [6, 'rx'],
    ],
  ],
  [
    'broken grammar',
    [
      'h q[0',
      ';',
      'cx q[0] q[1];',
      'if (c[0] == 1 { x q[0]; } else { x q[1]; }',
      'x q[0]]; x q[1];',
    ],
    [
      [3, 'expected'],
      [4, 'expected'],
      [5, 'expected'],
      [6, 'expected'],
    ],
  ],
  [
    'sets and blocks in what is skipped',
    ['for int i in {0, 1 2} { x q[i]; h q[i]; }', 'let z = q[{0 1}]; h q[0]', ';', 'measure ;'],
    [
      [2, 'expected'],
      [3, 'expected'],
      [5, 'expected'],
    ],
  ],
  [
    'a declaration, and not what follows from it',
    ['int[8] n = 300.5.1;', 'rx(n) q[0];', 'x q[9];', 'x q[0'],
    [
      [2, 'expected'],
      [5, 'expected'],
    ],
  ],
  [
    'a fault in a block, and not what follows from it',
    ['if (c[0] == 1) { int k = 3; xx q[0]; }', 'x q[9];', 'x q[0'],
    [
      [2, 'xx'],
      [4, 'expected'],
    ],
  ],
  [
    'text that is none, where reading ends',
    ['hh q[0];', 'x q[0]; ?', 'hh q[0];'],
    [
      [2, 'hh'],
      [3, 'expected'],
    ],
  ],
])('%s', (_, lines, expected) => {
  const found = faultsIn(lines);
  expect(found.map((fault) => Number.parseInt(fault, 10))).toEqual(expected.map(([line]) => line));
  for (const [i, [, problem]] of expected.entries()) expect(found[i]).toContain(problem);
});

test('at most twenty are found', () => {
  expect(faultsIn(Array.from({ length: 50 }, () => 'hh q[0];'))).toHaveLength(20);
});

test('without a taker of further faults the first one ends the reading', () => {
  const read = () => readOpenQasm('OPENQASM 3.0; qubit q; hh q; gg q;', LIMITS);
  expect(read).toThrow(/hh/);
});
