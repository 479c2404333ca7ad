/** Batches through the whole service: programs, sweeps, their values and counts, and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JobRunner } from '../../src/jobs/job-runner.ts';
import { batchRecord } from '../../src/service/batches/batch-schema.ts';
import { eventually } from '../support/eventually.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';
import type { TestService } from './support/test-service.ts';

let opened: FleetService;
let service: TestService;
let runner: JobRunner;

beforeAll(async () => {
  opened = await openFleetService({ bodyLimitBytes: 64 * 2 ** 20 });
  ({ service, runner } = opened);
});
afterAll(() => opened[Symbol.asyncDispose]());

type Body = Readonly<Record<string, unknown>>;

function post(body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return service.request({
    method: 'POST',
    url: '/quantum/batches',
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify(body),
  });
}

/** The record of a batch that completed, checked against its schema. */
async function run(programs: readonly Body[], more: Body = {}) {
  const answer = await post({ target_processor: 'statevector-sim', seed: 2026, programs, ...more });
  expect([answer.statusCode, answer.body.slice(0, 500)]).toEqual([201, expect.anything()]);
  const { data } = answer.json();
  expect(batchRecord.safeParse(data).error?.issues ?? []).toEqual([]);
  return data;
}

async function runCircuit(body: Body) {
  const answer = await service.submit({ target_processor: 'statevector-sim', ...body });
  expect([answer.statusCode, answer.body.slice(0, 500)]).toEqual([201, expect.anything()]);
  return answer.json().data;
}

/** Faults of a refused batch, as `path: message`. */
async function faultsOf(body: unknown): Promise<readonly string[]> {
  const answer = await post(body);
  expect(answer.statusCode).toBe(400);
  const { details } = answer.json().error;
  return details.map(
    ({ path, message }: { path: string; message: string }) => `${path}: ${message}`,
  );
}

function unpacked({ dtype, shape, data }: { dtype: string; shape: number[]; data: string }) {
  expect(dtype).toBe('<f8');
  const bytes = Uint8Array.from(Buffer.from(data, 'base64'));
  // JSON has no −0.
  const numbers = Array.from(new Float64Array(bytes.buffer), (number) => number + 0);
  const nest = (from: number, [length = 0, ...inner]: number[]): unknown => {
    const step = inner.reduce((product, each) => product * each, 1);
    return Array.from({ length }, (_, i) =>
      inner.length === 0 ? numbers[from + i] : nest(from + i * step, inner),
    );
  };
  return nest(0, shape);
}

const ROTATED = [
  { gate: 'RY', qubit: 0, theta: { input: 'a' } },
  { gate: 'RX', qubit: 1, theta: { input: 'b', scale: 2, offset: 0.25 } },
  { gate: 'CX', control: 0, target: 1 },
];
const ALL_Z = [{ pauli: 'Z0' }, [{ pauli: 'Z0 Z1' }, { pauli: 'X0 Y1', coefficient: 0.5 }]];
const ROTATED_COUNTS = { circuit: ROTATED, inputs: { a: 1, b: 2 }, shots: 5, return: ['counts'] };
const rotated = (a: number, b: number) => [
  { gate: 'RY', qubit: 0, theta: a },
  { gate: 'RX', qubit: 1, theta: 2 * b + 0.25 },
  { gate: 'CX', control: 0, target: 1 },
];

