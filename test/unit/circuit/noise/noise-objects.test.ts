import { describe, expect, test } from 'vitest';
import { InvalidCircuitError } from '../../../../src/circuit/errors.ts';
import type { GateObject } from '../../../../src/circuit/gate-object.ts';
import { gateObject } from '../../../../src/circuit/gate-object-schema.ts';
import {
  circuitFromGateObjects,
  noisyCircuitFromGateObjects,
  openCircuitFromGateObjects,
} from '../../../../src/circuit/gate-objects.ts';
import { inputColumns } from '../../../../src/circuit/input-columns.ts';
import { formFaults } from '../../../../src/errors/form-faults.ts';

const limits = { maxQubits: 8, maxGates: 10 };
const read = (...objects: readonly GateObject[]) =>
  noisyCircuitFromGateObjects(objects, { limits, numQubits: 4 });

function faultsOf(...objects: readonly GateObject[]): readonly string[] {
  try {
    read(...objects);
  } catch (error) {
    if (!(error instanceof InvalidCircuitError)) throw error;
    return error.faults.map(({ path, message }) => `${path}: ${message}`);
  }
  return [];
}

const bitFlip = { type: 'bit_flip', probability: 0.1 } as const;
const X = { kind: 'pauli', numQubits: 1, errors: [{ flips: 1, signs: 0, probability: 0.1 }] };

