/** Circuits fitted to a device: they fit it, and mean the same. */
import { describe, expect, test } from 'vitest';
import type { Circuit, DynamicCircuit } from '../../../../src/circuit/circuit.ts';
import { readOpenQasm } from '../../../../src/circuit/openqasm/parse-openqasm.ts';
import { printOpenQasm } from '../../../../src/circuit/openqasm/print-openqasm.ts';
import { type Device, misfits, missingAbilities } from '../../../../src/compiler/device/device.ts';
import { fitCircuit, goodPart } from '../../../../src/compiler/device/fit-circuit.ts';
import { DEVICE_IDS, DEVICES, deviceOf } from '../../../../src/compiler/device/public-devices.ts';
import { CouplingMap } from '../../../../src/compiler/routing/coupling-map.ts';
import { gate } from '../../../support/random-circuits.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { exactOutcomes } from '../../../support/state-oracle.ts';
import { withoutIdleQubits } from '../../../support/used-qubits.ts';

const line = (n: number): Device => ({
  ...deviceOf(DEVICES['iqm-garnet']),
  numQubits: n,
  couplers: Array.from({ length: n - 1 }, (_, i) => [i, i + 1] as const),
});

/** A circuit of random gates on all pairs, measured into bits in an order of its own. */
function randomCircuit(numQubits: number, numGates: number, stream: RandomStream): Circuit {
  const operations = Array.from({ length: numGates }, () => {
    const a = stream.below(numQubits);
    const b = (a + 1 + stream.below(numQubits - 1)) % numQubits;
    return stream.below(2) === 0 ? gate('RX', [a], [], [stream.angle()]) : gate('CX', [b], [a]);
  });
  const qubits = Array.from({ length: numQubits }, (_, i) => i);
  const bits = qubits.map((q) => (q + 2) % numQubits);
  const measure = { kind: 'measure', qubits, bits } as const;
  return { numQubits, numBits: numQubits, operations: [...operations, measure] };
}

/** Holds a fitted circuit to the distribution of the bits of the given one. */
function expectSameOutcomes(fitted: Circuit, given: Circuit): void {
  const [found, expected] = [withoutIdleQubits(fitted), given].map(exactOutcomes);
  for (const label of new Set([...found!.keys(), ...expected!.keys()])) {
    expect(found!.get(label) ?? 0).toBeCloseTo(expected!.get(label) ?? 0, 9);
  }
}

describe.each(DEVICE_IDS)('on %s', (id) => {
  test.each([1, 2, 3])('a circuit keeps the distribution of its bits, seed %i', (seed) => {
    const stream = new RandomStream(seed);
    const device = deviceOf(DEVICES[id]);
    const circuit = randomCircuit(5, 25, stream);
    const fitted = fitCircuit(circuit, device, () => stream.uniform());
    expect(misfits(fitted.circuit, device)).toEqual([]);
    expectSameOutcomes(fitted.circuit, circuit);
  });
});

test('on a device whose couplers work one way, gates turn round', () => {
  const device: Device = {
    ...line(4),
    isSymmetric: false,
    nativeGates: ['ECR', 'RZ', 'SX', 'X'],
    couplers: [
      [1, 0],
      [1, 2],
      [3, 2],
    ],
  };
  const stream = new RandomStream(5);
  const circuit = randomCircuit(4, 20, stream);
  const fitted = fitCircuit(circuit, device, () => stream.uniform());
  expect(misfits(fitted.circuit, device)).toEqual([]);
  expectSameOutcomes(fitted.circuit, circuit);
});

test('a small circuit runs on the connected qubits with the smallest errors', () => {
  const device = line(8);
  const qubits = [0.1, 0.1, 0.1, 0.01, 0.01, 0.01, 0.1, 0.1];
  const errors = { qubits, couplers: device.couplers.map(() => 0.02) };
  const map = new CouplingMap(8, device.couplers);
  expect(goodPart(map, { ...device, errors }, 3)).toEqual([3, 4, 5]);
  const bad = errors.couplers.map((error, i) => (i === 3 ? 0.9 : error));
  // The coupler of 3 and 4 is bad now.
  expect(goodPart(map, { ...device, errors: { qubits, couplers: bad } }, 2)).toEqual([4, 5]);
});

test('a circuit that fits some line of a large device takes no SWAPs', () => {
  const chain = Array.from({ length: 29 }, (_, i) => gate('CX', [i + 1], [i]));
  const all = Array.from({ length: 30 }, (_, i) => i);
  const circuit: Circuit = {
    numQubits: 30,
    numBits: 30,
    operations: [gate('H', [0]), ...chain, { kind: 'measure', qubits: all, bits: all }],
  };
  const fitted = fitCircuit(circuit, deviceOf(DEVICES['ibm-fez']), () => 0.5);
  expect(fitted.numSwaps).toBe(0);
  expect(new Set(fitted.initialLayout).size).toBe(30);
});

test('text with the qubits of the device reads back as the same operations', () => {
  const stream = new RandomStream(9);
  const { circuit } = fitCircuit(
    randomCircuit(4, 20, stream),
    deviceOf(DEVICES['iqm-garnet']),
    () => stream.uniform(),
  );
  const text = printOpenQasm(circuit, '3', true);
  expect(text).not.toMatch(/qubit|q\[/);
  const read = readOpenQasm(text, { maxQubits: 20, maxGates: 10_000 }, { inputs: {} }).circuit;
  expect(read.operations).toEqual(circuit.operations);
});

describe('missingAbilities', () => {
  const none = { midCircuitMeasurement: false, reset: false, condition: false };
  const measure = { kind: 'measure', qubits: [0], bits: [0] } as const;
  const condition = { bits: [0], value: 1 };
  test.each([
    ['a gate after a measurement', [measure, gate('X', [0])], 1, 'after its measurement'],
    ['a reset', [{ kind: 'reset', qubits: [0] }, measure], 0, 'no reset'],
    ['a condition', [measure, { ...gate('X', [1]), condition }], 1, 'under conditions'],
  ] as const)('finds %s', (_, operations, index, words) => {
    const [found] = missingAbilities({ numQubits: 2, numBits: 1, operations }, none);
    expect(found?.index).toBe(index);
    expect(found?.message).toContain(words);
    const all = { midCircuitMeasurement: true, reset: true, condition: true };
    expect(missingAbilities({ numQubits: 2, numBits: 1, operations }, all)).toEqual([]);
  });

  test('finds noise, which only simulators have', () => {
    const errors = [{ flips: 1, signs: 0, probability: 0.1 }];
    const noise = { kind: 'noise', qubits: [0], channel: { kind: 'pauli', numQubits: 1, errors } };
    const all = { midCircuitMeasurement: true, reset: true, condition: true };
    const circuit = { numQubits: 1, numBits: 1, operations: [noise, measure] } as const;
    expect(missingAbilities(circuit as DynamicCircuit, all)).toEqual([
      { message: expect.stringContaining('Noise channels in a circuit need a simulator') },
    ]);
  });

  test('finds loops, which no device executes', () => {
    const loop = { kind: 'while', condition, body: [measure] } as const;
    const all = { midCircuitMeasurement: true, reset: true, condition: true };
    const circuit = { numQubits: 1, numBits: 1, operations: [loop] };
    expect(missingAbilities(circuit, all)[0]?.message).toContain('simulator');
  });
});
