/** Detection events and detector error models over HTTP. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { circuitRecord } from '../../src/service/circuits/circuit-schema.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';
import type { TestService } from './support/test-service.ts';

let opened: FleetService;
let service: TestService;

beforeAll(async () => {
  opened = await openFleetService({}, ['ibm-fez']);
  ({ service } = opened);
});
afterAll(() => opened[Symbol.asyncDispose]());

const P = 0.125;
const SHOTS = 20_000;
/** Qubit 1 checks qubit 0, which is flipped with probability P, and is misread with probability P. */
const CHECK = {
  circuit: [
    { gate: 'NOISE', qubits: [0], channel: { type: 'bit_flip', probability: P } },
    { gate: 'CX', control: 0, target: 1 },
    { gate: 'M', qubits: [1], bits: [0] },
    { gate: 'M', qubits: [0], bits: [1] },
  ],
  noise: { readout: [{ qubits: [1], p1_given_0: P, p0_given_1: P }] },
  target_processor: 'qvm',
  shots: SHOTS,
  seed: 3,
  detectors: [[0], [0, 1]],
  logical_observables: [[1]],
  return: ['counts', 'detection_events', 'detector_error_model'],
};

async function run(more: Readonly<Record<string, unknown>> = {}) {
  const answer = await service.submit({ ...CHECK, ...more });
  expect([answer.statusCode, answer.body.slice(0, 600)]).toEqual([201, expect.anything()]);
  const { data } = answer.json();
  expect(circuitRecord.safeParse(data).error?.issues ?? []).toEqual([]);
  return data;
}

/** Occurrences of each row of one byte. */
function rowsOf({ data, bytes_per_shot }: { data: string; bytes_per_shot: number }) {
  expect(bytes_per_shot).toBe(1);
  const rows = Array<number>(8).fill(0);
  for (const row of Buffer.from(data, 'base64')) rows[row]! += 1;
  return rows;
}

test.each(['stabilizer', 'density_matrix', 'statevector'])(
  'by %s the events are those of the counts',
  async (method) => {
    const { counts, detection_events: events, ...data } = await run({ method });
    expect(data.method).toBe(method);
    const { num_detectors, num_logical_observables } = events;
    expect({ num_detectors, num_logical_observables }).toEqual({
      num_detectors: 2,
      num_logical_observables: 1,
    });
    // A flip alone fires detector 0 and the observable; a misreading alone fires both detectors.
    const rows = rowsOf(events);
    expect([rows[0], rows[0b101], rows[0b011], rows[0b110]]).toEqual([
      counts['00'],
      counts['11'],
      counts['01'],
      counts['10'],
    ]);
    expect(rows.reduce((sum, each) => sum + each, 0)).toBe(SHOTS);
    expect(data.detector_error_model).toBe(`error(${P}) D0 D1\nerror(${P}) D0 L0\n`);
    // Ten standard deviations.
    expect(Math.abs(rows[0b101]! / SHOTS - P * (1 - P))).toBeLessThan(0.025);
  },
);

test('there may be more detectors than other lists have entries', async () => {
  const detectors = Array.from({ length: 5000 }, (_, i) => [i % 2]);
  const { detection_events: events } = await run({ detectors, shots: 10 });
  expect(events.num_detectors).toBe(5000);
});

test('the same seed gives the same events in the order of memory', async () => {
  const asked = { return: ['memory', 'detection_events'] };
  const [one, other] = [await run(asked), await run(asked)];
  expect(other.detection_events).toEqual(one.detection_events);
  const rows = { '00': 0, '11': 0b101, '01': 0b011, '10': 0b110 };
  const labels: readonly (keyof typeof rows)[] = one.memory;
  const bytes = Buffer.from(one.detection_events.data, 'base64');
  expect([...bytes]).toEqual(labels.map((label) => rows[label]));
});

test('events and errors of parts of a channel that exclude each other have the same rate', async () => {
  const data = await run({
    circuit: [
      {
        gate: 'NOISE',
        qubits: [0],
        channel: { type: 'pauli', probabilities: { X: 0.1, Y: 0.1 } },
      },
      { gate: 'M', qubits: [0], bits: [0] },
    ],
    noise: undefined,
    detectors: [[0]],
    logical_observables: undefined,
  });
  expect(data.detector_error_model).toBe('error(0.2) D0\n');
  // Ten standard deviations.
  expect(Math.abs(rowsOf(data.detection_events)[1]! / SHOTS - 0.2)).toBeLessThan(0.03);
});

