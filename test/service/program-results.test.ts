/** Results that programs request with Braket's pragmas: their values, in the order of the pragmas. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readOpenQasm } from '../../src/circuit/openqasm/parse-openqasm.ts';
import { circuitRecord } from '../../src/service/circuits/circuit-schema.ts';
import { chiSquared } from '../support/chi-squared.ts';
import { densityExpectation } from '../support/density-matrix.ts';
import { exactRun } from '../support/noise-oracle.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';
import type { TestService } from './support/test-service.ts';

let opened: FleetService;
let service: TestService;

beforeAll(async () => {
  opened = await openFleetService();
  ({ service } = opened);
});
afterAll(() => opened[Symbol.asyncDispose]());

const THETA = 0.7;
const SHOTS = 1000;
/** A Bell pair, and a third qubit turned by theta. */
const PROGRAM = `OPENQASM 3.0;
input float theta;
qubit[3] q;
h q[0];
cnot q[0], q[1];
rx(theta) q[2];
`;

const submit = (pragmas: readonly string[], more: object = {}) =>
  service.submit({
    target_processor: 'statevector-sim',
    qasm: `${PROGRAM}${pragmas.map((text) => `#pragma braket ${text}\n`).join('')}`,
    inputs: { theta: THETA },
    shots: SHOTS,
    seed: 5,
    ...more,
  });

/** The results of a program, whose record fits its schema. */
async function resultsOf(...results: readonly string[]) {
  const answer = await submit(results.map((text) => `result ${text}`));
  expect([answer.statusCode, answer.body.slice(0, 500)]).toEqual([201, expect.anything()]);
  const { data } = answer.json();
  expect(circuitRecord.safeParse(data).error?.issues ?? []).toEqual([]);
  return data.results;
}

async function faultsOf(pragmas: readonly string[], more: object = {}) {
  const answer = await submit(pragmas, more);
  expect(answer.statusCode).toBe(400);
  return answer.json().error.details.map(({ message }: { message: string }) => message);
}

/** The same value with numbers that are close. */
function close(value: unknown): unknown {
  if (typeof value === 'number') return expect.closeTo(value, 12);
  if (Array.isArray(value)) return value.map(close);
  return Object.fromEntries(Object.entries(value as object).map(([key, of]) => [key, close(of)]));
}

const [c, s] = [Math.cos(THETA / 2), Math.sin(THETA / 2)];
const half = Math.SQRT1_2;