describe('NOISE', () => {
  test('on one qubit is applied to each of its qubits, under its condition', () => {
    const condition = { bits: [0], value: 1 };
    const { operations } = read(
      { gate: 'M', qubit: 0 },
      { gate: 'noise', qubits: [2, 1], channel: bitFlip, condition },
      { gate: 'NOISE', target: 3, channel: bitFlip },
    );
    expect(operations.slice(1)).toEqual([
      { kind: 'noise', qubits: [2], channel: X, condition },
      { kind: 'noise', qubits: [1], channel: X, condition },
      { kind: 'noise', qubits: [3], channel: X },
    ]);
  });

  test('on several qubits acts on them together; depolarizing takes their number from there', () => {
    const { operations } = read(
      { gate: 'NOISE', qubits: [2, 0], channel: { type: 'pauli', probabilities: { XI: 0.1 } } },
      { gate: 'NOISE', qubits: [2, 0], channel: { type: 'depolarizing', probability: 0.1 } },
      {
        gate: 'NOISE',
        qubits: [2, 0],
        channel: { type: 'depolarizing', probability: 0.1, num_qubits: 1 },
      },
    );
    expect(operations[0]).toMatchObject({ qubits: [2, 0], channel: { errors: [{ flips: 2 }] } });
    expect(operations[1]).toMatchObject({ qubits: [2, 0], channel: { numQubits: 2 } });
    expect(operations.slice(2)).toMatchObject([{ qubits: [2] }, { qubits: [0] }]);
  });

  test('that does nothing is left out', () => {
    expect(read({ gate: 'NOISE', qubits: [0], channel: { ...bitFlip, probability: 0 } })).toEqual({
      numQubits: 4,
      numBits: 0,
      operations: [],
    });
  });

  test('stands among gates whose angles are inputs', () => {
    const objects: readonly GateObject[] = [
      { gate: 'RX', qubit: 0, theta: { input: 'a' } },
      { gate: 'NOISE', qubits: [0], channel: bitFlip },
      { gate: 'RZ', qubit: 0, theta: { input: 'a', scale: 2 } },
    ];
    const inputs = inputColumns({ a: 0.25 });
    const { circuit } = openCircuitFromGateObjects(objects, { limits }, inputs, 0);
    expect(circuit.operations).toMatchObject([
      { angles: [0.25] },
      { channel: X },
      { angles: [0.5] },
    ]);
  });

  test.each<[GateObject, string]>([
    [
      { gate: 'NOISE', qubits: [0] },
      'circuit[0].channel: Missing; NOISE needs a channel, for example {"type": "bit_flip", "probability": 0.01}.',
    ],
    [{ gate: 'NOISE', channel: bitFlip }, 'circuit[0].qubits: NOISE needs `qubits`.'],
    [
      { gate: 'NOISE', qubits: [], channel: bitFlip },
      'circuit[0].qubits: NOISE acts on at least 1 qubit, but `qubits` names 0.',
    ],
    [
      { gate: 'NOISE', qubits: [4], channel: bitFlip },
      'circuit[0].qubits[0]: Qubit 4, but the circuit has 4 qubits (0 to 3); qubits count from 0.',
    ],
    [
      { gate: 'NOISE', qubits: [0, 1, 2], channel: { type: 'pauli', probabilities: { ZZ: 0.1 } } },
      'circuit[0].channel: The channel acts on 2 qubits, but 3 qubits are named.',
    ],
    [
      { gate: 'NOISE', qubits: [0], channel: { ...bitFlip, probability: 2 } },
      'circuit[0].channel.probability: probability must be from 0 to 1, not 2.',
    ],
    [
      { gate: 'NOISE', qubits: [0], control: 1, channel: bitFlip },
      'circuit[0].control: NOISE takes no controls.',
    ],
    [
      { gate: 'NOISE', qubits: [0], theta: 1, channel: bitFlip },
      'circuit[0].theta: NOISE takes no angles.',
    ],
    [
      { gate: 'H', qubit: 0, channel: bitFlip },
      'circuit[0].channel: H takes no channel; only NOISE does.',
    ],
  ])('%j is a fault with its path', (object, fault) => {
    expect(faultsOf(object)).toEqual([fault]);
  });

  test('counts against the limit of gates, once for each qubit', () => {
    const channels = { gate: 'NOISE', qubits: [0, 1, 2, 3], channel: bitFlip };
    expect(faultsOf(channels, channels, channels)).toEqual([
      'circuit: The circuit has 12 channels on qubits; the limit max_gates is 10.',
    ]);
  });

  test('has a limited number of Pauli strings in all; a channel that comes again counts once', () => {
    const wide = (i: number): GateObject => ({
      gate: 'NOISE',
      qubits: [0, 1, 2, 3, 4, 5],
      channel: { type: 'depolarizing', probability: i / 1000 },
    });
    const many = (count: number) => Array.from({ length: 300 }, (_, i) => wide(1 + (i % count)));
    const readMany = (count: number) => () =>
      noisyCircuitFromGateObjects(many(count), { limits: { ...limits, maxGates: 1000 } });
    expect(readMany(10)).not.toThrow();
    expect(readMany(300)).toThrow(
      'circuit[244].channel: The channels have too many Pauli strings and entries of Kraus matrices up to this one; the limit is 1000000.',
    );
  });

  test('is refused where a circuit without noise is needed', () => {
    const objects = [{ gate: 'NOISE', qubits: [0], channel: bitFlip }];
    expect(() => circuitFromGateObjects(objects, { limits })).toThrow(
      'circuit[0].gate: NOISE is not taken here; this needs a circuit without noise.',
    );
  });

  test('has the form of a channel: its unknown fields and types are faults', () => {
    const faults = (value: unknown) => {
      const { error } = gateObject.safeParse(value);
      return formFaults(error!, gateObject, value, ['circuit', 2]);
    };
    expect(faults({ gate: 'NOISE', qubits: [0], chanel: bitFlip })).toEqual([
      { path: 'circuit[2].chanel', message: 'NOISE takes channel, not chanel.' },
    ]);
    expect(
      faults({ gate: 'NOISE', qubits: [0], channel: { type: 'bit_flip', probability: '0.1' } }),
    ).toEqual([
      {
        path: 'circuit[2].channel.probability',
        message:
          'probability must be a number (for bit_flip, phase_flip, bit_phase_flip, depolarizing, reset, loss), not the string "0.1"; write 0.1 without quotation marks.',
      },
    ]);
  });
});
