/** LF, CR and CRLF end a line alike. */
import { describe, expect, test } from 'vitest';
import { OpenQasmError } from '../../../../src/circuit/errors.ts';
import { readOpenQasm } from '../../../../src/circuit/openqasm/parse-openqasm.ts';

const LIMITS = { maxQubits: 20, maxGates: 1000 };

const PROGRAMS: readonly (readonly [string, string])[] = [
  [
    'version 2',
    `// by hand
OPENQASM 2.0; // the version
include "qelib1.inc"; // a library
#pragma vendor something
qreg w[1]; creg k[1];
/* over
two lines */ x w[0]; // flip
measure w -> k;`,
  ],
  [
    'version 3',
    `OPENQASM 3.0; //
include "stdgates.inc"; // a library
qubit[2] w; bit[2] k;
@annotation of something
x w[0]; // flip
pragma vendor something
#pragma braket noise bit_flip(0.1) w[1]
if (true) // no brace
  x w[1];
k = measure w;`,
  ],
];

const outcomeOf = (qasm: string) => {
  try {
    return readOpenQasm(qasm, LIMITS);
  } catch (error) {
    if (!(error instanceof OpenQasmError)) throw error;
    return error.message;
  }
};

describe.each([
  ['CR', '\r'],
  ['CRLF', '\r\n'],
])('%s', (_, end) => {
  const ended = (text: string) => text.replaceAll('\n', end);

  test.each(PROGRAMS)('gives a program of %s the circuit and the warnings of LF', (_name, text) => {
    const read = readOpenQasm(text, LIMITS);
    expect(read.circuit.operations.length).toBeGreaterThan(1);
    expect(read.warnings.length).toBeGreaterThan(0);
    expect(readOpenQasm(ended(text), LIMITS)).toEqual(read);
  });

  test.each(PROGRAMS)('gives each fault of a program of %s the line of LF', (_name, text) => {
    const lines = text.split('\n');
    for (const fault of ['hh w[0];', 'x w[5];', 'x w[0]]', '"open']) {
      const faulty = [...lines.slice(0, 7), fault, ...lines.slice(7)].join('\n');
      const told = outcomeOf(faulty);
      expect(told).toMatch(/line/);
      expect(outcomeOf(ended(faulty))).toBe(told);
    }
  });
});