describe('a result', () => {
  test.each([
    ['expectation x(q[0]) @ x(q[1])', 1],
    ['expectation z all', [0, 0, Math.cos(THETA)]],
    [
      'expectation 2 * z(q[2]) - 3 * y(q[2]) + 0.5 * i(q[0])',
      2 * Math.cos(THETA) + 3 * Math.sin(THETA) + 0.5,
    ],
    ['expectation h(q[2])', Math.cos(THETA) * half],
    // 1.5·1 + X − 0.5·Z on the third qubit
    ['expectation hermitian([[1, 1], [1, 2]]) q[2]', 1.5 - 0.5 * Math.cos(THETA)],
    // The first operand is the most significant bit: the projector on q[2] = 1, q[0] = 0.
    ['expectation hermitian([[0,0,0,0],[0,0,0,0],[0,0,1,0],[0,0,0,0]]) q[2], q[0]', (s * s) / 2],
    ['variance z(q[2])', Math.sin(THETA) ** 2],
    ['variance hermitian([[1, 0], [0, -1]]) all', [1, 1, Math.sin(THETA) ** 2]],
    ['amplitude "110", "001", "100"', { 110: [c * half, 0], '001': [0, -s * half], 100: [0, 0] }],
    [
      'probability q[2], q[0]',
      { '00': (c * c) / 2, '01': (s * s) / 2, 10: (c * c) / 2, 11: (s * s) / 2 },
    ],
    ['probability q[1]', { 0: 0.5, 1: 0.5 }],
    ['probability', { '000': (c * c) / 2, '011': (c * c) / 2, 100: (s * s) / 2, 111: (s * s) / 2 }],
    [
      'state_vector',
      [
        [c * half, 0],
        [0, 0],
        [0, 0],
        [c * half, 0],
        [0, -s * half],
        [0, 0],
        [0, 0],
        [0, -s * half],
      ],
    ],
    [
      'adjoint_gradient expectation(2 * z(q[2]) @ i(q[0]) - x(q[0]) @ x(q[1])) theta',
      { expectation: 2 * Math.cos(THETA) - 1, gradient: { theta: -2 * Math.sin(THETA) } },
    ],
  ])('%s', async (text, value) => {
    expect(await resultsOf(text)).toEqual([{ type: text.split(' ')[0], value: close(value) }]);
  });

  test('comes in the order of the pragmas, beside the fields of the answer', async () => {
    const pragmas = ['variance z(q[0])', 'probability', 'expectation z(q[2])', 'variance i(q[0])'];
    const { data } = (
      await submit(
        pragmas.map((text) => `result ${text}`),
        { return: ['counts', 'expectation'], observables: [{ pauli: 'X0 X1' }] },
      )
    ).json();
    expect(data.results).toMatchObject([
      { type: 'variance', value: expect.closeTo(1, 12) },
      { type: 'probability' },
      { type: 'expectation', value: expect.closeTo(Math.cos(THETA), 12) },
      { type: 'variance', value: expect.closeTo(0, 12) },
    ]);
    expect(data.expectation.values).toEqual(close([1, Math.cos(THETA)]));
    expect(data.probabilities).toEqual(data.results[1].value);
    expect(data).toHaveProperty('counts');
  });
});

describe('a sample', () => {
  /** Five standard errors of a mean of values ±1. */
  const BOUND = 5 / Math.sqrt(SHOTS);
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;

  test('has an eigenvalue for each shot, whose mean is the expectation value', async () => {
    const [z, y, h, hermitian, all] = await resultsOf(
      'sample z(q[2])',
      'sample y(q[2])',
      'sample -2 * h(q[2])',
      'sample hermitian([[1, 1], [1, 2]]) q[2]',
      'sample z all',
    );
    for (const { value } of [z, y, h, hermitian]) expect(value).toHaveLength(SHOTS);
    expect(new Set(z.value)).toEqual(new Set([1, -1]));
    expect(Math.abs(mean(z.value) - Math.cos(THETA))).toBeLessThan(BOUND);
    expect(Math.abs(mean(y.value) + Math.sin(THETA))).toBeLessThan(BOUND);
    expect(new Set(h.value)).toEqual(new Set([2, -2]));
    expect(Math.abs(mean(h.value) + 2 * half * Math.cos(THETA))).toBeLessThan(2 * BOUND);
    // (3 ± √5)/2
    const eigenvalues = [...new Set<number>(hermitian.value)].sort((a, b) => a - b);
    expect(eigenvalues).toEqual(close([(3 - Math.sqrt(5)) / 2, (3 + Math.sqrt(5)) / 2]));
    expect(Math.abs(mean(hermitian.value) - 1.5 + 0.5 * Math.cos(THETA))).toBeLessThan(2 * BOUND);
    expect(all.value).toHaveLength(3);
  });

  test('agrees shot by shot with those that are measured together', async () => {
    const [first, second, product, zz] = await resultsOf(
      'sample x(q[0])',
      'sample x(q[1])',
      'sample x(q[0]) @ x(q[1])',
      'sample z(q[0]) @ z(q[1])',
    );
    expect(first.value).toEqual(second.value);
    expect(product.value).toEqual(new Array(SHOTS).fill(1));
    expect(zz.value).toEqual(new Array(SHOTS).fill(1));
  });

  test('is in the order of the shots: fewer shots are the first of more', async () => {
    const pragmas = ['result sample z(q[0]) @ z(q[2])'];
    const few = (await submit(pragmas, { shots: 20 })).json().data.results[0].value;
    const many = (await submit(pragmas, { shots: 500 })).json().data.results[0].value;
    expect(few).toEqual(many.slice(0, 20));
    expect(new Set(few).size).toBe(2);
  });
});