describe('a sweep', () => {
  const a = [0.3, 1.1, 2.7];
  const inputs = { a, b: 0.4 };

  test('has the values that each circuit has alone, in the order point, observable', async () => {
    const [program] = (await run([{ circuit: ROTATED, inputs, observables: ALL_Z, name: 'mine' }]))
      .programs;
    expect(program).toMatchObject({ name: 'mine', points: 3, qubits: 2, method: 'statevector' });
    for (const [k, value] of a.entries()) {
      const alone = await runCircuit({
        circuit: rotated(value, 0.4),
        shots: 1,
        return: ['expectation'],
        observables: ALL_Z,
      });
      const [z, sum] = program.expectation[k];
      expect(z).toBeCloseTo(alone.expectation.values[0], 12);
      expect(sum).toBeCloseTo(alone.expectation.values[1], 12);
    }
    expect(program).not.toHaveProperty('counts');
    expect(program).not.toHaveProperty('shots');
  });

  test.each(['statevector-sim', 'gpu-fleet'])(
    'on %s has the counts of single circuits with the seeds that count on over all programs',
    async (target) => {
      const programs = [
        { circuit: ROTATED, inputs, shots: 50 },
        { circuit: rotated(0.1, 0.2) },
        { circuit: ROTATED, inputs: { a: 1, b: [0.5, 0.6] }, seed: 99 },
      ];
      const data = await run(programs, { target_processor: target, shots: 80 });
      expect(data).toMatchObject({ points: 6, seed: 2026 });
      const [first, second, third] = data.programs;
      expect([first.seed, second.seed, third.seed]).toEqual([2026, 2029, 99]);
      const alone = async (circuit: Body[], shots: number, seed: number) =>
        (await runCircuit({ circuit, shots, seed, target_processor: target })).counts;
      for (const [k, value] of a.entries()) {
        expect(first.counts[k]).toEqual(await alone(rotated(value, 0.4), 50, 2026 + k));
      }
      expect(second.counts).toEqual([await alone(rotated(0.1, 0.2), 80, 2029)]);
      expect(third.counts[1]).toEqual(await alone(rotated(1, 0.6), 80, 100));
    },
  );

  test('counts on from the greatest seed at 0', async () => {
    const most = 2 ** 53 - 1;
    const programs = [{ circuit: ROTATED, inputs, shots: 100 }];
    const [{ counts }] = (await run(programs, { seed: most })).programs;
    const circuit = rotated(1.1, 0.4);
    expect(counts[1]).toEqual((await runCircuit({ circuit, shots: 100, seed: 0 })).counts);
  });

  test('gives probabilities, states and counts together, exact ones of each point', async () => {
    const outputs = ['statevector', 'probabilities', 'counts', 'expectation'];
    const program = { circuit: ROTATED, inputs, shots: 10, return: outputs, observables: ALL_Z };
    const [found] = (await run([program])).programs;
    for (const [k, value] of a.entries()) {
      const alone = await runCircuit({
        circuit: rotated(value, 0.4),
        shots: 10,
        return: ['statevector', 'probabilities'],
      });
      for (const [i, [re, im]] of alone.statevector.entries()) {
        expect(found.statevector[k][i][0]).toBeCloseTo(re, 12);
        expect(found.statevector[k][i][1]).toBeCloseTo(im, 12);
        const label = i.toString(2).padStart(2, '0');
        expect(found.probabilities[k][i]).toBeCloseTo(alone.probabilities[label] ?? 0, 12);
      }
    }
  });

  test.each([
    ['narrow', 3, {}],
    ['wide', 13, {}],
    ['with a measurement in the middle', 3, { isMidCircuit: true }],
    ['measured in part', 4, { isPartial: true }],
  ])('%s, of many points, has the counts of single circuits', async (_, qubits, how) => {
    const { isMidCircuit = false, isPartial = false } = how as {
      isMidCircuit?: boolean;
      isPartial?: boolean;
    };
    const circuit = (theta: unknown) => [
      ...Array.from({ length: qubits }, (__, qubit) => ({ gate: 'RY', qubit, theta })),
      ...Array.from({ length: qubits - 1 }, (__, i) => ({ gate: 'CX', control: i, target: i + 1 })),
      ...(isMidCircuit
        ? [
            { gate: 'M', qubits: [0] },
            { gate: 'RX', qubit: 0, theta },
          ]
        : []),
      ...Array.from({ length: qubits }, (__, qubit) => ({ gate: 'RX', qubit, theta })),
      ...(isPartial ? [{ gate: 'M', qubits: [2, 0] }] : []),
      ...(isMidCircuit ? [{ gate: 'M', qubits: [0, 1, 2] }] : []),
    ];
    const values = Array.from({ length: 40 }, (__, i) => 0.1 * i + 0.05);
    const sweep = { circuit: circuit({ input: 'x' }), inputs: { x: values }, shots: 20 };
    const [{ counts, measured_qubits }] = (await run([sweep])).programs;
    for (const k of [0, 1, 17, 39]) {
      const single = { circuit: circuit(values[k]), shots: 20, seed: 2026 + k };
      const alone = await runCircuit(single);
      expect(counts[k]).toEqual(alone.counts);
      expect(measured_qubits).toEqual(alone.measured_qubits);
    }
  });

  test('of an OpenQASM program takes its inputs, also those that decide its gates', async () => {
    const qasm = `OPENQASM 3.0;
include "stdgates.inc";
input float a;
input int n;
qubit[2] q;
for int i in [1:n] { ry(a * i) q[0]; }
if (a > 1) x q[1];
cx q[0], q[1];`;
    const sweep = { a: [0.3, 1.4, 0.3, 2], n: [1, 2, 3, 1] };
    const program = { qasm, inputs: sweep, observables: ALL_Z };
    const [{ expectation }] = (await run([program])).programs;
    for (let k = 0; k < 4; k++) {
      const single = {
        qasm,
        inputs: { a: sweep.a[k], n: sweep.n[k] },
        shots: 1,
        return: ['expectation'],
        observables: ALL_Z,
      };
      const { values } = (await runCircuit(single)).expectation;
      expect(expectation[k][0]).toBeCloseTo(values[0], 12);
      expect(expectation[k][1]).toBeCloseTo(values[1], 12);
    }
  });
});

