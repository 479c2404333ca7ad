import { describe, expect, test } from 'vitest';
import type { GateObject } from '../../../src/circuit/gate-object.ts';
import { circuitFromGateObjects } from '../../../src/circuit/gate-objects.ts';
import { GATES } from '../../../src/circuit/gates.ts';
import { expectLinearTime } from '../../support/linear-time.ts';

const limits = { maxQubits: 30, maxGates: 200_000 };
const read = (objects: readonly GateObject[], numQubits?: number) =>
  circuitFromGateObjects(objects, numQubits === undefined ? { limits } : { limits, numQubits });

describe('a gate object', () => {
  const gate = { kind: 'gate', controls: [], angles: [] };
  test.each<[GateObject, object]>([
    [
      { gate: 'H', qubit: 2 },
      { ...gate, gate: 'H', targets: [2] },
    ],
    [
      { gate: 'hadamard', target: 2 },
      { ...gate, gate: 'H', targets: [2] },
    ],
    [
      { gate: 'h', qubits: [2] },
      { ...gate, gate: 'H', targets: [2] },
    ],
    [
      { gate: 'h', targets: [2] },
      { ...gate, gate: 'H', targets: [2] },
    ],
    [
      { gate: 'CX', control: 0, target: 1 },
      { ...gate, gate: 'CX', controls: [0], targets: [1] },
    ],
    [
      { gate: 'cnot', control: 0, targets: [1] },
      { ...gate, gate: 'CX', controls: [0], targets: [1] },
    ],
    [
      { gate: 'CX', controls: [0], qubit: 1 },
      { ...gate, gate: 'CX', controls: [0], targets: [1] },
    ],
    [
      { gate: 'CX', qubits: [3, 1] },
      { ...gate, gate: 'CX', controls: [3], targets: [1] },
    ],
    [
      { gate: 'CX', qubits: [3, 1], control: 2 },
      { ...gate, gate: 'CX', controls: [3, 2], targets: [1] },
    ],
    [
      { gate: 'CX', control: 0, controls: [2, 3], target: 1 },
      { ...gate, gate: 'CX', controls: [0, 2, 3], targets: [1] },
    ],
    [
      { gate: 'X', controls: [0, 1], target: 2 },
      { ...gate, gate: 'X', controls: [0, 1], targets: [2] },
    ],
    [
      { gate: 'swap', qubits: [1, 0] },
      { ...gate, gate: 'SWAP', targets: [1, 0] },
    ],
    [
      { gate: 'CSWAP', qubits: [2, 0, 1] },
      { ...gate, gate: 'CSWAP', controls: [2], targets: [0, 1] },
    ],
    [
      { gate: 'fredkin', control: 2, targets: [0, 1] },
      { ...gate, gate: 'CSWAP', controls: [2], targets: [0, 1] },
    ],
    [
      { gate: 'toffoli', controls: [0, 1], target: 2 },
      { ...gate, gate: 'CCX', controls: [0, 1], targets: [2] },
    ],
    [
      { gate: 'CCX', qubits: [0, 1, 2], controls: [3] },
      { ...gate, gate: 'CCX', controls: [0, 1, 3], targets: [2] },
    ],
    [
      { gate: 'GPHASE', gamma: 1 },
      { ...gate, gate: 'GPHASE', targets: [], angles: [1] },
    ],
    [
      { gate: 'gphase', gamma: 1, control: 3 },
      { ...gate, gate: 'GPHASE', controls: [3], targets: [], angles: [1] },
    ],
    [
      { gate: 'u', qubit: 0, lambda: 3, phi: 2, theta: 1 },
      { ...gate, gate: 'U', targets: [0], angles: [1, 2, 3] },
    ],
    [
      { gate: 'XX+YY', qubits: [0, 1], beta: 2, theta: 1 },
      { ...gate, gate: 'XX+YY', targets: [0, 1], angles: [1, 2] },
    ],
    [
      { gate: 'barrier', qubits: [1, 0] },
      { kind: 'barrier', qubits: [1, 0] },
    ],
    [{ gate: 'BARRIER' }, { kind: 'barrier', qubits: [0, 1, 2, 3] }],
    [
      { gate: 'measure', qubits: [2, 0] },
      { kind: 'measure', qubits: [2, 0], bits: [0, 1] },
    ],
    [
      { gate: 'mz', qubit: 2, bits: [5] },
      { kind: 'measure', qubits: [2], bits: [5] },
    ],
  ])('%j is read by the table and the operand rules', (object, operation) => {
    expect(read([object], 4).operations).toEqual([operation]);
  });

  test('RESET takes one qubit or several; those that are still |0⟩ are left out', () => {
    const h = { gate: 'H', qubit: 3 };
    const { operations } = read([
      { gate: 'RESET', qubits: [0, 3] },
      h,
      { gate: 'reset', qubit: 3 },
      h,
      { gate: 'RESET', qubits: [0, 3] },
    ]);
    expect(operations.filter(({ kind }) => kind === 'reset')).toEqual([
      { kind: 'reset', qubits: [3] },
      { kind: 'reset', qubits: [3] },
    ]);
  });

  test('UNITARY keeps its matrix row by row, targets and controls as written', () => {
    const matrix = [
      [
        [0, 0],
        [0, -1],
      ],
      [
        [0, 1],
        [0, 0],
      ],
    ] as const;
    expect(read([{ gate: 'unitary', qubits: [1], controls: [0], matrix }]).operations).toEqual([
      {
        kind: 'unitary',
        controls: [0],
        targets: [1],
        matrix: Float64Array.of(0, 0, 0, -1, 0, 1, 0, 0),
      },
    ]);
  });

  test.each(GATES.flatMap(({ name, aliases }) => [name, ...aliases].map((alias) => [alias, name])))(
    '%s, in any case, is %s',
    (alias, name) => {
      const { parameters, numControls, numTargets } = GATES.find((gate) => gate.name === name)!;
      const qubits = Array.from({ length: numControls + numTargets }, (_, i) => i);
      const angles = Object.fromEntries(parameters.map((parameter) => [parameter, 0.5]));
      for (const gate of [alias.toLowerCase(), alias.toUpperCase()]) {
        const [operation] = read([{ gate, qubits, ...angles }]).operations;
        expect(operation).toMatchObject({ kind: 'gate', gate: name });
      }
    },
  );
});