describe.each(['statevector', 'density_matrix'])('a sample with noise, by %s,', (method) => {
  const NOISE = ['noise amplitude_damping(0.3) q[2]', 'noise bit_flip(0.1) q[0]'];

  async function samples(observables: readonly string[], more: object = {}) {
    const pragmas = [...NOISE, ...observables.map((text) => `result sample ${text}`)];
    const answer = await submit(pragmas, { target_processor: 'qvm', method, ...more });
    expect([answer.statusCode, answer.body.slice(0, 500)]).toEqual([201, expect.anything()]);
    const { data } = answer.json();
    expect(circuitRecord.safeParse(data).error?.issues ?? []).toEqual([]);
    expect(data.method).toBe(method);
    return data.results.map(({ value }: { value: readonly number[] }) => value);
  }

  /** Checks the frequencies of two eigenvalues, the greater one first, against the exact expectation value. */
  function expectDistribution(
    values: readonly number[],
    [high, low]: readonly [number, number],
    expectation: number,
  ): void {
    const numHigh = values.filter((value) => Math.abs(value - high) < 1e-9).length;
    const numLow = values.filter((value) => Math.abs(value - low) < 1e-9).length;
    expect(numHigh + numLow).toBe(SHOTS);
    const likely = (expectation - low) / (high - low);
    const counts = new Map([
      ['high', numHigh],
      ['low', numLow],
    ]);
    const exact = new Map([
      ['high', likely],
      ['low', 1 - likely],
    ]);
    const { statistic, bound } = chiSquared(counts, exact);
    expect(statistic).toBeLessThan(bound);
  }

  test('has the distribution of the density matrix', async () => {
    const source = `${PROGRAM}${NOISE.map((text) => `#pragma braket ${text}\n`).join('')}`;
    const { circuit } = readOpenQasm(
      source,
      { maxQubits: 3, maxGates: 100 },
      { inputs: { theta: THETA } },
    );
    const { density } = exactRun(circuit);
    const term = (coefficient: number, pauli: 'X' | 'Y' | 'Z', ...qubits: readonly number[]) => ({
      coefficient,
      factors: qubits.map((qubit) => ({ pauli, qubit })),
    });
    const root = Math.sqrt(5);
    const cases = [
      ['z(q[2])', [1, -1], [term(1, 'Z', 2)]],
      ['y(q[2])', [1, -1], [term(1, 'Y', 2)]],
      ['z(q[0]) @ z(q[1])', [1, -1], [term(1, 'Z', 0, 1)]],
      [
        'hermitian([[1, 1], [1, 2]]) q[2]',
        [(3 + root) / 2, (3 - root) / 2],
        [{ coefficient: 1.5, factors: [] }, term(1, 'X', 2), term(-0.5, 'Z', 2)],
      ],
    ] as const;
    const values = await samples(cases.map(([text]) => text));
    for (const [i, [, eigenvalues, observable]] of cases.entries()) {
      expectDistribution(values[i], eigenvalues, densityExpectation(density, observable));
    }
  });

  test('agrees shot by shot with those that are measured together, in a mixed order', async () => {
    const [first, second, product] = await samples(['z(q[0])', 'z(q[2])', 'z(q[0]) @ z(q[2])']);
    expect(product).toEqual(first.map((value: number, shot: number) => value * second[shot]));
    const changes = first.filter((value: number, shot: number) => value !== first[shot - 1]);
    expect(changes.length).toBeGreaterThan(SHOTS / 4);
  });

  test('has the errors of the readout, and is what memory has', async () => {
    const qasm = 'OPENQASM 3.0;\nqubit[2] q;\nx q[0];\n#pragma braket result sample z all\n';
    const answer = await service.submit({
      target_processor: 'qvm',
      qasm,
      method,
      shots: SHOTS,
      seed: 5,
      noise: { readout: [{ qubits: [0], p1_given_0: 0, p0_given_1: 0.3 }] },
      return: ['memory'],
    });
    const { memory, results } = answer.json().data;
    const [first, second] = results[0].value;
    expectDistribution(first, [1, -1], -0.4);
    expect(second).toEqual(new Array(SHOTS).fill(1));
    expect(memory).toEqual(first.map((value: number) => (value === 1 ? '00' : '01')));
  });
});

