/** Batches on emulated devices: under the noise of the device, fitted where that is needed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { batchRecord } from '../../src/service/batches/batch-schema.ts';
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

/** The same rotation and a CX, in gates that Garnet lacks. */
const UNFIT = [
  { gate: 'RX', qubit: 0, theta: { input: 'a' } },
  { gate: 'CX', control: 0, target: 2 },
  { gate: 'CX', control: 2, target: 1 },
  { gate: 'CX', control: 0, target: 1 },
];

/** Runs a point of a batch by itself. */
async function alone(target: string, body: Body) {
  const answer = await post('/quantum/circuits', { target_processor: target, ...body });
  expect([answer.statusCode, answer.body.slice(0, 500)]).toEqual([201, expect.anything()]);
  return answer.json().data;
}

describe('a batch on an emulated device', () => {
  test.each([
    ['as it is written', MEASURED, 10, [4, 9]],
    ['fitted', UNFIT, 3, [0, 1, 2]],
  ])(
    'gives each point of a program that runs %s the counts of its circuit alone',
    async (...[, circuit, qubits, measured]) => {
      const program = { circuit, inputs: { a: ANGLES }, shots: 500 };
      const record = await run(GARNET, [program]);
      const [result] = record.programs;
      expect(result).toMatchObject({ points: 4, qubits, measured_qubits: measured, seed: 2026 });
      expect(result.method_reason).toMatch(/shots/);
      expect(record.executed_on).toEqual([
        expect.objectContaining({
          backend: expect.objectContaining({ emulates: 'IQM Garnet' }),
          circuits: 4,
        }),
      ]);
      for (const [point, a] of ANGLES.entries()) {
        const own = [{ ...circuit[0], theta: a }, ...circuit.slice(1)];
        const single = await alone(GARNET, {
          circuit: own,
          shots: 500,
          seed: 2026 + point,
          method: result.method,
        });
        expect(result.counts[point]).toEqual(single.counts);
      }
      // Errors of readout and gates leave most shots at angle 0 as they are, and not all.
      const zeros = result.counts[0]['0'.repeat(measured.length)];
      expect(zeros).toBeGreaterThan(400);
      expect(zeros).toBeLessThan(500);
    },
  );

  test('without noise has the counts of the circuits themselves', async () => {
    const sweep = { inputs: { a: ANGLES }, shots: 500, noise: {} };
    const record = await run(GARNET, [
      { circuit: MEASURED, ...sweep },
      { circuit: UNFIT, ...sweep },
    ]);
    const [written, fitted] = record.programs;
    expect([written.method, fitted.method]).toEqual(['statevector', 'statevector']);
    expect([written.counts[0], written.counts[3]]).toEqual([{ '00': 500 }, { '11': 500 }]);
    expect([fitted.counts[0], fitted.counts[3]]).toEqual([{ '000': 500 }, { '101': 500 }]);
  });

  test('runs on a few qubits of a device that is too large to simulate', async () => {
    const qasm =
      'OPENQASM 3.0; include "stdgates.inc"; input float x; bit[2] c; sx $150; rz(x) $150; sx $150; cz $150, $151; c[0] = measure $150; c[1] = measure $151;';
    const record = await run(FEZ, [{ qasm, inputs: { x: [Math.PI, 0] }, shots: 100, noise: {} }]);
    expect(record.programs[0].counts).toEqual([{ '00': 100 }, { '01': 100 }]);
    expect(record.programs[0].measured_qubits).toEqual([150, 151]);
  });

  test('has exact expectation values and gradients under noise', async () => {
    const observables = [{ pauli: 'Z9' }, { pauli: 'Z4 Z9' }, { pauli: 'Y9' }, { pauli: 'Z19' }];
    const step = 1e-4;
    const ask = { circuit: SWEEP, observables };
    const values = { ...ask, inputs: { a: ANGLES }, return: ['expectation', 'gradient'] };
    const around = { ...ask, inputs: { a: ANGLES.flatMap((a) => [a - step, a + step]) } };
    const [ideal, noisy, nearby] = (await run(GARNET, [{ ...values, noise: {} }, values, around]))
      .programs;
    expect(noisy.method).toBe('density_matrix');
    for (const [point, a] of ANGLES.entries()) {
      // CX of qubit 9 on qubit 4: Z4 Z9 stays 1, and qubit 19, which the circuit does not name, stays 0.
      const exact = [Math.cos(a), 1, 0, 1];
      for (const [o, value] of exact.entries()) {
        expect(ideal.expectation[point][o]).toBeCloseTo(value, 10);
        expect(Math.abs(noisy.expectation[point][o])).toBeLessThanOrEqual(Math.abs(value) + 1e-3);
        const [below, above] = [
          nearby.expectation[2 * point][o],
          nearby.expectation[2 * point + 1][o],
        ];
        expect(noisy.gradient[point][o][0]).toBeCloseTo((above - below) / (2 * step), 6);
      }
      expect(noisy.expectation[point][1]).toBeLessThan(0.999);
    }
  });

  test('has expectation values of the caller’s qubits where it is fitted', async () => {
    const observables = [{ pauli: 'Y0' }, { pauli: 'Z0 Z2' }, { pauli: 'X0 X2' }];
    const ask = { circuit: UNFIT, inputs: { a: ANGLES }, observables };
    const [same, noisy] = (await run(GARNET, [{ ...ask, noise: {} }, ask])).programs;
    const [ideal] = (await run('qvm', [ask])).programs;
    for (const point of ANGLES.keys()) {
      for (const o of observables.keys()) {
        expect(same.expectation[point][o]).toBeCloseTo(ideal.expectation[point][o], 10);
        const single = Math.abs(noisy.expectation[point][o] - ideal.expectation[point][o]);
        expect(single).toBeLessThan(0.15);
      }
    }
    const own = [{ ...UNFIT[0], theta: ANGLES[1] }, ...UNFIT.slice(1)];
    const asked = { circuit: own, observables, return: ['expectation'], shots: 10 };
    const { expectation } = await alone(GARNET, asked);
    expect(noisy.expectation[1]).toEqual(expectation.values);
  });

  test('refuses what does not fit where a program names qubits of the device', async () => {
    const all = { qasm: 'OPENQASM 3.0; include "stdgates.inc"; qubit[156] q; x q[155];' };
    expect(await faultsOf(FEZ, [all], { shots: 10 })).toEqual([
      ['programs[0].qasm', expect.stringContaining('uses 156 qubits')],
    ]);
    const placed = { qasm: 'OPENQASM 3.0; include "stdgates.inc"; h $3; cz $0, $3;' };
    expect(await faultsOf(FEZ, [placed], { shots: 10 })).toEqual([
      ['programs[0].qasm', 'Operation 0: H is no native gate; those are CZ, RZ, SX, X.'],
      ['programs[0].qasm', 'Operation 1: CZ acts on qubits 0 and 3, which nothing couples.'],
    ]);
  });

  test('refuses noise in circuits, also where values are estimated', async () => {
    const flip = { gate: 'NOISE', qubits: [9], channel: { type: 'bit_flip', probability: 0.1 } };
    for (const fields of [{}, { observables: [{ pauli: 'Z9' }] }]) {
      const program = { circuit: [flip, ...SWEEP], inputs: { a: 1 }, shots: 10, ...fields };
      const faults = await faultsOf(GARNET, [program]);
      expect(faults).toContainEqual(['programs[0].circuit', expect.stringMatching(/[Nn]oise/)]);
    }
  });

  test.each([
    [{ return: ['statevector'] }, 'return', 'emulator-iqm-garnet does not give statevector'],
    [
      { circuit: UNFIT, observables: [{ pauli: 'Z1' }], return: ['gradient'] },
      'return',
      'gradient on an emulated device needs a program in its native gates',
    ],
    [
      { circuit: UNFIT, inputs: { a: Array.from({ length: 1001 }, () => 1) }, shots: 1 },
      'circuit',
      '1001 points of a program that has to be fitted',
    ],
    [
      { noise: { gates: [{ gates: ['SX'], channel: { type: 'bit_flip', probability: 0.1 } }] } },
      'noise.gates[0].gates',
      'follows native gates, PRX, CZ',
    ],
  ])('refuses %j with its path', async (fields, path, words) => {
    const program = { circuit: SWEEP, inputs: { a: 1 }, shots: 5, ...fields };
    expect(await faultsOf(GARNET, [program])).toEqual([
      [`programs[0].${path}`, expect.stringContaining(words)],
    ]);
  });
});
