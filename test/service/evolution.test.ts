/** EVOLVE over HTTP: what answers say of it, and the parts of the service that see its gates. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

const ISING = [
  { pauli: 'Z0 Z1' },
  { pauli: 'Z1 Z2' },
  { pauli: 'X0', coefficient: 0.5 },
  { pauli: 'X1', coefficient: 0.5 },
  { pauli: 'X2', coefficient: 0.5 },
];
const evolve = (fields: Body) => ({ gate: 'EVOLVE', hamiltonian: ISING, ...fields });
const OBSERVABLES = [{ pauli: 'Z0' }, { pauli: 'Z0 Z2' }];

async function post(url: string, payload: Body) {
  const answer = await service.request({ method: 'POST', url: `/quantum/${url}`, payload });
  expect(answer.statusCode, answer.body.slice(0, 600)).toBeLessThan(300);
  return answer.json().data;
}

// exp(−0.8i·H)|000⟩ of SciPy's expm: ⟨Z0⟩ and ⟨Z0 Z2⟩.
const EXACT = [0.7555085892613544, 0.5708783241010097];

describe('POST /quantum/circuits', () => {
  test.each(['statevector', 'matrix_product_state', 'density_matrix', 'pauli_propagation'])(
    'the method %s has the values of SciPy',
    async (method) => {
      const { expectation, error_bound } = await post('circuits', {
        circuit: [evolve({ time: 0.8 })],
        target_processor: 'qvm',
        shots: 1,
        method,
        observables: OBSERVABLES,
        return: ['expectation'],
      });
      for (const [i, value] of EXACT.entries()) expect(expectation.values[i]).toBeCloseTo(value, 9);
      expect(error_bound).toBeUndefined();
    },
  );

  test('a formula answers its error bound, and its values are within it', async () => {
    const { expectation, error_bound } = await post('circuits', {
      circuit: [evolve({ time: 0.8, max_error: 0.01, exact: false })],
      target_processor: 'statevector-sim',
      shots: 1,
      observables: OBSERVABLES,
      return: ['expectation'],
    });
    expect(error_bound).toBeLessThanOrEqual(0.01);
    for (const [i, value] of EXACT.entries()) {
      const error = Math.abs(expectation.values[i] - value);
      // An observable of norm 1 changes by at most twice the distance of the states.
      expect(error).toBeLessThan(2 * error_bound);
      expect(error).toBeGreaterThan(1e-6);
    }
  });

  test('runs on a device, whose native gates it becomes', async () => {
    const { counts, fitting } = await post('circuits', {
      circuit: [evolve({ time: 0.8, order: 1, steps: 2, exact: false })],
      target_processor: 'emulator-ibm-fez',
      shots: 100,
    });
    expect(Object.values(counts as Record<string, number>).reduce((sum, n) => sum + n)).toBe(100);
    expect(fitting.two_qubit_gates.after).toBeGreaterThan(0);
  });

  test('noise follows the gates that it is written out as', async () => {
    const channel = { type: 'phase_flip', probability: 0.25 };
    const noisy = (circuit: readonly Body[], gates: readonly string[]) =>
      post('circuits', {
        circuit,
        target_processor: 'qvm',
        shots: 1,
        method: 'density_matrix',
        noise: { gates: [{ gates, channel }] },
        return: ['density_matrix'],
      });
    const formula = evolve({ time: 0.8, order: 1, steps: 2, exact: false });
    const { circuit } = await post('compile', {
      circuit: [formula],
      target_processor: 'statevector-sim',
    });
    expect(circuit.length).toBeGreaterThan(0);
    const step = [
      ...[0, 1].map((qubit) => ({ gate: 'RZZ', qubits: [qubit, qubit + 1], theta: 0.8 })),
      ...[0, 1, 2].map((qubit) => ({ gate: 'RX', qubit, theta: 0.4 })),
    ];
    const evolved = await noisy([formula], ['RZZ', '*1']);
    const written = await noisy([...step, ...step], ['RZZ', '*1']);
    expect(evolved.density_matrix).toEqual(written.density_matrix);
  });
});

describe('POST /quantum/batches', () => {
  const TIMES = [0, 0.4, 0.8];
  const sweep = (fields: Body, more: Body = {}) =>
    post('batches', {
      target_processor: 'qvm',
      programs: [
        {
          circuit: [evolve({ time: { input: 't' }, ...fields })],
          inputs: { t: TIMES },
          observables: OBSERVABLES,
          ...more,
        },
      ],
    });

  test('has values along a grid of times, with derivatives', async () => {
    const { programs } = await sweep({}, { return: ['expectation', 'gradient'] });
    const [{ expectation, gradient, error_bound }] = programs;
    for (const [i, value] of EXACT.entries()) expect(expectation[2][i]).toBeCloseTo(value, 9);
    expect(expectation[0]).toEqual([1, 1]);
    expect(error_bound).toBeUndefined();
    const step = 1e-4;
    const around = await sweep({}, { inputs: { t: [0.8 - step, 0.8 + step] } });
    const [[before], [after]] = around.programs[0].expectation;
    expect(gradient[2][0][0]).toBeCloseTo((after - before) / (2 * step), 6);
  });

  test('a formula has a bound at each time', async () => {
    const [own] = (await sweep({ order: 4, steps: 2, exact: false })).programs;
    expect(own.error_bound[0]).toBe(0);
    // The bound grows with the fifth power of the time.
    expect(own.error_bound[2] / own.error_bound[1]).toBeCloseTo(32, 9);
    const fields = { order: 4, steps: 2, exact: false };
    const [other] = (await sweep(fields, { array_format: 'base64' })).programs;
    const bytes = Buffer.from(other.error_bound.data, 'base64');
    const numbers = new Float64Array(Uint8Array.from(bytes).buffer);
    expect([...numbers]).toEqual(own.error_bound);
  });

  test('max_error chooses the steps of each time', async () => {
    const [{ error_bound, expectation }] = (await sweep({ max_error: 1e-3, exact: false }))
      .programs;
    for (const bound of error_bound) expect(bound).toBeLessThanOrEqual(1e-3);
    for (const [i, value] of EXACT.entries()) expect(expectation[2][i]).toBeCloseTo(value, 2);
  });
});

test('POST /quantum/compile writes it out as OpenQASM, with the bound', async () => {
  const { qasm, error_bound } = await post('compile', {
    circuit: [evolve({ time: 0.8, steps: 1, exact: false })],
    target_processor: 'emulator-ibm-fez',
    format: 'qasm3',
  });
  expect(qasm).toContain('rz(');
  expect(qasm).not.toContain('EVOLVE');
  expect(error_bound).toBeGreaterThan(0);
});

test('an experiment refuses a formula', async () => {
  const answer = await service.request({
    method: 'POST',
    url: '/quantum/experiments',
    payload: {
      target_processor: 'qvm',
      tasks: [
        {
          circuit: [evolve({ time: 0.8, steps: 1, exact: false }), { gate: 'M', qubits: [0] }],
          detectors: [[0]],
          logical_observables: [[0]],
        },
      ],
      max_shots: 10,
    },
  });
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error.details[0].message).toContain('product formula');
});
