/**
 * Stim's format: what instructions become, faults with their places, and limits. That meanings are Stim's is tested against
 * Stim itself (test/clients/stim).
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DynamicOperation } from '../../../../src/circuit/circuit.ts';
import { StepsSpentError } from '../../../../src/circuit/circuit-limits.ts';
import { StimTextError } from '../../../../src/circuit/errors.ts';
import { findGate } from '../../../../src/circuit/gates.ts';
import { readStim } from '../../../../src/circuit/stim/read-stim.ts';
import { STIM_GATES } from '../../../../src/circuit/stim/stim-gates.ts';
import { CodedError } from '../../../../src/errors/coded-error.ts';
import { numCases } from '../../../support/seeds.ts';

const LIMITS = { maxQubits: 100, maxGates: 1000 };
const read = (text: string, limits: Parameters<typeof readStim>[1] = LIMITS) =>
  readStim(text, limits);

/** Operations in brief: `H 0`, `measure 0 1`. */
const brief = (text: string) =>
  read(text).circuit.operations.map((operation: DynamicOperation) => {
    if (operation.kind === 'gate') {
      const under = operation.condition === undefined ? [] : [`if ${operation.condition.bits}`];
      return [operation.gate, ...operation.controls, ...operation.targets, ...under].join(' ');
    }
    return [operation.kind, ...('qubits' in operation ? operation.qubits : [])].join(' ');
  });

test('observables of Pauli operators are tracked with all of their parts, the others are bits', () => {
  const text =
    'OBSERVABLE_INCLUDE(1) X0 !Y1\nH 0\nM 0 1\nOBSERVABLE_INCLUDE(0) rec[-1]\nOBSERVABLE_INCLUDE(1) rec[-2] Z1 Z2';
  const { circuit, logicalObservables, tracked } = read(text);
  expect(circuit).toMatchObject({ numQubits: 3, numBits: 2 });
  expect(logicalObservables).toEqual([[1], [0]]);
  expect(tracked?.logicalObservables).toEqual([[1], [2]]);
  const [h, m] = circuit.operations;
  expect(tracked?.circuit).toEqual({
    numQubits: 3,
    numBits: 3,
    operations: [
      { kind: 'track', flips: [0, 1], signs: [1], reads: [], bit: 2 },
      h,
      m,
      { kind: 'track', flips: [], signs: [1, 2], reads: [0], bit: 2 },
    ],
  });
  expect(read('M 0\nOBSERVABLE_INCLUDE(0) rec[-1]').tracked).toBeUndefined();
});

test('every gate that the rows name is in the gate table', () => {
  for (const { action } of STIM_GATES.values()) {
    if (action.kind !== 'gates' && action.kind !== 'controlled') continue;
    for (const [gate] of action.steps) expect(findGate(gate)?.name).toBe(gate);
  }
});

test('measurements are one operation for qubits that differ, with what inverts and misreads them', () => {
  expect(brief('M 0 1 1')).toEqual(['measure 0 1', 'measure 1']);
  expect(brief('M(0.1) !0 1')).toEqual(['X 0', 'measure 0 1', 'misread', 'X 0']);
  expect(brief('MRX 2')).toEqual(['H 2', 'measure 2', 'reset 2', 'H 2']);
  expect(brief('RY 0')).toEqual(['reset 0', 'SXDG 0']);
});

test('products are measured on their last qubit, and bring their phases along', () => {
  expect(brief('MPP X0*Z1')).toEqual(['H 0', 'CX 0 1', 'measure 1', 'CX 0 1', 'H 0']);
  expect(brief('MPP !Z0')).toEqual(['X 0', 'measure 0', 'X 0']);
  expect(brief('MPP X0*Y0*Z0*!Z1*X1*Y1')).toEqual(brief('MPP X0*Y0*Z0*X1*Y1*!Z1'));
  // XYZ = i on each of two qubits: the product is −1, which is measured as 1.
  expect(brief('MPP X0*Y0*Z0*X1*Y1*Z1')).toEqual(['X 2', 'measure 2', 'X 2']);
  expect(() => read('MPP X0*Y0')).toThrow(/column 5: This product is anti-Hermitian/);
});