describe('density_matrix', () => {
  test('is that of the qubits named, the first one least significant, under noise', async () => {
    const pragmas = [
      'noise bit_flip(0.2) q[2]',
      'result density_matrix q[2]',
      'result density_matrix',
    ];
    const answer = await submit(pragmas, { target_processor: 'qvm', shots: 10 });
    expect(answer.statusCode).toBe(201);
    const { data } = answer.json();
    expect(circuitRecord.safeParse(data).error?.issues ?? []).toEqual([]);
    const [one, all] = data.results;
    // The flip leaves ⟨Z⟩ = 0.6·cos θ, and turns the coherence with the sign of its half.
    const [up, down] = [0.8 * c * c + 0.2 * s * s, 0.8 * s * s + 0.2 * c * c];
    expect(one.value).toEqual(
      close([
        [
          [up, 0],
          [0, 0.6 * c * s],
        ],
        [
          [0, -0.6 * c * s],
          [down, 0],
        ],
      ]),
    );
    expect(all.value).toHaveLength(8);
    expect(all.value[0][3]).toEqual(close([up / 2, 0]));
    expect(all.value[4][7]).toEqual(close([down / 2, 0]));
  });

  test('of many qubits, or where there is no density matrix, is refused', async () => {
    expect(await faultsOf(['result density_matrix'])).toEqual([
      expect.stringContaining('density_matrix needs the method density_matrix, which qvm has'),
    ]);
    const qasm = 'OPENQASM 3.0;\nqubit[8] q;\nh q;\n#pragma braket result density_matrix q[0]\n';
    const answer = await service.submit({ target_processor: 'qvm', qasm, shots: 1 });
    expect(answer.json().error.details[0]).toMatchObject({
      message:
        'OpenQASM line 4: The result "density_matrix" of 8 qubits; the limit for a JSON answer is 7.',
      code: 'CIRCUIT_LIMIT_EXCEEDED',
    });
  });
});

describe('is refused with its line:', () => {
  test.each([
    [
      ['noise depolarizing(1.5) q[0]'],
      {},
      'line 7, column 22: The probability of depolarizing must be from 0 to 1, not 1.5.',
    ],
    [
      ['result sample z all', 'result sample x all'],
      { shots: 20_000 },
      'line 8: The result "sample" brings the values of samples to 120000; the limit is 100000.',
    ],
    [
      ['result adjoint_gradient expectation(z(q[0])) tehta'],
      {},
      'line 7: The result "adjoint_gradient" is by inputs that are numbers; "tehta" is none. Did you mean theta?',
    ],
    [
      ['result amplitude "000"'],
      {
        qasm: `OPENQASM 3.0;\nqubit[2] q;\nh q[0];\nreset q[0];\n#pragma braket result amplitude "00"`,
        inputs: {},
      },
      'line 5: The result "amplitude" needs a circuit whose measurements are all last',
    ],
    [
      ['result probability q[0]'],
      {
        qasm: 'OPENQASM 3.0;\nqubit[20] q;\nh q;\n#pragma braket result probability q[0]',
        inputs: {},
      },
      'line 4: The result "probability" of 20 measured bits; the limit for a JSON answer is 16. Measure fewer qubits',
    ],
    [
      ['noise bit_flip(0.1) q[0]', 'result state_vector'],
      { target_processor: 'qvm' },
      'line 8: The result "state_vector" needs a pure state; with noise the state is mixed. Ask for density_matrix or probabilities.',
    ],
    [
      ['result amplitude "000"'],
      { target_processor: 'qvm', method: 'density_matrix' },
      'line 7: The result "amplitude" needs a pure state; the method density_matrix has none. Ask for density_matrix or probabilities.',
    ],
    [
      ['noise bit_flip(0.1) q[0]', 'result adjoint_gradient expectation(z(q[0])) theta'],
      { target_processor: 'qvm' },
      'line 8: The result "adjoint_gradient" needs a pure state; with noise the state is mixed. Ask a batch for "gradient", which is by parameter shifts there.',
    ],
  ])('%j', async (pragmas, more, message) => {
    expect(await faultsOf(pragmas, more)).toEqual([expect.stringContaining(message)]);
  });

  test('an input without a derivative', async () => {
    const qasm = `OPENQASM 3.0;
input float n;
qubit[1] q;
if (n > 1) x q[0];
#pragma braket result adjoint_gradient expectation(z(q[0])) all`;
    expect(await faultsOf([], { qasm, inputs: { n: 2 } })).toEqual([
      'OpenQASM line 5: The result "adjoint_gradient" has no derivative by it. The input "n" decides which gates run (line 4).',
    ]);
  });
});