describe('a gradient', () => {
  /** Gates of the table that have angles, all of which follow from three inputs. */
  function differentiable(qubits: number) {
    let numAngles = 0;
    const next = () => {
      numAngles += 1;
      return { input: 'abc'[numAngles % 3], scale: 0.5 + 0.1 * numAngles, offset: 0.2 };
    };
    return Array.from({ length: qubits }, (_, q) => [
      { gate: 'H', qubit: q },
      { gate: 'U', qubit: q, theta: next(), phi: next(), lambda: 0.4 },
      { gate: 'RZZ', qubits: [q, (q + 1) % qubits], theta: next() },
      { gate: 'CRX', control: q, target: (q + 1) % qubits, theta: next() },
      { gate: 'XX_PLUS_YY', qubits: [q, (q + 2) % qubits], theta: next(), beta: next() },
      { gate: 'RY', qubit: q, theta: next(), controls: [(q + 1) % qubits] },
    ]).flat();
  }

  test.each([3, 13])('is that of central differences, on %i qubits', async (qubits) => {
    const circuit = differentiable(qubits).slice(0, 18);
    const observables = [{ pauli: 'Z0 X1' }, [{ pauli: 'Y2' }, { pauli: 'Z0', coefficient: -2 }]];
    const at = { a: [0.3, 1.2], b: 0.7, c: [-0.4, 2.1] };
    const program = { circuit, qubits, observables, inputs: at };
    const asked = { ...program, return: ['gradient', 'expectation', 'variance'] };
    const [found] = (await run([asked])).programs;
    const h = 1e-5;
    for (const [k, name] of ['a', 'b', 'c'].entries()) {
      for (const [point, [a, c]] of [
        [0.3, -0.4],
        [1.2, 2.1],
      ].entries()) {
        const own = { a, b: 0.7, c } as Record<string, number>;
        const inputs = { ...own, [name]: [own[name]! + h, own[name]! - h] };
        const [{ expectation }] = (await run([{ ...program, inputs }])).programs;
        for (let o = 0; o < 2; o++) {
          const slope = (expectation[0][o] - expectation[1][o]) / (2 * h);
          expect(found.gradient[point][o][k]).toBeCloseTo(slope, 7);
        }
      }
    }
    const plain = (await run([{ ...program, return: ['expectation'] }])).programs[0];
    for (let point = 0; point < 2; point++) {
      for (let o = 0; o < 2; o++) {
        expect(found.expectation[point][o]).toBeCloseTo(plain.expectation[point][o], 12);
        expect(found.variance[point][o]).toBeGreaterThanOrEqual(0);
      }
    }
  });

  test('is null where an expression has no derivative', async () => {
    const qasm = 'OPENQASM 3.0; include "stdgates.inc"; input float a; qubit q; rx(sqrt(a) + 1) q;';
    const program = { qasm, observables: [{ pauli: 'Z0' }], inputs: { a: [0, 1] } };
    const [{ gradient }] = (await run([{ ...program, return: ['gradient'] }])).programs;
    expect(gradient).toEqual([[[null]], [[expect.closeTo(-0.5 * Math.sin(2), 12)]]]);
  });

  test('leaves out inputs that are no numbers', async () => {
    const qasm = `OPENQASM 3.0;
include "stdgates.inc";
input bool flip;
input float a;
qubit q;
if (flip) x q;
ry(a * a) q;`;
    const observables = [{ pauli: 'Z0' }];
    const inputs = { flip: [true, false], a: 0.7 };
    const program = { qasm, observables, inputs, return: ['gradient'] };
    const [{ gradient }] = (await run([program])).programs;
    const slope = -2 * 0.7 * Math.sin(0.49);
    expect(gradient[0][0]).toEqual([expect.closeTo(-slope, 12)]);
    expect(gradient[1][0]).toEqual([expect.closeTo(slope, 12)]);
  });

  const STRUCTURAL = `OPENQASM 3.0;
include "stdgates.inc";
input int n;
input float a;
input float b;
qubit q;
for int i in [1:n] { ry(a * b) q; }`;

  test.each<[string, Body]>([
    ['exact, by the shift rule', {}],
    ['exact, by the adjoint method', { qubits: 9 }],
    ['estimated', { shots: 200_000 }],
  ])('is taken by the inputs that it names, in their order: %s', async (_, { qubits, ...more }) => {
    const wide = qubits === undefined ? '' : `qubit[${Number(qubits) - 1}] rest;`;
    const program = {
      qasm: STRUCTURAL.replace('qubit q;', `qubit q; ${wide}`),
      observables: [{ pauli: 'Z0' }],
      inputs: { n: [1, 3], a: [0.4, 0.5], b: 0.7 },
      return: ['gradient'],
      gradient_inputs: ['b', 'a'],
      ...more,
    };
    const [{ gradient }] = (await run([program])).programs;
    const slope = (n: number, a: number, by: number) => -Math.sin(n * a * 0.7) * n * by;
    const digits = more.shots === undefined ? 12 : 1;
    expect(gradient[0][0][0]).toBeCloseTo(slope(1, 0.4, 0.4), digits);
    expect(gradient[0][0][1]).toBeCloseTo(slope(1, 0.4, 0.7), digits);
    expect(gradient[1][0][0]).toBeCloseTo(slope(3, 0.5, 0.5), digits);
    expect(gradient[1][0][1]).toBeCloseTo(slope(3, 0.5, 0.7), digits);
    expect(gradient[0][0]).toHaveLength(2);
  });

  test('is taken by the inputs that the batch names, where its programs name none', async () => {
    const program = {
      circuit: ROTATED,
      inputs: { a: 0.4, b: 0.5 },
      observables: [{ pauli: 'Z0' }],
      return: ['gradient'],
    };
    const programs = [program, { ...program, gradient_inputs: ['b', 'a'] }, ROTATED_COUNTS];
    const [first, second] = (await run(programs, { gradient_inputs: ['a'] })).programs;
    const slope = expect.closeTo(-Math.sin(0.4), 12);
    expect(first.gradient).toEqual([[[slope]]]);
    expect(second.gradient).toEqual([[[expect.closeTo(0, 12), slope]]]);
  });
});