test('bits of the record are counted back from where they are named', () => {
  const { circuit, detectors, logicalObservables, coordinates } = read(
    'M 0\nREPEAT 2 {\n  MR 1\n  SHIFT_COORDS(0, 1)\n  DETECTOR(2, 0.5) rec[-1] rec[-2]\n}\nDETECTOR rec[-1] rec[-1]\nOBSERVABLE_INCLUDE(1) rec[-3]\nOBSERVABLE_INCLUDE(1) rec[-1]',
  );
  expect(circuit.numBits).toBe(3);
  expect(detectors).toEqual([[0, 1], [1, 2], []]);
  expect(coordinates).toEqual([[2, 1.5], [2, 2.5], []]);
  expect(logicalObservables).toEqual([[], [0, 2]]);
});

test('qubits that have coordinates alone are not simulated', () => {
  expect(read('QUBIT_COORDS(1) 500\nI_ERROR(0.1) 7\nX 2').circuit.numQubits).toBe(3);
});

test('a measured bit controls Pauli gates; bits of a sweep are 0, with a warning', () => {
  expect(brief('M 0\nCX rec[-1] 1\nCZ 2 rec[-1]\nXCZ 1 rec[-1]')).toEqual([
    'measure 0',
    'X 1 if 0',
    'Z 2 if 0',
    'X 1 if 0',
  ]);
  const { circuit, warnings } = read('M 0\nCY sweep[4] 0');
  expect(circuit.operations).toHaveLength(1);
  expect(warnings).toEqual([
    expect.objectContaining({ code: 'CIRCUIT_STIM_SWEEP_IGNORED', line: 2 }),
  ]);
});

test('qubits are lost one by one, and a herald is a measurement of loss', () => {
  const { circuit } = read('LOSS_ERROR(0.1) 0 2\nLOSS_ERROR(0) 1\nHERALD_LOSS_EVENT 2 0\nM 1');
  const lost = { kind: 'noise', channel: { kind: 'loss', numQubits: 1, probability: 0.1 } };
  expect(circuit).toEqual({
    numQubits: 3,
    numBits: 3,
    operations: [
      { ...lost, qubits: [0] },
      { ...lost, qubits: [2] },
      { kind: 'measure', qubits: [2, 0], bits: [0, 1], readsLoss: true },
      { kind: 'measure', qubits: [1], bits: [2] },
    ],
  });
});

test('errors of a chain exclude each other; a wide error comes from one more qubit', () => {
  const [noise] = read('E(0.5) X0 Y1\nELSE_CORRELATED_ERROR(0.5) Z1').circuit.operations;
  expect(noise).toMatchObject({
    qubits: [0, 1],
    channel: {
      errors: [
        { flips: 3, signs: 2, probability: 0.5 },
        { flips: 0, signs: 2, probability: 0.25 },
      ],
    },
  });
  expect(brief('E(0.1) X0 !Y1 Z3')).toEqual(['noise 4', 'CX 4 0', 'CY 4 1', 'CZ 4 3', 'reset 4']);
});

