import { describe, expect, test } from 'vitest';
import type { Circuit, GateOperation } from '../../../src/circuit/circuit.ts';
import {
  KEPT_ON_ADAPTER,
  KEPT_ON_CPU,
  KeptCircuits,
  keyOfCircuit,
  type PreparedCircuit,
} from '../../../src/fleet/workers/prepared-circuits.ts';
import {
  serializeCircuit,
  type WrittenCircuit,
  writeCircuit,
} from '../../../src/fleet/workers/sent-circuit.ts';
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

function written(circuit: Circuit): WrittenCircuit {
  const text = writeCircuit(circuit);
  if (text === undefined) throw new Error('unreachable: it has no matrix');
  return text;
}

describe('keyOfCircuit', () => {
  test.each([
    ['wide', written(rotation(0.1, { numQubits: 11 }))],
    ['long', written(rotation(0.1, { operations: Array(65).fill(RX) }))],
    ['with a matrix', instruction('ECHO')],
    ['serialized', serializeCircuit(rotation(0.1))],
  ])('gives none for a circuit that is %s', (_, circuit) => {
    expect(keyOfCircuit(circuit, KEPT_ON_CPU)).toBeUndefined();
  });

  test('gives one for a wide circuit on an adapter, whose programs hold no state', () => {
    const wide = written({ ...rotation(0.1), numQubits: 30 });
    expect(keyOfCircuit(wide, KEPT_ON_CPU)).toBeUndefined();
    expect(keyOfCircuit(wide, KEPT_ON_ADAPTER)).toBe(wide);
  });

  test('tells circuits that come as bytes apart on an adapter, up to a size', () => {
    const [a, again, b] = [0.1, 0.1, 0.2].map((angle) =>
      keyOfCircuit(serializeCircuit(rotation(angle)), KEPT_ON_ADAPTER),
    );
    expect(a).toMatch(/^[\w+/]{43}=$/);
    expect(a).toBe(again);
    expect(a).not.toBe(b);
    const limits = { ...KEPT_ON_ADAPTER, maxBytes: 10 };
    expect(keyOfCircuit(serializeCircuit(rotation(0.1)), limits)).toBeUndefined();
  });
});

describe('KeptCircuits', () => {
  test('gives back the circuit of a key and no other', async () => {
    const kept = new KeptCircuits(KEPT_ON_CPU);
    const [a, b] = [prepared('a', []), prepared('b', [])];
    await kept.keep(written(rotation(0.1)), a);
    await kept.keep(written(rotation(0.2)), b);
    for (const other of [rotation(0.3), rotation(0.1, { numQubits: 3 })]) {
      expect(kept.take(written(other))).toBeUndefined();
    }
    expect(kept.take(written(rotation(0.1)))).toBe(a);
    expect(kept.take(written(rotation(0.2)))).toBe(b);
  });

  function prepared(name: string, disposed: string[]): PreparedCircuit {
    return {
      executable: {
        run: () => Promise.reject(new Error('unreachable: never run')),
        [Symbol.asyncDispose]: async () => void disposed.push(name),
      },
      report: {} as PreparedCircuit['report'],
      reused: 'program',
    };
  }

  test('keeps sixteen, and disposes of the least recently used', async () => {
    const kept = new KeptCircuits(KEPT_ON_CPU);
    const disposed: string[] = [];
    for (let i = 0; i < 16; i++) await kept.keep(`${i}`, prepared(`${i}`, disposed));
    const used = kept.take('0');
    expect(used).toHaveProperty('reused', 'program');
    expect(kept.take('0')).toBeUndefined();
    await kept.keep('0', used!);
    expect(disposed).toEqual([]);
    await kept.keep('16', prepared('16', disposed));
    await kept.keep('17', prepared('17', disposed));
    expect(disposed).toEqual(['1', '2']);
    expect(kept.take('0')).toBe(used);
  });
});
