/**
 * Circuits through the whole service: HTTP, job in SQLite, worker thread, compiler, CPU engine, and
 * back.
 *
 * Statistics have fixed seeds, so a test passes always or never; the bound is the value that
 * chi-squared exceeds once in a thousand seeds at the test's degrees of freedom.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { ENDLESS_SHOTS, endlessCircuit } from '../support/lasting-circuit.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';
import type { TestService } from './support/test-service.ts';

let opened: FleetService;
let service: TestService;

beforeAll(async () => {
  opened = await openFleetService();
  ({ service } = opened);
});
afterAll(() => opened[Symbol.asyncDispose]());

const SHOTS = 20_000;
/** A circuit of which no test sees the end. */
const ENDLESS = {
  circuit: endlessCircuit(18),
  target_processor: 'statevector-sim',
  shots: ENDLESS_SHOTS,
};
const ghz = (numQubits: number) => [
  { gate: 'H', qubit: 0 },
  ...Array.from({ length: numQubits - 1 }, (_, i) => ({ gate: 'CX', control: i, target: i + 1 })),
];

async function run(body: object) {
  const answer = await service.submit({
    target_processor: 'statevector-sim',
    shots: SHOTS,
    seed: 2026,
    ...body,
  });
  expect([answer.statusCode, answer.body.slice(0, 500)]).toEqual([201, expect.anything()]);
  return answer.json().data;
}

/** Pearson's statistic of counts against expected probabilities; infinite for an impossible count. */
function chiSquared(
  counts: Readonly<Record<string, number>>,
  expected: Readonly<Record<string, number>>,
): number {
  for (const label of Object.keys(counts)) if (!(label in expected)) return Infinity;
  return Object.entries(expected).reduce((sum, [label, probability]) => {
    const mean = SHOTS * probability;
    return sum + ((counts[label] ?? 0) - mean) ** 2 / mean;
  }, 0);
}

describe('counts', () => {
  test.each([2, 3, 10])('of a GHZ state of %i qubits are half zeros, half ones', async (n) => {
    const { counts, qubits } = await run({ circuit: ghz(n) });
    expect(qubits).toBe(n);
    const half = { ['0'.repeat(n)]: 0.5, ['1'.repeat(n)]: 0.5 };
    // One degree of freedom.
    expect(chiSquared(counts, half)).toBeLessThan(10.83);
  });

  test('of three rotated qubits follow their product distribution', async () => {
    const thetas = [0.7, 1.9, 2.6];
    const circuit = thetas.map((theta, qubit) => ({ gate: 'RY', qubit, theta }));
    const { counts } = await run({ circuit });
    const expected: Record<string, number> = {};
    for (let outcome = 0; outcome < 8; outcome++) {
      const label = outcome.toString(2).padStart(3, '0');
      expected[label] = thetas.reduce(
        (product, theta, qubit) =>
          product * (outcome & (1 << qubit) ? Math.sin(theta / 2) ** 2 : Math.cos(theta / 2) ** 2),
        1,
      );
    }
    // Seven degrees of freedom.
    expect(chiSquared(counts, expected)).toBeLessThan(24.32);
  });

  test('have classical bit 0 rightmost', async () => {
    expect((await run({ circuit: [{ gate: 'X', qubit: 0 }], qubits: 3 })).counts).toEqual({
      '001': SHOTS,
    });
    const circuit = [
      { gate: 'X', qubit: 0 },
      { gate: 'M', qubits: [0], bits: [1] },
      { gate: 'M', qubits: [1], bits: [0] },
    ];
    const { counts, measured_qubits } = await run({ circuit });
    expect(counts).toEqual({ '10': SHOTS });
    expect(measured_qubits).toEqual([1, 0]);
  });

  test('of one seed are the same on both simulators, and of another seed are not', async () => {
    const circuit = ghz(4).concat([{ gate: 'H', qubit: 1 }]);
    const first = await run({ circuit });
    const again = await run({ circuit });
    const elsewhere = await run({ circuit, target_processor: 'gpu-fleet' });
    const other = await run({ circuit, seed: 2027 });
    expect(again.counts).toEqual(first.counts);
    expect(elsewhere.counts).toEqual(first.counts);
    expect(other.counts).not.toEqual(first.counts);
  });

  test.each([
    ['549755813889', '1'],
    ['549755813888', '0'],
    // 2^40 is no number of 40 bits.
    ['1099511627776', '0'],
  ])('of a condition on 40 bits that reads %s', async (value, expected) => {
    const qasm = `OPENQASM 2.0; include "qelib1.inc"; qreg q[2]; creg c[40]; creg d[1];
      x q[0]; measure q[0] -> c[0]; measure q[0] -> c[39]; if (c == ${value}) x q[1];
      measure q[1] -> d[0];`;
    const body = { qasm, target_processor: 'statevector-sim', shots: 10 };
    const { data } = (await service.submit(body)).json();
    expect(data.counts).toEqual({ [`${expected}1${'0'.repeat(38)}1`]: 10 });
  });

  test('of teleportation, by measurement and conditions, are those of the state sent', async () => {
    const theta = 1.1;
    const circuit = [
      { gate: 'RY', qubit: 0, theta },
      { gate: 'H', qubit: 1 },
      { gate: 'CX', control: 1, target: 2 },
      { gate: 'CX', control: 0, target: 1 },
      { gate: 'H', qubit: 0 },
      { gate: 'M', qubits: [0, 1], bits: [0, 1] },
      { gate: 'X', qubit: 2, condition: { bits: [1], value: 1 } },
      { gate: 'Z', qubit: 2, condition: { bits: [0], value: 1 } },
      { gate: 'M', qubits: [2], bits: [2] },
    ];
    const { counts } = await run({ circuit });
    const one = Math.sin(theta / 2) ** 2;
    const expected: Record<string, number> = {};
    for (const bell of ['00', '01', '10', '11']) {
      expected[`0${bell}`] = (1 - one) / 4;
      expected[`1${bell}`] = one / 4;
    }
    // Seven degrees of freedom.
    expect(chiSquared(counts, expected)).toBeLessThan(24.32);
  });
});