test('a model is approximate, whole or of known parts where the request says so', async () => {
  const flips = (string: string) => ({
    gate: 'NOISE',
    qubits: [0, 1, 2],
    channel: { type: 'pauli', probabilities: { [string]: 0.1 } },
  });
  const circuit = [flips('XXX'), flips('XII'), { gate: 'M', qubits: [0, 1, 2], bits: [0, 1, 2] }];
  const asked = {
    circuit,
    noise: undefined,
    detectors: [[0], [1], [2]],
    logical_observables: undefined,
  };
  const textOf = async (detector_error_model: Readonly<Record<string, boolean>>, more = {}) =>
    (await run({ ...asked, ...more, detector_error_model })).detector_error_model;
  expect(await textOf({})).toBe('error(0.1) D2\nerror(0.1) D2 ^ D0 D1\n');
  const whole = 'error(0.1) D0 D1 D2\nerror(0.1) D2\n';
  expect(await textOf({ decompose_errors: false })).toBe(whole);
  expect(await textOf({ block_decomposition_from_introducing_remnant_edges: true })).toBe(whole);
  const either = {
    gate: 'NOISE',
    qubits: [0, 1],
    channel: { type: 'pauli', probabilities: { IX: 0.1, XI: 0.1 } },
  };
  const approximated = { circuit: [either, ...circuit.slice(2)] };
  expect(await textOf({ approximate_disjoint_errors: true }, approximated)).toContain(
    'error(0.1) D0\nerror(0.1) D1\n',
  );
});

test('parities are declared for OpenQASM, too, and compared with those without errors', async () => {
  const { circuit: _, noise: __, ...others } = CHECK;
  const qasm =
    'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; x q[0]; cx q[0], q[1]; c[0] = measure q[1]; c[1] = measure q[0];';
  const answer = await service.submit({ ...others, qasm, return: ['counts', 'detection_events'] });
  const { data } = answer.json();
  expect(data.counts).toEqual({ '11': SHOTS });
  expect(rowsOf(data.detection_events)[0]).toBe(SHOTS);
});

test.each([
  [
    'no declared parities',
    { detectors: undefined, logical_observables: undefined },
    'detectors',
    'Required',
  ],
  ['parities that nothing asks for', { return: ['counts'] }, 'detectors', 'Only taken where'],
  [
    'a bit that is not there',
    { detectors: [[0], [2]] },
    'detectors[1][0]',
    'The circuit has no bit 2',
  ],
  ['a negative bit', { detectors: [[-1]] }, 'detectors[0][0]', 'must be at least 0, not -1'],
  [
    'noise that no independent errors are',
    {
      circuit: [
        {
          gate: 'NOISE',
          qubits: [0, 1],
          channel: { type: 'pauli', probabilities: { IX: 0.1, XI: 0.1 } },
        },
        { gate: 'M', qubits: [0, 1], bits: [0, 1] },
      ],
    },
    'detector_error_model.approximate_disjoint_errors',
    'the channel on qubits 0, 1, whose errors exclude each other',
  ],
  [
    'a readout error that depends on the bit',
    { noise: { readout: [{ p1_given_0: 0.1, p0_given_1: 0.2 }] } },
    'detector_error_model.approximate_disjoint_errors',
    'the readout of bit 1, whose p1_given_0 of 0.1 is not its p0_given_1 of 0.2',
  ],
  [
    'an error that cannot be split',
    {
      circuit: [
        {
          gate: 'NOISE',
          qubits: [0, 1, 2],
          channel: { type: 'pauli', probabilities: { XXX: 0.1 } },
        },
        { gate: 'M', qubits: [0, 1, 2], bits: [0, 1, 2] },
      ],
      noise: undefined,
      detectors: [[0], [1], [2]],
      logical_observables: undefined,
      detector_error_model: { ignore_decomposition_failures: false },
    },
    'detector_error_model.ignore_decomposition_failures',
    'The error that flips D0 D1 D2 is no combination',
  ],
  [
    'options of a model that is not asked for',
    { return: ['detection_events'], detector_error_model: {} },
    'detector_error_model',
    'Only taken where return has "detector_error_model"',
  ],
  [
    'an option that there is none of',
    { detector_error_model: { fold_loops: true } },
    'detector_error_model.fold_loops',
    'There is no field "fold_loops"',
  ],
  ['a bit that is no number', { detectors: [['c0']] }, 'detectors[0][0]', 'must be a whole number'],
  ['an empty detector', { detectors: [[]] }, 'detectors[0]', 'must have at least 1 entry'],
  ['no detector', { detectors: [] }, 'detectors', 'must have at least 1 entry'],
  ['a number for a detector', { detectors: [[0], 0] }, 'detectors[1]', 'must be a list, not 0'],
  [
    'a random parity',
    {
      circuit: [
        { gate: 'H', qubit: 0 },
        { gate: 'M', qubits: [0], bits: [0] },
      ],
      detectors: [[0]],
      logical_observables: undefined,
    },
    'detectors[0]',
    'differs between runs without errors',
  ],
  [
    'a circuit that is not Clifford',
    {
      circuit: [
        { gate: 'T', qubit: 0 },
        { gate: 'M', qubits: [0, 1], bits: [0, 1] },
      ],
    },
    'detectors',
    'T on qubit 0 is neither',
  ],
  [
    'an emulated device',
    { target_processor: 'emulator-ibm-fez', noise: undefined },
    'return',
    'detection_events',
  ],
])('%s: refused with the path to the fault', async (_, more, path, message) => {
  const answer = await service.submit({ ...CHECK, ...more });
  expect(answer.statusCode).toBe(400);
  const { details } = answer.json().error;
  expect(details).toContainEqual(
    expect.objectContaining({ path, message: expect.stringContaining(message) }),
  );
});
