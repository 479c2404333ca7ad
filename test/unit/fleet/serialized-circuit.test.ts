import { expect, test } from 'vitest';
import type { Circuit, DynamicCircuit, Operation } from '../../../src/circuit/circuit.ts';
import {
  circuitOf,
  serializeCircuit,
  sizeOfCircuit,
} from '../../../src/fleet/workers/sent-circuit.ts';

const circuit: Circuit = {
  numQubits: 3,
  numBits: 1,
  operations: [
    { kind: 'gate', gate: 'RX', controls: [2], targets: [0], angles: [0.1] },
    {
      kind: 'unitary',
      controls: [],
      targets: [1],
      matrix: Float64Array.of(0, 0, 1, 0, 1, 0, 0, 0),
    },
    { kind: 'measure', qubits: [1], bits: [0], condition: { bits: [0], value: 1 } },
  ],
};

test('a circuit comes back from shared memory as it was, matrices included', () => {
  const serialized = serializeCircuit(circuit);
  expect(serialized.numQubits).toBe(3);
  expect(serialized.bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
  expect(circuitOf(serialized)).toEqual(circuit);
});

test('so does one of many operations, each in its place', () => {
  const operations = Array.from(
    { length: 10_000 },
    (_, i): Operation => ({
      kind: 'gate',
      gate: 'RX',
      controls: [],
      targets: [i % 3],
      angles: [i],
    }),
  );
  const long: Circuit = { ...circuit, operations };
  expect(circuitOf(serializeCircuit(long))).toEqual(long);
  const empty: Circuit = { ...circuit, operations: [] };
  expect(circuitOf(serializeCircuit(empty))).toEqual(empty);
});

test('a loop comes back as it was, and what is in it counts', () => {
  const { operations } = circuit;
  const body = [...operations, ...operations];
  const loop: DynamicCircuit = {
    ...circuit,
    control: { numScratchBits: 1, maxRounds: 10 },
    operations: [{ kind: 'while', condition: { bits: [1], value: 1 }, body }],
  };
  const serialized = serializeCircuit(loop);
  expect(circuitOf(serialized)).toEqual(loop);
  expect(serialized.work.numOperations).toBe(1 + body.length);
  expect(sizeOfCircuit(loop)).toBeGreaterThan(2 * sizeOfCircuit(circuit));
});

test('circuits that differ in the strengths of noise alone have the same bytes', () => {
  const noisy = (p: number): DynamicCircuit => {
    const channel = {
      kind: 'pauli',
      numQubits: 1,
      errors: [{ flips: 1, signs: 0, probability: p }],
    };
    const noise = { kind: 'noise', qubits: [0], channel } as const;
    const misread = { kind: 'misread', bits: [0], p1Given0: p, p0Given1: p / 2 } as const;
    return {
      ...{ numQubits: 1, numBits: 1 },
      operations: [noise, misread, { kind: 'repeat', count: 3, body: [noise, misread] }],
    } as DynamicCircuit;
  };
  const [weak, strong] = [serializeCircuit(noisy(0.1)), serializeCircuit(noisy(0.2))];
  expect(weak.bytes).toEqual(strong.bytes);
  expect(circuitOf(weak)).toEqual(noisy(0.1));
  expect(circuitOf(strong)).toEqual(noisy(0.2));
});

test('a circuit of objects is taken as it is', () => {
  expect(circuitOf(circuit)).toBe(circuit);
});

test('the size of a circuit grows with its operations', () => {
  const longer = { ...circuit, operations: [...circuit.operations, ...circuit.operations] };
  expect(sizeOfCircuit(longer)).toBe(2 * sizeOfCircuit(circuit));
});
