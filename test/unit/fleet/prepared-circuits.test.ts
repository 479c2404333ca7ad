import { describe, expect, test } from 'vitest';
import type { Circuit, GateOperation } from '../../../src/circuit/circuit.ts';
import {
  KEPT_ON_ADAPTER,
  KEPT_ON_CPU,
  keyOfCircuit,
  PreparedCircuits,
  type PreparedRun,
} from '../../../src/fleet/prepared-circuits.ts';
import { serializeCircuit } from '../../../src/fleet/serialized-circuit.ts';
import { instruction } from '../../support/fleet-fixtures.ts';

const RX: GateOperation = { kind: 'gate', gate: 'RX', controls: [], targets: [0], angles: [0.1] };

function rotation(theta: number, more: Partial<Circuit> = {}): Circuit {
  return {
    numQubits: 2,
    numBits: 1,
    operations: [
      { kind: 'gate', gate: 'RX', controls: [], targets: [0], angles: [theta] },
      { kind: 'measure', qubits: [0], bits: [0] },
    ],
    ...more,
  };
}

describe('keyOfCircuit', () => {
  test('tells circuits apart by anything that they differ in', () => {
    const [gate, measure] = rotation(0.1).operations;
    const circuits = [
      rotation(0.1),
      rotation(0.1 + 2 ** -56),
      rotation(0.1, { numQubits: 3 }),
      rotation(0.1, { numBits: 2 }),
      rotation(0.1, { operations: [measure!, gate!] }),
      rotation(0.1, { operations: [{ ...RX, condition: { bits: [0], value: 1 } }, measure!] }),
    ];
    expect(new Set(circuits.map((circuit) => keyOfCircuit(circuit, KEPT_ON_CPU))).size).toBe(
      circuits.length,
    );
    expect(keyOfCircuit(rotation(0.1), KEPT_ON_CPU)).toBe(keyOfCircuit(rotation(0.1), KEPT_ON_CPU));
  });

  test.each([
    ['wide', rotation(0.1, { numQubits: 11 })],
    ['long', rotation(0.1, { operations: Array(65).fill(rotation(0.1).operations[0]) })],
    ['with a matrix', instruction('ECHO')],
    ['serialized', serializeCircuit(rotation(0.1))],
  ])('gives none for a circuit that is %s', (_, circuit) => {
    expect(keyOfCircuit(circuit, KEPT_ON_CPU)).toBeUndefined();
  });

  test('tells wide and long circuits apart on an adapter, whose programs hold no state', () => {
    const wide = { ...rotation(0.1), numQubits: 30 };
    expect(keyOfCircuit(wide, KEPT_ON_CPU)).toBeUndefined();
    const others = [rotation(0.1), { ...rotation(0.2), numQubits: 30 }];
    const keys = [wide, ...others].map((circuit) => keyOfCircuit(circuit, KEPT_ON_ADAPTER));
    expect(new Set(keys).size).toBe(3);
    expect(keys).not.toContain(undefined);
  });

  test('tells circuits that come as bytes apart on an adapter, up to a size', () => {
    const [a, again, b] = [0.1, 0.1, 0.2].map((angle) =>
      keyOfCircuit(serializeCircuit(rotation(angle)), KEPT_ON_ADAPTER),
    );
    expect(a).toBeDefined();
    expect(a).toBe(again);
    expect(a).not.toBe(b);
    const limits = { ...KEPT_ON_ADAPTER, maxBytes: 10 };
    expect(keyOfCircuit(serializeCircuit(rotation(0.1)), limits)).toBeUndefined();
  });
});

describe('PreparedCircuits', () => {
  function prepared(name: string, disposed: string[]): PreparedRun {
    return {
      executable: {
        run: () => Promise.reject(new Error('unreachable: never run')),
        [Symbol.asyncDispose]: async () => void disposed.push(name),
      },
      report: {} as PreparedRun['report'],
    };
  }

  test('keeps sixteen, and disposes of the least recently used', async () => {
    const kept = new PreparedCircuits(KEPT_ON_CPU);
    const disposed: string[] = [];
    for (let i = 0; i < 16; i++) await kept.keep(`${i}`, prepared(`${i}`, disposed));
    const used = kept.take('0');
    expect(used).toBeDefined();
    expect(kept.take('0')).toBeUndefined();
    await kept.keep('0', used!);
    expect(disposed).toEqual([]);
    await kept.keep('16', prepared('16', disposed));
    await kept.keep('17', prepared('17', disposed));
    expect(disposed).toEqual(['1', '2']);
    expect(kept.take('0')).toBe(used);
  });
});
