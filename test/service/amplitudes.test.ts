/** Amplitudes of given basis states over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gateObjectsFromCircuit } from '../../src/circuit/gate-objects-from-circuit.ts';
import { basisLabel } from '../../src/math/basis-index.ts';
import { circuitRecord } from '../../src/service/circuits/circuit-schema.ts';
import { randomGates } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';
import type { TestService } from './support/test-service.ts';

let opened: FleetService;
let service: TestService;

beforeAll(async () => {
  opened = await openFleetService({}, ['ibm-fez']);
  ({ service } = opened);
});
afterAll(() => opened[Symbol.asyncDispose]());

type Body = Readonly<Record<string, unknown>>;
type Amplitudes = Readonly<Record<string, readonly [number, number]>>;

const ASK = { target_processor: 'qvm', shots: 1, return: ['amplitudes'] };

async function run(body: Body) {
  const answer = await service.submit({ ...ASK, ...body });
  expect([answer.statusCode, answer.body.slice(0, 600)]).toEqual([201, expect.anything()]);
  const { data } = answer.json();
  expect(circuitRecord.safeParse(data).error?.issues ?? []).toEqual([]);
  return data;
}

const ghz = (numQubits: number) => [
  { gate: 'H', qubit: 0 },
  ...Array.from({ length: numQubits - 1 }, (_, i) => ({ gate: 'CX', control: i, target: i + 1 })),
];
const near = (value: number) => expect.closeTo(value, 12);

test('a GHZ state of 200 qubits has two amplitudes of 1/√2', async () => {
  const [zeros, ones] = ['0'.repeat(200), '1'.repeat(200)];
  const others = [`${'0'.repeat(199)}1`, `0x8${'0'.repeat(49)}`];
  const basis_states = [ones, ...others, '0x0'];
  const data = await run({ circuit: ghz(200), basis_states });
  expect(data.method).toBe('sparse');
  const half = [near(Math.SQRT1_2), 0];
  expect(data.amplitudes).toEqual({
    [ones]: half,
    [others[0]!]: [0, 0],
    [others[1]!]: [0, 0],
    '0x0': half,
  });
  expect(data.counts).toBeUndefined();
  const again = await run({ circuit: ghz(200), basis_states: [zeros] });
  expect(again.amplitudes).toEqual({ [zeros]: half });
});

test('labels have qubit 0 rightmost and keep their order in the answer', async () => {
  const circuit = [
    { gate: 'X', qubit: 0 },
    { gate: 'RX', qubit: 2, theta: Math.PI / 2 },
  ];
  const answer = await service.submit({
    ...ASK,
    circuit,
    qubits: 3,
    basis_states: ['101', '10'.padStart(3, '0'), '0x1'],
  });
  const { amplitudes } = answer.json().data;
  expect(amplitudes).toEqual({
    101: [0, near(-Math.SQRT1_2)],
    '010': [0, 0],
    '0x1': [near(Math.SQRT1_2), 0],
  });
  const places = ['"101":', '"010":', '"0x1":'].map((name) => answer.body.indexOf(name));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

testSeeds('methods and processors agree with the state vector', seeds(2), async (seed) => {
  const numQubits = 5;
  const operations = randomGates(new RandomStream(40 + seed), numQubits, 25, 2);
  const basis_states = Array.from({ length: 2 ** numQubits }, (_, i) => basisLabel(i, numQubits));
  const circuit = gateObjectsFromCircuit({ operations });
  const body = { circuit, qubits: numQubits, basis_states };
  const { statevector } = await run({ ...body, return: ['statevector', 'amplitudes'] });
  for (const [target_processor, more, digits] of [
    ['qvm', { method: 'matrix_product_state', truncation_threshold: 1e-24 }, 10],
    ['qvm', { method: 'statevector' }, 12],
    ['statevector-sim', {}, 12],
    ['gpu-fleet', {}, 5],
  ] as const) {
    const data = await run({ ...body, target_processor, ...more });
    const amplitudes: Amplitudes = data.amplitudes;
    for (const [i, label] of basis_states.entries()) {
      for (const part of [0, 1] as const) {
        expect(amplitudes[label]![part]).toBeCloseTo(statevector[i][part], digits);
      }
    }
  }
});

test('pragmas ask for amplitudes of wide programs, beside those of the request', async () => {
  const [zeros, ones] = ['0'.repeat(100), '1'.repeat(100)];
  // In a program qubit 0 is leftmost.
  const qasm = `OPENQASM 3.0; include "stdgates.inc"; qubit[100] q; h q[0];
    for int i in [0:98] { cx q[i], q[i + 1]; }
    x q[0];
    #pragma braket result amplitude "1${zeros.slice(1)}"
    #pragma braket result amplitude "${zeros}", "0${ones.slice(1)}"`;
  const { circuit: _, ...data } = await run({ qasm, basis_states: [zeros, `${zeros.slice(1)}1`] });
  const half = [near(Math.SQRT1_2), 0];
  expect(data.amplitudes).toEqual({ [zeros]: [0, 0], [`${zeros.slice(1)}1`]: half });
  expect(data.results).toEqual([
    { type: 'amplitude', value: { [`1${zeros.slice(1)}`]: half } },
    { type: 'amplitude', value: { [zeros]: [0, 0], [`0${ones.slice(1)}`]: half } },
  ]);
});

describe('a request is refused', () => {
  const BELL = { circuit: ghz(2), basis_states: ['00', '11'] };
  const noise = { readout: [{ p1_given_0: 0.1, p0_given_1: 0.1 }] };
  test.each<[string, Body, string, string]>([
    ['without labels', { basis_states: undefined }, 'basis_states', 'Required: return has "ampli'],
    ['with labels alone', { return: ['counts'] }, 'basis_states', 'Only taken where return has'],
    ['of no label', { basis_states: [] }, 'basis_states', 'must have at least 1 entry'],
    [
      'of too many',
      { basis_states: Array.from({ length: 1025 }, () => '00') },
      'basis_states',
      'must have at most 1024 entries; it has 1025',
    ],
    [
      'for another width',
      { basis_states: ['00', '011'] },
      'basis_states[1]',
      'The label has 3 bits; the circuit has 2 qubits.',
    ],
    [
      'for a number that is too large',
      { basis_states: ['0x4'] },
      'basis_states[0]',
      'The number is not below 2^2; the circuit has 2 qubits.',
    ],
    [
      'for one state twice',
      { basis_states: ['11', '0x3'] },
      'basis_states[1]',
      'The same basis state as basis_states[0].',
    ],
    [
      'for a label that is none',
      { basis_states: ['0b11'] },
      'basis_states[0]',
      'must be bits, such as 0101, or a number such as 0x1f, not the string "0b11"',
    ],
    ['with noise', { noise }, 'return', 'amplitudes needs a pure state; with noise'],
    [
      'of a density matrix',
      { method: 'density_matrix' },
      'return',
      'amplitudes needs a pure state; the method density_matrix has none.',
    ],
    [
      'of stabilizers',
      { method: 'stabilizer' },
      'method',
      'stabilizer has no amplitudes, because it does not keep their global phase.',
    ],
    [
      'after a measurement in mid-circuit',
      { circuit: [...ghz(2), { gate: 'M', qubit: 0 }, { gate: 'H', qubit: 0 }] },
      'return',
      'amplitudes needs a circuit whose measurements are all last',
    ],
    [
      'on an emulated device',
      { target_processor: 'emulator-ibm-fez' },
      'return',
      'emulator-ibm-fez does not give amplitudes; qvm does.',
    ],
  ])('%s', async (_, more, path, message) => {
    const answer = await service.submit({ ...ASK, ...BELL, ...more });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details).toContainEqual(
      expect.objectContaining({ path, message: expect.stringContaining(message) }),
    );
  });
});