describe('in a batch', () => {
  const post = (pragmas: readonly string[], inputs: object) =>
    service.request({
      method: 'POST',
      url: '/quantum/batches',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({
        target_processor: 'statevector-sim',
        programs: [
          {
            qasm: `${PROGRAM}${pragmas.map((text) => `#pragma braket result ${text}\n`).join('')}`,
            inputs,
          },
        ],
      }),
    });

  test('results fill the fields of the answer, point by point', async () => {
    const theta = [0.2, THETA, 2];
    const pragmas = [
      'variance z(q[2])',
      'adjoint_gradient expectation(z(q[2])) all',
      'probability',
    ];
    const answer = await post(pragmas, { theta });
    expect([answer.statusCode, answer.body.slice(0, 300)]).toEqual([201, expect.anything()]);
    const [program] = answer.json().data.programs;
    const sines = theta.map(Math.sin);
    expect(program.variance).toEqual(close(sines.map((sine) => [sine ** 2, sine ** 2])));
    expect(program.gradient).toEqual(close(sines.map((sine) => [[-sine], [-sine]])));
    expect(program.probabilities[0]).toHaveLength(8);
    expect(program).not.toHaveProperty('counts');
  });

  test('the gradient is by the inputs that its pragma names', async () => {
    const rotated = (pragma: string) =>
      service.request({
        method: 'POST',
        url: '/quantum/batches',
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify({
          target_processor: 'statevector-sim',
          programs: [
            {
              qasm: `OPENQASM 3.0;\ninput float a;\ninput float b;\nqubit q;\nry(a) q;\nry(2 * b) q;\n#pragma braket result adjoint_gradient expectation(z(q)) ${pragma}\n`,
              inputs: { a: [0.3, 0.4], b: 0.1 },
            },
          ],
        }),
      });
    const gradientOf = async (pragma: string) =>
      (await rotated(pragma)).json().data.programs[0].gradient;
    const slopes = [0.5, 0.6].map((angle) => -Math.sin(angle));
    expect(await gradientOf('b')).toEqual(close(slopes.map((slope) => [[2 * slope]])));
    expect(await gradientOf('b, a')).toEqual(close(slopes.map((slope) => [[2 * slope, slope]])));
    expect(await gradientOf('all')).toEqual(close(slopes.map((slope) => [[slope, 2 * slope]])));
    const { error } = (await rotated('c')).json();
    expect(error.details).toEqual([
      expect.objectContaining({
        path: 'programs[0].qasm',
        message: expect.stringMatching(/^OpenQASM line 7: The program has no input "c"/),
      }),
    ]);
  });

  test.each([
    ['sample z(q[0])', 'The result "sample" is answered by POST /api/v1/quantum/circuits; a batch'],
    ['amplitude "000"', 'The result "amplitude" is answered by'],
    ['probability q[1]', 'The result "probability" of some of the qubits is answered by'],
  ])('%s is refused with its line', async (text, message) => {
    const answer = await post([text], { theta: [1, 2] });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details[0].message).toContain(`OpenQASM line 7: ${message}`);
  });
});