describe('a derivative that does not exist', () => {
  const qasm = 'OPENQASM 3.0; include "stdgates.inc"; input float a; qubit q; rx(sqrt(a)) q;';
  const inputs = { a: [0, 1] };
  const program = { qasm, inputs, observables: [{ pauli: 'Z0' }], return: ['gradient'] };

  test('is no number of a packed array', async () => {
    const [{ gradient }] = (await run([{ ...program, array_format: 'base64' }])).programs;
    expect(unpacked(gradient)).toEqual([[[Number.NaN]], [[expect.closeTo(-Math.sin(1) / 2, 12)]]]);
  });
});

describe('estimates from shots', () => {
  const observables = [
    [{ pauli: 'X0' }, { pauli: 'Z1', coefficient: -0.5 }, { pauli: 'I', coefficient: 2 }],
    { pauli: 'Y0 Z1' },
    { pauli: 'I', coefficient: 3 },
  ];
  const program = { circuit: ROTATED, observables, inputs: { a: [0.3, 1.1, 2.2], b: 0.4 } };

  test('lie around the exact values by their standard errors', async () => {
    const [exact] = (await run([program])).programs;
    const [found] = (await run([{ ...program, shots: 4000 }])).programs;
    expect(found.shots).toBe(4000);
    let squares = 0;
    for (let k = 0; k < 3; k++) {
      for (let o = 0; o < 2; o++) {
        const error = found.standard_error[k][o];
        expect(error).toBeGreaterThan(0.001);
        expect(error).toBeLessThan(0.05);
        squares += ((found.expectation[k][o] - exact.expectation[k][o]) / error) ** 2;
      }
      expect(found.expectation[k][2]).toBe(3);
      expect(found.standard_error[k][2]).toBe(0);
    }
    // Six squares of normal variables; the bound is exceeded once in a thousand seeds.
    expect(squares).toBeLessThan(22.46);
  });

  test('are the same for the same seed, however many points are asked for', async () => {
    const ask = (a: number[], seed: number) =>
      run([{ ...program, shots: 100, inputs: { a, b: 0.4 } }], { seed });
    const [all] = (await ask([0.3, 1.1, 2.2], 5)).programs;
    const [last] = (await ask([1.1, 2.2], 6)).programs;
    expect(last.expectation).toEqual(all.expectation.slice(1));
    expect(last.standard_error).toEqual(all.standard_error.slice(1));
  });

  test('of wide circuits are those of their groups, and variances stay exact', async () => {
    const asked = { ...program, qubits: 13, return: ['expectation', 'variance'] };
    const [exact] = (await run([asked])).programs;
    const [found] = (await run([{ ...asked, shots: 2000 }])).programs;
    expect(found.variance).toEqual(exact.variance);
    expect(found.expectation[0][1]).toBeCloseTo(exact.expectation[0][1], 0);
  });

  test('run no circuit where none is asked for', async () => {
    const asked = { ...program, return: ['variance'], shots: 100 };
    const { programs, executed_on } = await run([asked]);
    expect(programs[0]).not.toHaveProperty('expectation');
    expect(executed_on).toMatchObject([{ circuits: 3 }]);
  });

  test('of gradients follow the parameter-shift rule', async () => {
    const asked = { ...program, return: ['gradient', 'expectation'] };
    const [exact] = (await run([asked])).programs;
    const [found] = (await run([{ ...asked, shots: 200_000 }])).programs;
    for (let k = 0; k < 3; k++) {
      for (let o = 0; o < 3; o++) {
        for (let i = 0; i < 2; i++) {
          const difference = found.gradient[k][o][i] - exact.gradient[k][o][i];
          expect(Math.abs(difference)).toBeLessThan(0.03);
        }
      }
    }
    expect(found.gradient).not.toEqual(exact.gradient);
  });
});