describe('exact results', () => {
  test('are amplitudes, probabilities and expectation values without shot noise', async () => {
    const theta = 0.5;
    const data = await run({
      circuit: [
        { gate: 'RY', qubit: 0, theta },
        { gate: 'CX', control: 0, target: 1 },
      ],
      shots: 1,
      return: ['statevector', 'probabilities', 'expectation'],
      observables: [{ pauli: 'Z0' }, [{ pauli: 'Z0 Z1', coefficient: 2 }, { pauli: 'I' }]],
    });
    const [c, s] = [Math.cos(theta / 2), Math.sin(theta / 2)];
    const real = data.statevector.map(([re]: [number, number]) => re);
    for (const [i, value] of [c, 0, 0, s].entries()) expect(real[i]).toBeCloseTo(value, 12);
    expect(data.probabilities['00']).toBeCloseTo(c * c, 12);
    expect(data.probabilities['11']).toBeCloseTo(s * s, 12);
    expect(data.expectation.values[0]).toBeCloseTo(Math.cos(theta), 12);
    expect(data.expectation.values[1]).toBeCloseTo(3, 12);
    expect(data.expectation.sum).toBeCloseTo(3 + Math.cos(theta), 12);
    expect(data).not.toHaveProperty('counts');
  });

  test("are those of a program with Braket's pragmas", async () => {
    // |q0⟩ is the more significant bit of the matrix: q0 = 1 turns q1 about Y, whose angle is π/3.
    const [c, s] = [Math.cos(Math.PI / 6), Math.sin(Math.PI / 6)];
    const rows = [
      [1, 0, 0, 0],
      [0, 1, 0, 0],
      [0, 0, c, -s],
      [0, 0, s, c],
    ];
    const qasm = [
      'OPENQASM 3.0;\nqubit[2] q;\nx q[0];',
      `#pragma braket unitary([${rows.map((row) => `[${row.join(', ')}]`).join(', ')}]) q[0], q[1]`,
      '#pragma braket verbatim\nbox { v q[0]; vi q[0]; }',
      '#pragma braket result state_vector',
      '#pragma braket result expectation z(q[0]) @ h(q[1])',
    ].join('\n');
    const body = { qasm, target_processor: 'statevector-sim', shots: 1 };
    const { data } = (await service.submit(body)).json();
    for (const [i, amplitude] of [0, c, 0, s].entries()) {
      expect(data.statevector[i][0]).toBeCloseTo(amplitude, 12);
      expect(data.statevector[i][1]).toBeCloseTo(0, 12);
    }
    // −⟨X + Z⟩/√2 of the second qubit.
    const expected = -(2 * c * s + c * c - s * s) / Math.SQRT2;
    expect(data.expectation.values[0]).toBeCloseTo(expected, 12);
    expect(data).not.toHaveProperty('warnings');
  });

  test('are given where a measurement of one qubit comes before gates on another', async () => {
    const circuit = [
      { gate: 'M', qubits: [0] },
      { gate: 'X', qubit: 1 },
      { gate: 'M', qubits: [1] },
    ];
    const { probabilities } = await run({ circuit, return: ['probabilities'] });
    expect(probabilities).toEqual({ '10': 1 });
  });
});