describe('the registers', () => {
  test.each<[GateObject]>([
    [{ gate: 'H', qubit: 6 }],
    [{ gate: 'CX', control: 6, target: 0 }],
    [{ gate: 'X', controls: [1, 6], target: 0 }],
    [{ gate: 'M', qubits: [6, 0] }],
    [{ gate: 'RESET', qubits: [6] }],
    [{ gate: 'BARRIER', qubits: [6] }],
  ])('are as wide as %j asks', (object) => {
    expect(read([{ gate: 'H', qubit: 0 }, object]).numQubits).toBe(7);
  });

  test('are as wide as the caller says, when all operands fit', () => {
    expect(read([{ gate: 'H', qubit: 0 }], 5)).toMatchObject({ numQubits: 5, numBits: 0 });
  });

  test('have at least one qubit', () => {
    expect(read([{ gate: 'GPHASE', gamma: 1 }]).numQubits).toBe(1);
  });

  test('of an empty circuit are as wide as the caller says', () => {
    expect(read([], 3)).toEqual({ numQubits: 3, numBits: 0, operations: [] });
  });

  test('give M without bits the ones after the highest written so far', () => {
    const { operations, numBits } = read([
      { gate: 'M', qubits: [0, 1] },
      { gate: 'M', qubits: [2], bits: [7] },
      { gate: 'M', qubits: [0, 1] },
      { gate: 'M', qubits: [0], bits: [2] },
      { gate: 'M', qubits: [3] },
    ]);
    const bits = operations.map((operation) =>
      operation.kind === 'measure' ? operation.bits : [],
    );
    expect(bits).toEqual([[0, 1], [7], [8, 9], [2], [10]]);
    expect(numBits).toBe(11);
  });
});

describe('a condition', () => {
  const condition = { bits: [1, 0], value: 2 };
  test.each<[GateObject]>([
    [{ gate: 'X', qubit: 0 }],
    [
      {
        gate: 'UNITARY',
        qubits: [0],
        matrix: [
          [
            [1, 0],
            [0, 0],
          ],
          [
            [0, 0],
            [1, 0],
          ],
        ],
      },
    ],
    [{ gate: 'M', qubits: [0] }],
    [{ gate: 'RESET', qubits: [0] }],
  ])('stays on %j', (object) => {
    const { operations } = read([
      { gate: 'H', qubit: 0 },
      { gate: 'M', qubits: [0, 1] },
      { ...object, condition },
    ]);
    expect(operations[2]).toMatchObject({ condition });
  });

  test('reads up to 32 bits', () => {
    const bits = Array.from({ length: 32 }, (_, i) => i);
    const condition = { bits, value: 2 ** 32 - 1 };
    const measured = bits.map((bit): GateObject => ({ gate: 'M', qubit: 0, bits: [bit] }));
    const { operations } = read([...measured, { gate: 'X', qubit: 0, condition }]);
    expect(operations[32]).toMatchObject({ condition });
  });
});

test('hundreds of thousands of gate objects are read in time that is linear in their number', () => {
  // A reader in quadratic time took 3 s for 100,000, and would take 48 s.
  expectLinearTime(400_000, (numGates) => {
    const objects = Array.from(
      { length: numGates },
      (_, i): GateObject =>
        i % 2 === 0
          ? { gate: 'cx', control: i % 20, target: (i + 1) % 20 }
          : { gate: 'RZ', qubit: i % 20, theta: i },
    );
    const limits = { maxQubits: 20, maxGates: numGates };
    expect(circuitFromGateObjects(objects, { limits }).operations).toHaveLength(numGates);
  });
});
