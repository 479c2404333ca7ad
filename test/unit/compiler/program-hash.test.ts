import { describe, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../../src/circuit/circuit.ts';
import { compile } from '../../../src/compiler/compile.ts';
import type { Program } from '../../../src/compiler/program.ts';
import { hashProgram } from '../../../src/compiler/program-hash.ts';
import { profile } from '../../support/profiles.ts';
import { gate } from '../../support/random-circuits.ts';

const condition = { bits: [0], value: 1 };
const OPERATIONS: readonly Operation[] = [
  gate('CX', [0], [1]),
  { kind: 'measure', qubits: [0], bits: [0] },
  { ...gate('RX', [1], [], [0.25]), condition },
  { kind: 'reset', qubits: [1] },
];

function programOf(operations: readonly Operation[], changes: Partial<Circuit> = {}): Program {
  return compile({ numQubits: 2, numBits: 2, operations, ...changes }, profile(), {
    optimize: false,
  }).program;
}

describe('the hash of a program', () => {
  test('is 64 hex digits', () => {
    expect(programOf(OPERATIONS).hash).toMatch(/^[0-9a-f]{64}$/);
  });

  test('is the same for circuits that compile to the same program', () => {
    const withNothings = [
      gate('ID', [0]),
      ...OPERATIONS,
      { kind: 'barrier', qubits: [0] } as const,
    ];
    expect(programOf(withNothings).hash).toBe(programOf(OPERATIONS).hash);
  });

  test('does not depend on the order of properties, nor on the matrices’ buffer', () => {
    const { hash, steps, finalLayout, matrices, numBits, numQubits } = programOf(OPERATIONS);
    const shifted = new Float64Array(matrices.length + 1);
    shifted.set(matrices, 1);
    const reordered = { finalLayout, steps, numBits, matrices: shifted.subarray(1), numQubits };
    expect(hashProgram(reordered)).toBe(hash);
  });

  const variants: readonly [string, Program][] = [
    ['an angle', programOf(OPERATIONS.with(2, { ...gate('RX', [1], [], [0.26]), condition }))],
    ['a target and its control', programOf(OPERATIONS.with(0, gate('CX', [1], [0])))],
    ['a condition', programOf(OPERATIONS.with(2, gate('RX', [1], [], [0.25])))],
    [
      'a condition’s value',
      programOf(
        OPERATIONS.with(2, {
          ...gate('RX', [1], [], [0.25]),
          condition: { ...condition, value: 0 },
        }),
      ),
    ],
    ['a measured bit', programOf(OPERATIONS.with(1, { kind: 'measure', qubits: [0], bits: [1] }))],
    ['a reset qubit', programOf(OPERATIONS.with(3, { kind: 'reset', qubits: [0] }))],
    ['the number of qubits', programOf(OPERATIONS, { numQubits: 3 })],
    ['the number of bits', programOf(OPERATIONS, { numBits: 3 })],
    ['the layout', programOf([...OPERATIONS, gate('SWAP', [0, 1])])],
  ];
  test.each(variants)('changes with %s', (_, variant) => {
    expect(variant.hash).not.toBe(programOf(OPERATIONS).hash);
  });

  test('changes with a sweep’s store', () => {
    const program = programOf(OPERATIONS);
    const steps = program.steps.map((step) =>
      step.kind === 'sweep' && step.condition === undefined ? { ...step, store: [1, 0] } : step,
    );
    expect(hashProgram({ ...program, steps })).not.toBe(program.hash);
  });
});