test('the answer says what really ran the circuit and how long it took', async () => {
  const { backend, compilation, timing } = await run({ circuit: ghz(3) });
  expect(backend).toMatchObject({ engine: 'cpu', execution: 'cpu', precision: 'f64' });
  expect(compilation.gates.before).toBe(3);
  expect(compilation.state_passes).toBeGreaterThan(0);
  expect(timing.execution_ms).toBeGreaterThan(0);
});

test('every operation of the catalog runs', async () => {
  const { data } = (await service.get('/quantum/operations')).json();
  const gates = data.operations.map(({ gate }: { gate: string }) => gate);
  expect(gates.length).toBeGreaterThan(40);
  await Promise.all(
    data.operations.map(async ({ example }: { example: object }) => {
      const { status } = await run({ circuit: [example], qubits: 4, shots: 10 });
      expect(status).toBe('completed');
    }),
  );
});

test('every example of the OpenAPI document runs', async () => {
  const document = (await service.app.inject({ url: '/api/v1/openapi.json' })).json();
  const { examples } = document.components.schemas.CircuitSubmissionInput;
  expect(examples.length).toBeGreaterThan(2);
  for (const example of examples) expect((await run(example)).status).toBe('completed');
});

test('of ten submissions at the same time with one idempotency key one runs', async () => {
  const body = { circuit: ghz(2), target_processor: 'statevector-sim', shots: 100 };
  const headers = { 'idempotency-key': 'ten at once', 'x-api-key': await service.createKey() };
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => service.submit(body, headers)),
  );
  const data = answers.map((answer) => answer.json().data);
  expect(data[0].status).toBe('completed');
  expect(data).toEqual(new Array(10).fill(data[0]));
  const { circuits } = (await service.get('/quantum/circuits', headers)).json().data;
  expect(circuits).toHaveLength(1);
});

test('superconducting-1 is listed, is not available, and answers 503', async () => {
  const { data } = (await service.get('/quantum/processors/superconducting-1')).json();
  expect(data).toMatchObject({ available: false, qubits: 0, reason: expect.any(String) });
  const answer = await service.submit({
    circuit: [],
    qubits: 1,
    target_processor: 'superconducting-1',
    shots: 1,
  });
  expect(answer.statusCode).toBe(503);
});

test('circuits that wait are told their places and when each is expected to start', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) {
    const answer = await service.submit(ENDLESS, { prefer: 'respond-async' });
    ids.push(answer.json().data.circuit_id);
  }
  let waiting: { queue_position?: number; expected_start_at: string }[] = [];
  await eventually(async () => {
    // One answer shows all at one moment, newest first. One that is still being read has no place yet.
    const { circuits } = (await service.get('/quantum/circuits?limit=4')).json().data;
    waiting = circuits.filter(({ status }: { status: string }) => status === 'queued').reverse();
    expect(waiting.length).toBeGreaterThan(1);
    expect(waiting.map((record) => record.queue_position)).toEqual([...waiting.keys()]);
  });
  const starts = waiting.map((record) => Date.parse(record.expected_start_at));
  for (const [i, start] of starts.entries()) {
    // Each of them takes all threads for an hour or more.
    if (i > 0) expect(start).toBeGreaterThan(starts[i - 1] ?? 0);
  }
  for (const id of ids) {
    await service.request({ method: 'POST', url: `/quantum/circuits/${id}/cancel` });
  }
});

test('cancelling really stops a long circuit', async () => {
  const answer = await service.submit(ENDLESS, { prefer: 'respond-async' });
  const url = `/quantum/circuits/${answer.json().data.circuit_id}`;
  while ((await service.get(url)).json().data.status === 'queued') {
    await new Promise((resolve) => setImmediate(resolve));
  }
  const cancelled = await service.request({ method: 'POST', url: `${url}/cancel` });
  expect(cancelled.json().data.status).toBe('cancelled');
  const running = () => opened.fleet.processors.reduce((sum, each) => sum + each.load().running, 0);
  // The circuit would take an hour; the test's time limit is the bound on stopping it.
  while (running() > 0) await new Promise((resolve) => setImmediate(resolve));
  expect((await service.get(url)).json().data.status).toBe('cancelled');
  expect((await run({ circuit: ghz(2) })).status).toBe('completed');
});
