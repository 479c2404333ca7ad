/** Programs in QIR over HTTP. What instructions mean is held to qir-runner in test/unit/circuit/qir. */
import { readFileSync } from 'node:fs';
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

const BELL = readFileSync('examples/bell.ll', 'utf8');
const BITCODE = readFileSync('test/data/qir/registers.bc').toString('base64');
const LOOP = readFileSync('test/data/qir/repeat-until.ll', 'utf8');
const QVM = { target_processor: 'qvm', shots: 200, seed: 3 };

const post = async (path: string, body: object, headers = {}) => {
  const answer = await service.app.inject({
    method: 'POST',
    url: `/api/v1${path}`,
    headers: { 'x-api-key': service.key, ...headers },
    payload: body,
  });
  return answer.json();
};

test('the answer says what the program records, and where in the labels of counts', async () => {
  const { data } = await post('/quantum/circuits', { ...QVM, qir: BELL });
  expect(() => circuitRecord.parse(data)).not.toThrow();
  expect(Object.keys(data.counts).sort()).toEqual(['00', '11']);
  expect(data.recorded_outputs).toEqual([
    { type: 'tuple', label: '', size: 2 },
    { type: 'result', label: 'alice', bit: 0, width: 1 },
    { type: 'result', label: 'bob', bit: 1, width: 1 },
  ]);
  expect(data.measured_qubits).toEqual([0, 1]);
});

test('bitcode and loops on measurements run', async () => {
  const { data } = await post('/quantum/circuits', { ...QVM, qir: BITCODE });
  expect(data.status).toBe('completed');
  const labels = data.recorded_outputs.map(({ label }: { label: string }) => label);
  expect(labels).toEqual(['a', 'b', 'd', 'tk_SCRATCH_BIT']);
  const looped = await post('/quantum/circuits', { ...QVM, qir: LOOP });
  expect(looped.data.status).toBe('completed');
});

test('noise and emulated devices take a program', async () => {
  const noise = { gates: [{ gates: ['CX'], channel: { type: 'depolarizing', probability: 0.5 } }] };
  const noisy = await post('/quantum/circuits', { ...QVM, qir: BELL, noise });
  expect(Object.keys(noisy.data.counts)).toHaveLength(4);
  const fitted = await post('/quantum/circuits', {
    ...{ qir: BELL, target_processor: 'emulator-ibm-fez' },
    ...{ shots: 500, seed: 3 },
  });
  const { '00': zeros = 0, '11': ones = 0 } = fitted.data.counts;
  expect(zeros + ones).toBeGreaterThan(400);
});

test('a batch takes programs beside others', async () => {
  const { data } = await post('/quantum/batches', {
    target_processor: 'qvm',
    programs: [
      { qir: BELL, shots: 100, return: ['counts'] },
      { qir: BELL, return: ['expectation'], observables: [{ pauli: 'Z0 Z1', coefficient: 1 }] },
      { qasm: 'qubit q; bit c; x q; c = measure q;', shots: 100, return: ['counts'] },
    ],
  });
  const [first, second, third] = data.programs;
  expect(Object.keys(first.counts[0]).sort()).toEqual(['00', '11']);
  expect(second.expectation[0][0]).toBeCloseTo(1);
  expect(third.counts[0]).toEqual({ 1: 100 });
});

test('an experiment tells tasks apart that differ in their program alone', async () => {
  const task = { detectors: [[0]], logical_observables: [[0]], max_shots: 1024, decoder: 'none' };
  const plain = BELL.replace(/.*call void @__quantum__qis__h__body.*\n/, '');
  const flipped = BELL.replace('h__body(ptr inttoptr (i64 0', 'x__body(ptr inttoptr (i64 0');
  const noise = { gates: [{ gates: ['X'], channel: { type: 'bit_flip', probability: 0.25 } }] };
  const { data } = await post(
    '/quantum/experiments',
    {
      target_processor: 'qvm',
      seed: 5,
      tasks: [plain, flipped].map((qir) => ({ ...task, noise, qir })),
    },
    { prefer: 'wait=30' },
  );
  const [quiet, noisy] = data.tasks;
  expect(quiet.errors).toBe(0);
  expect(Math.abs(noisy.logical_error_rate - 0.25)).toBeLessThan(0.07);
  expect(quiet.strong_id).not.toBe(noisy.strong_id);
});

test('a compiled circuit is written in the base profile, and runs again', async () => {
  const qasm =
    'include "stdgates.inc"; qubit[3] q; bit[3] c; h q[0]; cp(0.3) q[0], q[1]; u3(0.1,0.2,0.3) q[2]; ccx q[0], q[1], q[2]; c = measure q;';
  const body = { target_processor: 'statevector-sim', format: 'qir' };
  const { data } = await post('/quantum/compile', { ...body, qasm });
  expect(data.qir).toContain('"qir_profiles"="base_profile"');
  const exact = { target_processor: 'statevector-sim', shots: 1, return: ['probabilities'] };
  const written = await post('/quantum/circuits', { ...exact, qir: data.qir });
  const given = await post('/quantum/circuits', { ...exact, qasm });
  for (const [label, p] of Object.entries(given.data.probabilities)) {
    expect(written.data.probabilities[label] ?? 0).toBeCloseTo(p as number, 9);
  }
  const again = await post('/quantum/compile', { ...body, qir: data.qir });
  expect(again.data.qir).toContain('__quantum__qis__mz__body');
});

test.each([
  [{ qir: BELL, qasm: 'qubit q;' }, 'qir', 'Give either qasm or qir, not both.'],
  [{ qir: BELL, inputs: { a: 1 } }, 'inputs', 'A program in QIR has no inputs.'],
  [{ qir: 'ret void' }, 'qir', 'QIR line 1, column 1: expected a function'],
  [{ qir: 'QkPA3jUUAAA=' }, 'qir', 'QIR bitcode: '],
  [
    { qir: BELL.replace('cnot__body', 'fsim__body') },
    'qir',
    'QIR line 9, column 3: @__quantum__qis__fsim__body is not supported.',
  ],
])('refused with the place: %#', async (body, path, message) => {
  const { error } = await post('/quantum/circuits', { ...QVM, ...body });
  expect(error.status).toBe(400);
  expect(error.details).toContainEqual(
    expect.objectContaining({ path, message: expect.stringContaining(message) }),
  );
});

test('what the base profile cannot express is refused when it is written', async () => {
  const condition =
    'include "stdgates.inc"; qubit[2] q; bit[2] c; h q[0]; c[0] = measure q[0]; if (c[0]) x q[1]; c[1] = measure q[1];';
  const { error } = await post('/quantum/compile', {
    ...{ target_processor: 'statevector-sim', format: 'qir', qasm: condition },
  });
  expect(error.status).toBe(400);
  expect(error.message).toContain('is under a condition');
  const looped = await post('/quantum/compile', {
    ...{ target_processor: 'statevector-sim', format: 'qir', qir: LOOP },
  });
  expect(looped.error.details[0].path).toBe('qir');
});