describe('arrays as base64', () => {
  test('have the same numbers, of all results, and go in as well', async () => {
    const x = Array.from({ length: 1000 }, (_, i) => i / 100);
    const program = {
      circuit: [
        { gate: 'RY', qubit: 0, theta: { input: 'x' } },
        { gate: 'H', qubit: 1 },
      ],
      observables: ALL_Z,
      return: ['expectation', 'probabilities', 'statevector'],
    };
    const data = Buffer.from(Float64Array.from(x).buffer).toString('base64');
    const packed = { x: { dtype: '<f8', shape: [1000], data } };
    const [plain] = (await run([{ ...program, inputs: { x } }])).programs;
    const [text] = (await run([{ ...program, inputs: packed }], { array_format: 'base64' }))
      .programs;
    expect(text.expectation.shape).toEqual([1000, 2]);
    expect(text.statevector.shape).toEqual([1000, 4, 2]);
    for (const name of ['expectation', 'probabilities', 'statevector']) {
      expect(unpacked(text[name])).toEqual(plain[name]);
    }
  });
});

test('a batch that is read in a process has the results that its programs have alone', async () => {
  const shots = 20;
  const observables = ALL_Z;
  const values = { observables, return: ['counts', 'expectation', 'variance'] };
  const different = Array.from({ length: 150 }, (_, i) => ({
    name: `program ${i}`,
    circuit: [...rotated(i / 10, i / 7), { gate: 'RX', qubit: i % 2, theta: { input: 'c' } }],
    inputs: { c: i },
  }));
  const qasm = (count: string, body: string) =>
    `OPENQASM 3.0; include "stdgates.inc"; ${count} qubit[2] q; bit[2] c; ${body} c = measure q;`;
  const loop = 'for int i in [0:n] { ry(i) q[0]; cx q[0], q[1]; }';
  const n = Array.from({ length: 100 }, (_, i) => i);
  const special = [
    { ...values, qasm: qasm('input int n;', loop), inputs: { n } },
    {
      qasm: qasm(
        '',
        'h q[0]; do = measure q[0]; while (do) { h q[0]; do = measure q[0]; }',
      ).replace('bit[2] c;', 'bit[2] c; bit do;'),
    },
    {
      ...values,
      circuit: [
        {
          gate: 'UNITARY',
          qubits: [1],
          matrix: [
            [
              [0, 0],
              [1, 0],
            ],
            [
              [1, 0],
              [0, 0],
            ],
          ],
        },
      ],
    },
    { circuit: ROTATED, inputs: { a: 1, b: 2 }, observables, return: ['expectation'] },
  ];
  const programs = [...different, ...special].map((program, i) => ({ ...program, seed: i }));
  const { points, programs: together } = await run(programs, { shots });
  expect(points).toBe(253);
  for (const i of [0, 63, 64, 149, 150, 151, 152, 153]) {
    const [alone] = (await run([programs[i]!], { shots })).programs;
    expect(together[i]).toEqual(alone);
  }
});

