// @needs processes
/** Batches on emulated devices: checked once against the device, run by the simulator, estimated from counts alone. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { batchRecord } from '../../src/service/schemas/batches.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';

let opened: FleetService;

beforeAll(async () => {
  opened = await openFleetService({}, ['iqm-garnet', 'ibm-fez']);
});
afterAll(() => opened[Symbol.asyncDispose]());

const GARNET = 'emulator-iqm-garnet';
const FEZ = 'emulator-ibm-fez';

type Body = Readonly<Record<string, unknown>>;

const post = (url: string, body: Body) =>
  opened.service.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  });

async function run(target: string, programs: readonly Body[], more: Body = {}) {
  const answer = await post('/quantum/batches', {
    target_processor: target,
    seed: 2026,
    programs,
    ...more,
  });
  expect([answer.statusCode, answer.body.slice(0, 500)]).toEqual([201, expect.anything()]);
  const { data } = answer.json();
  expect(batchRecord.safeParse(data).error?.issues ?? []).toEqual([]);
  return data;
}

async function faultsOf(target: string, programs: readonly Body[], more: Body = {}) {
  const answer = await post('/quantum/batches', { target_processor: target, programs, ...more });
  expect(answer.statusCode).toBe(400);
  return answer
    .json()
    .error.details.map(({ path, message }: Readonly<Record<string, string>>) => [path, message]);
}

/** An angle on qubit 9 of Garnet, and CZ with its neighbour 4. */
const SWEEP = [
  { gate: 'PRX', qubit: 9, theta: { input: 'a' }, phi: 0 },
  { gate: 'PRX', qubit: 4, theta: Math.PI / 2, phi: Math.PI / 2 },
  { gate: 'CZ', control: 9, target: 4 },
  { gate: 'PRX', qubit: 4, theta: -Math.PI / 2, phi: Math.PI / 2 },
];
const MEASURED = [...SWEEP, { gate: 'M', qubits: [4, 9], bits: [0, 1] }];
const ANGLES = [0, 0.5, 1, Math.PI];

describe('a batch on an emulated device', () => {
  test('gives each point the counts that its circuit has alone with its seed', async () => {
    const program = { circuit: MEASURED, inputs: { a: ANGLES }, shots: 500 };
    const record = await run(GARNET, [program]);
    const [result] = record.programs;
    expect(result).toMatchObject({ points: 4, qubits: 10, measured_qubits: [4, 9], seed: 2026 });
    expect(result.counts[0]).toEqual({ '00': 500 });
    expect(result.counts[3]).toEqual({ '11': 500 });
    expect(record.executed_on).toEqual([
      expect.objectContaining({
        backend: expect.objectContaining({ emulates: 'IQM Garnet' }),
        circuits: 4,
      }),
    ]);
    for (const [point, a] of ANGLES.entries()) {
      const circuit = [{ ...MEASURED[0], theta: a }, ...MEASURED.slice(1)];
      const body = { circuit, target_processor: GARNET, shots: 500, seed: 2026 + point };
      const alone = (await post('/quantum/circuits', body)).json().data;
      expect(result.counts[point]).toEqual(alone.counts);
    }
  });

  test('runs on a few qubits of a device that is too large to simulate', async () => {
    const qasm =
      'OPENQASM 3.0; include "stdgates.inc"; input float x; bit[2] c; sx $150; rz(x) $150; sx $150; cz $150, $151; c[0] = measure $150; c[1] = measure $151;';
    const record = await run(FEZ, [{ qasm, inputs: { x: [Math.PI, 0] }, shots: 100 }]);
    expect(record.programs[0].counts).toEqual([{ '00': 100 }, { '01': 100 }]);
    expect(record.programs[0].measured_qubits).toEqual([150, 151]);
  });

  test('estimates expectation values and gradients from counts', async () => {
    const observables = [{ pauli: 'Z9' }, { pauli: 'Z4 Z9' }, { pauli: 'Y9' }, { pauli: 'Z19' }];
    const program = {
      circuit: SWEEP,
      inputs: { a: ANGLES },
      observables,
      shots: 20_000,
      return: ['expectation', 'gradient'],
    };
    const [result] = (await run(GARNET, [program])).programs;
    for (const [point, a] of ANGLES.entries()) {
      // CX of qubit 9 on qubit 4: Z4 Z9 stays 1, and qubit 19, which the circuit does not name, stays 0.
      const exact = [Math.cos(a), 1, 0, 1];
      const slopes = [-Math.sin(a), 0, 0, 0];
      for (const [o, value] of exact.entries()) {
        expect(Math.abs(result.expectation[point][o] - value)).toBeLessThan(0.05);
        expect(Math.abs(result.gradient[point][o][0] - (slopes[o] ?? 0))).toBeLessThan(0.05);
      }
      expect(result.standard_error[point][1]).toBe(0);
    }
  });

  test('refuses what does not fit, once for all points, with the path of each operation', async () => {
    const unfit = [
      { gate: 'H', qubit: 0 },
      { gate: 'CZ', control: 0, target: 9 },
      { gate: 'PRX', qubit: 0, theta: { input: 'a' }, phi: 0 },
      { gate: 'M', qubits: [0] },
    ];
    const programs = [
      { circuit: MEASURED, inputs: { a: 1 } },
      { circuit: unfit, inputs: { a: ANGLES } },
    ];
    expect(await faultsOf(GARNET, programs, { shots: 10 })).toEqual([
      ['programs[1].circuit[0]', 'H is no native gate; those are PRX, CZ.'],
      ['programs[1].circuit[1]', 'CZ acts on qubits 0 and 9, which nothing couples.'],
    ]);
    const all = { qasm: 'OPENQASM 3.0; include "stdgates.inc"; qubit[156] q; x q[155];' };
    expect(await faultsOf(FEZ, [all], { shots: 10 })).toEqual([
      ['programs[0].qasm', expect.stringContaining('uses 156 qubits')],
    ]);
  });

  test('refuses noise, also where values are estimated', async () => {
    const flip = { gate: 'NOISE', qubits: [9], channel: { type: 'bit_flip', probability: 0.1 } };
    for (const fields of [{}, { observables: [{ pauli: 'Z9' }] }]) {
      const program = { circuit: [flip, ...SWEEP], inputs: { a: 1 }, shots: 10, ...fields };
      const faults = await faultsOf(GARNET, [program]);
      expect(faults).toEqual([['programs[0].circuit', expect.stringMatching(/[Nn]oise/)]]);
    }
  });

  test.each([
    [{ return: ['probabilities'] }, 'return', 'probabilities can be computed only by a simulator'],
    [{ return: ['statevector'] }, 'return', 'statevector can be computed only by a simulator'],
    [{ observables: [{ pauli: 'Z4' }] }, 'shots', 'from which expectation is estimated'],
    [
      { observables: [{ pauli: 'Z4' }], shots: 10, return: ['counts', 'expectation'] },
      'return',
      'expectation beside counts is exact',
    ],
    [
      { observables: [{ pauli: 'Z4' }], shots: 10, return: ['expectation', 'variance'] },
      'return',
      'variance can be computed only by a simulator',
    ],
  ])('refuses the exact output of %j', async (fields, path, words) => {
    const program = { circuit: SWEEP, inputs: { a: 1 }, ...fields };
    expect(await faultsOf(GARNET, [program])).toEqual([
      [`programs[0].${path}`, expect.stringContaining(words)],
    ]);
  });
});
