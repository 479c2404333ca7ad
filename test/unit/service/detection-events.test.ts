/** Declared parities: their faults, and their values in shots. */
import { expect, test } from 'vitest';
import type { DynamicCircuit } from '../../../src/circuit/circuit.ts';
import { FaultList } from '../../../src/circuit/errors.ts';
import { noisyCircuitFromGateObjects } from '../../../src/circuit/gate-objects.ts';
import {
  checkShotFormat,
  declaredParities,
  detectionEvents,
  readDetection,
} from '../../../src/service/circuits/detection-events.ts';

const LIMITS = { maxQubits: 20, maxGates: 1000 };
/** Bits 0 and 1 are equal; bit 2 is 1. */
const PAIR = circuitOf([
  { gate: 'H', qubit: 0 },
  { gate: 'CX', control: 0, target: 1 },
  { gate: 'X', qubit: 2 },
  { gate: 'NOISE', qubits: [0], channel: { type: 'bit_flip', probability: 0.1 } },
  { gate: 'M', qubits: [0, 1, 2], bits: [0, 1, 2] },
]);

function circuitOf(gates: Parameters<typeof noisyCircuitFromGateObjects>[0]): DynamicCircuit {
  return noisyCircuitFromGateObjects(gates, { limits: LIMITS });
}

const read = (
  fields: Parameters<typeof declaredParities>[0],
  circuit = PAIR,
  outputs: readonly string[] = ['detection_events', 'detector_error_model'],
) => {
  const faults = new FaultList();
  const parities = declaredParities(fields);
  const detection =
    parities &&
    readDetection(
      parities,
      undefined,
      { circuit, outputs, losesQubits: false, mayTakeLong: true },
      faults,
    );
  return { detection, faults: faults.kept };
};

test('knows the parities without errors and the errors, and declares what none flips', () => {
  const detectors = [[0, 1], [2]];
  const { detection, faults } = read({ detectors, logical_observables: [[1, 0], [2]] });
  expect(faults).toEqual([]);
  expect([...(detection?.expected ?? [])]).toEqual([0, 1, 0, 1]);
  const declared = 'detector D1\nlogical_observable L1\n';
  expect(detection?.errorModel).toBe(`error(0.1) D0 L0\n${declared}`);
});

test('packs the events of all shots, each as often as it was drawn', () => {
  const { detection } = read({
    detectors: [[0, 1], [2], ...Array(7).fill([2])],
    logical_observables: [[0, 1]],
  });
  if (detection === undefined) throw new Error('There is no detection.');
  const counts = {
    numBits: 3,
    wordsPerOutcome: 1,
    outcomes: Uint32Array.of(0b001, 0b011, 0b100),
    occurrences: Uint32Array.of(2, 1, 3),
  };
  const { data, ...figures } = detectionEvents(counts, detection, 5, 'b8');
  expect(figures).toEqual({
    num_detectors: 9,
    num_logical_observables: 1,
    shots: 6,
    bytes_per_shot: 2,
    format: 'b8',
  });
  const bytes = Buffer.from(data, 'base64');
  const shots = Array.from({ length: 6 }, (_, shot) => bytes.readUInt16LE(2 * shot));
  // Bit 0 is the pair, bits 1 to 8 are bit 2, which is expected to be 1, and bit 9 is the pair again.
  const of = { '001': 0b11_1111_1111, '011': 0b01_1111_1110, '100': 0 };
  expect(shots.toSorted((a, b) => a - b)).toEqual([0, 0, 0, of['011'], of['001'], of['001']]);
});

test('parities of many bits, detectors and outcomes are those of the bits one by one', () => {
  const [numBits, numOutcomes, numDetectors] = [70, 45, 41];
  const word = (i: number) => Math.imul(i + 7, 0x85ebca6b) >>> 0;
  const wordsPerOutcome = 3;
  const outcomes = Uint32Array.from({ length: numOutcomes * wordsPerOutcome }, (_, i) => word(i));
  const detectors = Array.from({ length: numDetectors }, (_, d) => [d, d + 29, (3 * d) % 28]);
  const expected = Uint8Array.from({ length: numDetectors + 1 }, (_, d) => word(d) & 1);
  const detection = { detectors, logicalObservables: [[69]], expected };
  const occurrences = new Uint32Array(numOutcomes).fill(1);
  const counts = { numBits, wordsPerOutcome, outcomes, occurrences };
  const { data, bytes_per_shot: width = 0 } = detectionEvents(counts, detection, 5, 'b8');
  const bitOf = (outcome: number, bit: number) =>
    (outcomes[outcome * wordsPerOutcome + (bit >>> 5)]! >>> (bit & 31)) & 1;
  const rowOf = (outcome: number) =>
    [...detectors, [69]]
      .map((bits, d) => bits.reduce((sum, bit) => sum ^ bitOf(outcome, bit), expected[d]!))
      .join('');
  const bytes = Buffer.from(data, 'base64');
  const rows = Array.from({ length: numOutcomes }, (_, shot) =>
    Array.from(
      { length: numDetectors + 1 },
      (__, d) => (bytes[shot * width + (d >>> 3)]! >>> (d & 7)) & 1,
    ).join(''),
  );
  expect(rows.sort()).toEqual(Array.from({ length: numOutcomes }, (_, i) => rowOf(i)).sort());
});

test.each([
  [{ detectors: [[0, 7]] }, 'detectors[0][1]', 'The circuit has no bit 7; it has bits 0 to 2.'],
  [
    {
      detectors: [
        [0, 1],
        [2, 2],
      ],
    },
    'detectors[1][1]',
    'Bit 2 is named twice.',
  ],
  [{ logical_observables: [[3]] }, 'logical_observables[0][0]', 'The circuit has no bit 3'],
  [
    { detectors: [[2]], logical_observables: [[0, 1], [0]] },
    'logical_observables[1]',
    'depends on a random outcome',
  ],
])('%o is refused at %s', (fields, field, message) => {
  expect(read(fields).faults).toEqual([
    expect.objectContaining({ path: field, message: expect.stringContaining(message) }),
  ]);
});

test.each([
  [
    [
      { gate: 'T', qubit: 0 },
      { gate: 'M', qubits: [0], bits: [0] },
    ],
    'T on qubit 0 is neither',
  ],
  [
    [
      { gate: 'M', qubits: [0], bits: [0] },
      { gate: 'H', qubit: 0, condition: { bits: [0], value: 1 } },
      { gate: 'M', qubits: [0], bits: [1] },
    ],
    'with an operation other than a Pauli gate under a condition: whether an error flips',
  ],
])('%j has no detectors', (gates, message) => {
  const circuit = circuitOf(gates as Parameters<typeof circuitOf>[0]);
  expect(read({ detectors: [[0]] }, circuit).faults).toEqual([
    expect.objectContaining({ path: 'detectors', message: expect.stringContaining(message) }),
  ]);
});

test('events that are too long for an answer are refused, by their most bytes in the format', () => {
  const refused = (format: 'b8' | '01', shots: number) => {
    const faults = new FaultList();
    checkShotFormat(format, shots, { detection_events: 8 }, faults);
    return faults.kept.map(({ path, code }) => [path, code]);
  };
  const [fits, tooMany] = [[], [['return', 'CIRCUIT_LIMIT_EXCEEDED']]];
  expect([refused('b8', 2 ** 25), refused('b8', 2 ** 25 + 1)]).toEqual([fits, tooMany]);
  expect([refused('01', 2 ** 21), refused('01', 2 ** 22)]).toEqual([fits, tooMany]);
});