test.each([
  ['H 0\n  FOO 1', 2, 3, 'There is no instruction FOO.'],
  ['CNOTT 0 1', 1, 1, 'Did you mean'],
  ['H', 1, 1, 'acts on no qubit'],
  ['X_ERROR 0', 1, 1, 'X_ERROR takes 1 argument in parentheses, and has 0.'],
  ['X_ERROR(1.5) 0', 1, 1, 'probabilities, from 0 to 1, and has 1.5'],
  ['PAULI_CHANNEL_1(0.5,0.5,0.1) 0', 1, 1, 'add up to 1.1'],
  ['LOSS_ERROR 0', 1, 1, 'LOSS_ERROR takes 1 argument in parentheses, and has 0.'],
  ['HERALD_LOSS_EVENT !0', 1, 19, 'measures nothing'],
  ['X_ERROR(0.1 0', 1, 13, 'Expected a comma or )'],
  ['X_ERROR(0.1', 1, 8, 'not closed'],
  ['X_ERROR(nan) 0', 1, 9, 'Expected a number'],
  ['H[tag 0', 1, 2, 'no ] at its end'],
  ['H 0;X 1', 1, 4, 'Expected a space'],
  ['H rec[-1]', 1, 3, 'H takes qubits'],
  ['H !0', 1, 3, 'measures nothing'],
  ['M 0\nCX 1 rec[-1]', 2, 6, 'in place of its first target'],
  ['M 0\nCX rec[-2] 1', 2, 4, 'rec[-2] is before the first measurement: there is 1 before it.'],
  ['CX 0 1 2', 1, 1, 'pairs of targets, and has 3'],
  ['CX 1 1', 1, 4, 'two different qubits; both are 1'],
  ['MPP X1*', 1, 7, 'between two Paulis'],
  ['MPP 1', 1, 5, 'takes Paulis'],
  ['MPAD 2\nH 0', 1, 6, 'constants 0 and 1'],
  ['TICK 1', 1, 6, 'no targets'],
  ['ELSE_CORRELATED_ERROR(0.1) X0', 1, 1, 'right after CORRELATED_ERROR'],
  ['H 0\rX1', 2, 1, 'H takes qubits'],
  ['X 0\rM 1', 2, 1, 'Expected a target'],
  ['REPEAT 3 {\nH 0\n', 1, 1, 'no } at its end'],
  ['H 0\n}', 2, 1, 'no REPEAT block for this }'],
  ['REPEAT 0 {\nH 0\n}', 1, 8, 'at least once'],
  ['REPEAT 2\n{\nH 0\n}', 1, 9, 'Expected {'],
  ['H 100', 1, 3, 'max_qubits is 100'],
  ['REPEAT 2000 {\nH 0\n}', 2, 1, 'max_gates of 1000'],
  ['REPEAT 1000000000000 {\nTICK\n}\nH 0', 2, 1, 'too many instructions'],
])('%j is refused at line %i, column %i', (text, line, column, message) => {
  let found: unknown;
  try {
    read(text);
  } catch (error) {
    found = error;
  }
  expect(found).toBeInstanceOf(StimTextError);
  expect(found).toMatchObject({ line, column, message: expect.stringContaining(message) });
});

test('reading ends when its steps are used up', () => {
  expect(() => read('REPEAT 500 {\nH 0\n}', { ...LIMITS, maxSteps: 100 })).toThrow(StepsSpentError);
});

test('a text with random damage is read or refused, and nothing else', () => {
  const whole =
    'QUBIT_COORDS(0, 1) 0\nR 0 1\nREPEAT 3 {\n  H[tag] 0\n  CX 0 1\n  DEPOLARIZE2(0.01) 0 1\n  MPP(0.1) X0*!Z1\n  E(0.1) X0 Y1\n  DETECTOR(1, 2) rec[-1]\n}\nM !0 1 # end\nOBSERVABLE_INCLUDE(0) rec[-1]\n';
  const places = fc.integer({ min: 0, max: whole.length });
  const inserted = fc.oneof(
    fc.constantFrom(
      '',
      '*',
      '!',
      '{',
      '}',
      '(',
      ')',
      'rec[-9]',
      '\n',
      '\r',
      '#',
      '1e9',
      'REPEAT 9 {',
    ),
    fc.string({ maxLength: 3 }),
  );
  fc.assert(
    fc.property(places, fc.integer({ min: 0, max: 6 }), inserted, (at, length, text) => {
      const damaged = whole.slice(0, at) + text + whole.slice(at + length);
      try {
        read(damaged);
      } catch (error) {
        expect(error).toBeInstanceOf(CodedError);
      }
    }),
    { numRuns: numCases(500) },
  );
});