describe('a batch as a job', () => {
  const PROGRAM = { circuit: ROTATED, inputs: { a: [0.1, 0.2], b: 1 }, shots: 5 };
  const body = { target_processor: 'statevector-sim', programs: [PROGRAM], seed: 1 };

  test('is answered at once, listed, read, and deleted', async () => {
    const answer = await post({ ...body, name: 'mine', tags: ['t'] }, { prefer: 'respond-async' });
    expect(answer.statusCode).toBe(201);
    const { data } = answer.json();
    expect(data.batch_id).toMatch(/^batch_[0-9a-f]{32}$/);
    expect(answer.headers['location']).toBe(`/api/v1/quantum/batches/${data.batch_id}`);
    expect(data).not.toHaveProperty('programs');
    const record = async () => (await service.get(`/quantum/batches/${data.batch_id}`)).json().data;
    await eventually(async () => (await record()).status === 'completed');
    const { request, ...completed } = await record();
    expect(request).toEqual({ ...body, name: 'mine', tags: ['t'] });
    expect(batchRecord.safeParse(completed).error?.issues ?? []).toEqual([]);
    expect(completed.programs[0].counts).toHaveLength(2);
    const listed = (await service.get('/quantum/batches?name=mine')).json().data.batches;
    expect(listed).toHaveLength(1);
    expect(listed[0]).not.toHaveProperty('programs');
    const events = await service.get(`/quantum/batches/${data.batch_id}/events`);
    expect(events.body).toContain('event: done');
    const url = `/quantum/batches/${data.batch_id}`;
    expect((await service.request({ method: 'DELETE', url })).statusCode).toBe(204);
    expect((await service.get(url)).statusCode).toBe(404);
  });

  test('with an Idempotency-Key runs once', async () => {
    const headers = { 'idempotency-key': 'batch-1' };
    const first = (await post(body, headers)).json().data;
    const again = await post(body, headers);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.json().data).toEqual(first);
  });

  test('fails with the program that fails', async () => {
    const qasm = 'OPENQASM 3.0; qubit q; bit c; c = measure q; while (!c) { c = measure q; }';
    const endless = { ...body, programs: [PROGRAM, { qasm, shots: 2 }] };
    const answer = await post(endless);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.message).toContain('programs[1]: ');
    const url = String(answer.headers['location']).slice('/api/v1'.length);
    const { data } = (await service.get(url)).json();
    expect(data.error.message).toMatch(/^programs\[1\]: /);
  });

  test('is cancelled while it runs', async () => {
    const x = Array.from({ length: 50_000 }, (_, i) => i);
    const circuit = Array.from({ length: 200 }, (_, i) => ({
      gate: 'RY',
      qubit: i % 12,
      theta: { input: 'x' },
    }));
    const long = {
      ...body,
      programs: [{ circuit, inputs: { x }, observables: [{ pauli: 'Z0' }] }],
    };
    const { batch_id: id } = (await post(long, { prefer: 'respond-async' })).json().data;
    const url = `/quantum/batches/${id}`;
    await eventually(async () => (await service.get(url)).json().data.progress > 0);
    const { data } = (await service.request({ method: 'POST', url: `${url}/cancel` })).json();
    expect(data.status).toBe('cancelled');
    // Its parts are gone, and others run.
    expect(await runner.parts(id)).toEqual([]);
    await run([PROGRAM]);
  });
});

