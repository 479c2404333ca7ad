// @needs processes
/** Circuits of more qubits and classical bits than a state vector holds, over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { circuitRecord } from '../../src/service/schemas/circuits.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';
import type { TestService } from './support/test-service.ts';

let opened: FleetService;
let service: TestService;

beforeAll(async () => {
  opened = await openFleetService({}, [], 100_000);
  ({ service } = opened);
});
afterAll(() => opened[Symbol.asyncDispose]());

type Body = Readonly<Record<string, unknown>>;

const post = (url: string, body: Body) =>
  service.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ target_processor: 'qvm', ...body }),
  });

async function run(body: Body) {
  const answer = await post('/quantum/circuits', { shots: 100, seed: 3, ...body });
  expect([answer.statusCode, answer.body.slice(0, 600)]).toEqual([201, expect.anything()]);
  const { data } = answer.json();
  expect(circuitRecord.safeParse(data).error?.issues ?? []).toEqual([]);
  return data;
}

const HEADER = 'OPENQASM 3.0; include "stdgates.inc";';
const ghz = (numQubits: number) => [
  { gate: 'H', qubit: 0 },
  ...Array.from({ length: numQubits - 1 }, (_, i) => ({ gate: 'CX', control: i, target: i + 1 })),
];

describe('labels of more than 64 bits', () => {
  test('have a hexadecimal digit for every four bits, in counts and memory', async () => {
    const qasm = `${HEADER} qubit q; bit[2000] c; x q; c[1999] = measure q; c[36] = measure q;`;
    const data = await run({ qasm, shots: 2, return: ['counts', 'memory'] });
    const label = `0x8${'0'.repeat(489)}1${'0'.repeat(9)}`;
    expect(BigInt(label)).toBe(2n ** 1999n + 2n ** 36n);
    expect(label).toHaveLength(2 + 2000 / 4);
    expect(data).toMatchObject({ label_format: 'hex', counts: { [label]: 2 } });
    expect(data.memory).toEqual([label, label]);
  });

  test.each([
    [65, '0x10000000000000001'],
    [66, '0x20000000000000001'],
    [96, '0x800000000000000000000001'],
    [97, '0x1000000000000000000000001'],
  ])('begin with the digit of the highest of %i bits', async (numBits, label) => {
    const qasm = `${HEADER} qubit q; bit[${numBits}] c; x q; c[${numBits - 1}] = measure q; c[0] = measure q;`;
    expect((await run({ qasm, shots: 5 })).counts).toEqual({ [label]: 5 });
  });

  test('are bounded: shots times bits', async () => {
    const qasm = `${HEADER} qubit q; bit[65536] c; x q; c[65535] = measure q;`;
    expect(Object.values((await run({ qasm, shots: 3 })).counts)).toEqual([3]);
    const answer = await post('/quantum/circuits', { qasm, shots: 5000 });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details[0]).toMatchObject({
      path: 'shots',
      message: '5000 shots of 65536 classical bits; the limit is 4096 shots (2^28 bits in all).',
    });
  });
});

describe('POST /quantum/compile', () => {
  test('writes circuits that no state vector holds', async () => {
    const h = { gate: 'H', qubit: 0 };
    const circuit = [h, h, ...ghz(2000), { gate: 'M', qubits: [0, 1999] }];
    const answer = await post('/quantum/compile', { circuit });
    expect(answer.statusCode).toBe(200);
    const { qubits, compilation } = answer.json().data;
    expect(qubits).toBe(2000);
    expect(compilation.gates).toEqual({ before: 2002, after: 2000 });
    expect(compilation).toMatchObject({ kernels: 0, sweeps: 0, bytes_moved: 0 });
  });
});

describe('the register', () => {
  const tooMany = 'the limit max_qubits is 20000';

  test.each([
    ['gate objects', { circuit: [{ gate: 'H', qubit: 20_000 }] }, tooMany],
    ['qubits', { circuit: [{ gate: 'H', qubit: 0 }], qubits: 20_001 }, tooMany],
    ['OpenQASM', { qasm: `${HEADER} qubit[20001] q; h q[0];` }, tooMany],
  ])('of %s has at most 20,000 qubits', async (_, body, problem) => {
    const answer = await post('/quantum/circuits', { ...body, shots: 1 });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details[0].message).toContain(problem);
  });

  test('of statevector-sim has as many as its memory holds', async () => {
    const body = { target_processor: 'statevector-sim', circuit: ghz(60), shots: 1 };
    const answer = await post('/quantum/circuits', body);
    expect(answer.json().error.details[0].message).toContain('the limit max_qubits is 20.');
  });
});