describe('a refused batch', () => {
  const program = { circuit: ROTATED, inputs: { a: 0.1, b: 0.2 }, shots: 5 };
  const good = { target_processor: 'statevector-sim', programs: [program] };
  const within = (changes: Body) => ({ ...good, programs: [program, { ...program, ...changes }] });

  test.each<[string, unknown, RegExp]>([
    ['without programs', { ...good, programs: [] }, /^programs: /],
    ['whose programs are no list', { ...good, programs: 3 }, /^programs: /],
    [
      'for an unknown processor',
      { ...good, target_processor: 'x' },
      /^target_processor: There is no processor "x"/,
    ],
    ['with an unknown field', { ...good, shot: 3 }, /^shot: .*shots/],
    ['with an unknown field of a program', within({ shot: 3 }), /^programs\[1\]\.shot: /],
    [
      'with detectors',
      within({ detectors: [[0]] }),
      /^programs\[1\]\.detectors: Programs of a batch have no detectors; circuits do, at POST/,
    ],
    [
      'with a bad gate',
      within({ circuit: [{ gate: 'RQ', qubit: 0 }] }),
      /^programs\[1\]\.circuit\[0\]\.gate: /,
    ],
    [
      'with neither circuit nor qasm',
      within({ circuit: undefined }),
      /^programs\[1\]\.circuit: Required/,
    ],
    [
      'with a program that is none',
      { ...good, programs: [program, null] },
      /^programs\[1\]: A program is a JSON object, not null\./,
    ],
    [
      'with arrays of two lengths',
      within({ inputs: { a: [1, 2], b: [1, 2, 3] } }),
      /^programs\[1\]\.inputs\.b: /,
    ],
    ['with an empty array', within({ inputs: { a: [], b: 1 } }), /^programs\[1\]\.inputs\.a: /],
    [
      'with text in an array',
      within({ inputs: { a: [1, 'x'], b: 1 } }),
      /^programs\[1\]\.inputs\.a\[1\]: /,
    ],
    [
      'with a packed array of another length',
      within({ inputs: { a: { dtype: '<f8', shape: [3], data: 'AAAA' }, b: 1 } }),
      /^programs\[1\]\.inputs\.a\.data: 3 bytes; 3 numbers .* are 24\./,
    ],
    [
      'with a packed array of another type',
      within({ inputs: { a: { dtype: '<f4', shape: [1], data: 'AAAA' }, b: 1 } }),
      /^programs\[1\]\.inputs\.a\.dtype: dtype must be <f8/,
    ],
    [
      'with a packed array of two dimensions',
      within({ inputs: { a: { dtype: '<f8', shape: [1, 1], data: 'AAAAAAAA8D8=' }, b: 1 } }),
      /^programs\[1\]\.inputs\.a\.shape: .* not 2\./,
    ],
    [
      'with an object that is no packed array',
      within({ inputs: { a: { value: 1 }, b: 1 } }),
      /^programs\[1\]\.inputs\.a: An input is a number, .*base64/,
    ],
    [
      'with characters in a packed array that are not base64',
      within({ inputs: { a: { dtype: '<f8', shape: [1], data: 'AAAAAA$AAAAA=' }, b: 1 } }),
      /^programs\[1\]\.inputs\.a\.data: This is not base64/,
    ],
    [
      'with an input that is missing',
      within({ inputs: { a: 1 } }),
      /^programs\[1\]\.inputs\.b: It has no value/,
    ],
    [
      'with an input that is not used',
      within({ inputs: { a: 1, b: 2, c: 3 } }),
      /^programs\[1\]\.inputs\.c: /,
    ],
    [
      'that asks for counts without shots',
      within({ shots: undefined }),
      /^programs\[1\]\.shots: Required/,
    ],
    [
      'that asks for values without observables',
      within({ return: ['expectation'] }),
      /^programs\[1\]\.observables: Required/,
    ],
    [
      'with observables that nobody asks for',
      within({ return: ['counts'], observables: ALL_Z }),
      /^programs\[1\]\.observables: Only/,
    ],
    [
      'with an observable of a qubit that is not there',
      within({ observables: [{ pauli: 'Z7' }] }),
      /^programs\[1\]\.observables\[0\]\.pauli: /,
    ],
    [
      'that estimates from one shot',
      within({ shots: 1, observables: ALL_Z }),
      /^programs\[1\]\.shots: At least 2/,
    ],
    [
      'that asks for a gradient by no numbers',
      within({
        circuit: [{ gate: 'H', qubit: 0 }],
        inputs: undefined,
        observables: ALL_Z,
        qubits: 2,
        return: ['gradient'],
      }),
      /^programs\[1\]\.return: gradient is by the inputs/,
    ],
    [
      'that asks for a gradient by the bound of a loop',
      within({
        circuit: undefined,
        qasm: 'OPENQASM 3.0; include "stdgates.inc"; input int n; input float a; qubit[2] q; for int i in [0:n] { rx(a) q[0]; }',
        inputs: { n: 2, a: 1 },
        observables: ALL_Z,
        return: ['gradient'],
      }),
      /^programs\[1\]\.inputs\.n: The input "n" decides which gates run \(line 1\)/,
    ],
    [
      'that asks for a gradient by an input that it does not have',
      within({ observables: ALL_Z, return: ['gradient'], gradient_inputs: ['a', 'c'] }),
      /^programs\[1\]\.gradient_inputs\[1\]: The program has no input "c"/,
    ],
    [
      'that names an input of a gradient twice',
      within({ observables: ALL_Z, return: ['gradient'], gradient_inputs: ['a', 'a'] }),
      /^programs\[1\]\.gradient_inputs\[1\]: a is named twice/,
    ],
    [
      'that names inputs of a gradient that it does not ask for',
      within({ gradient_inputs: ['a'] }),
      /^programs\[1\]\.gradient_inputs: Only taken where return has "gradient"/,
    ],
    [
      'that names the bound of a loop and a boolean as inputs of a gradient',
      within({
        circuit: undefined,
        qasm: 'OPENQASM 3.0; include "stdgates.inc"; input int n; input bool c; qubit[2] q; for int i in [0:n] { x q[0]; } if (c) x q[1];',
        inputs: { n: 2, c: true },
        observables: ALL_Z,
        return: ['gradient'],
        gradient_inputs: ['c', 'n'],
      }),
      /^programs\[1\]\.gradient_inputs\[0\]: The input "c" is a boolean.*\nprograms\[1\]\.gradient_inputs\[1\]: The input "n" decides which gates run/,
    ],
    [
      'that asks for a gradient and measures in the middle',
      within({
        circuit: [...ROTATED, { gate: 'M', qubits: [0] }, ...ROTATED],
        observables: ALL_Z,
        return: ['gradient'],
      }),
      /^programs\[1\]\.return: gradient needs a circuit whose measurements/,
    ],
    [
      'that asks for an exact gradient of the widest state',
      within({ qubits: 20, observables: ALL_Z, return: ['gradient'], shots: undefined }),
      /^programs\[1\]\.return: gradient of 20 qubits; it holds two states/,
    ],
    ['with too many shots', within({ shots: 2_000_000 }), /^programs\[1\]\.shots: 2000000 shots/],
    ['with too many qubits', within({ qubits: 40 }), /^programs\[1\]\.qubits: |40 qubits/],
    [
      'with too long an answer of counts',
      within({
        circuit: [{ gate: 'RY', qubit: 0, theta: { input: 'a' } }],
        qubits: 16,
        inputs: { a: Array(2000).fill(0) },
        shots: 60_000,
      }),
      /^programs: The answer may have .* bytes of counts/,
    ],
    [
      'with too long an answer of counts in base64',
      within({
        circuit: [{ gate: 'RY', qubit: 0, theta: { input: 'a' } }],
        qubits: 16,
        inputs: { a: Array(2000).fill(0) },
        shots: 60_000,
        array_format: 'base64',
      }),
      // 320,006 a point: 4 and 60,000 × (2 + 2) bytes, as base64.
      /^programs: The answer may have 640012\d{3} bytes of counts/,
    ],
    [
      'with too many numbers',
      within({
        circuit: [{ gate: 'RY', qubit: 0, theta: { input: 'a' } }],
        qubits: 16,
        inputs: { a: Array(5000).fill(0) },
        shots: undefined,
        return: ['probabilities'],
      }),
      /^programs: The answer would have 327680000 numbers/,
    ],
  ])('%s says where and why', async (_, body, wanted) => {
    const faults = await faultsOf(body);
    expect(faults.join('\n')).toMatch(new RegExp(wanted.source, 'm'));
  });

  test('lists the faults of several programs', async () => {
    const faults = await faultsOf({
      ...good,
      programs: [{ ...program, inputs: { a: 1 } }, program, { ...program, shots: 0 }],
    });
    expect(faults.some((fault) => fault.startsWith('programs[0].'))).toBe(true);
    expect(faults.some((fault) => fault.startsWith('programs[2].shots'))).toBe(true);
  });

  test('has loops that never end named once, for all of its programs', async () => {
    const endless = (body: string) => ({
      qasm: `OPENQASM 3.0; include "stdgates.inc"; input int n; qubit q; while (n > 0) { ${body} }`,
      inputs: { n: 1 },
      shots: 5,
    });
    const faults = await faultsOf({
      ...good,
      programs: [program, { ...program, shots: 0 }, ...Array(100).fill(endless('')), { shots: 0 }],
    });
    expect(faults).toEqual([
      expect.stringMatching(/^programs\[1\]\.shots: /),
      expect.stringMatching(/^programs\[2\]\.qasm: .*too many steps: .* Does a loop never end\?/),
    ]);
  });

  test('of more points than a million, read in a process, says how many', async () => {
    const point = { ...program, inputs: { a: Array(600_000).fill(0.5), b: 1 } };
    const faults = await faultsOf({ ...good, programs: [point, point] });
    expect(faults).toEqual(['programs: 1200000 points in all; the limit is 1000000.']);
  });

  test('reports that a processor is offline', async () => {
    const answer = await post({ ...good, target_processor: 'superconducting-1' });
    expect(answer.statusCode).toBe(503);
  });
});
