/** Hexadecimal labels of outcomes where a request asks for them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openGoldenService } from '../golden/service/golden-service.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';

let opened: FleetService;
beforeAll(async () => {
  opened = await openFleetService();
});
afterAll(() => opened[Symbol.asyncDispose]());

/** Six bits, of which the lowest and the highest are 1. */
const CIRCUIT = [
  { gate: 'X', qubit: 0 },
  { gate: 'X', qubit: 5 },
];

async function post(url: string, body: object) {
  const answer = await opened.service.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ target_processor: 'statevector-sim', ...body }),
  });
  return { status: answer.statusCode, ...answer.json() };
}

test('a circuit has hexadecimal labels of counts and memory if it asks for them', async () => {
  const body = { circuit: CIRCUIT, shots: 2, return: ['counts', 'memory', 'probabilities'] };
  const { data } = await post('/quantum/circuits', { ...body, label_format: 'hex' });
  expect(data).toMatchObject({
    counts: { '0x21': 2 },
    memory: ['0x21', '0x21'],
    probabilities: { '100001': 1 },
    label_format: 'hex',
  });
  const automatic = await post('/quantum/circuits', { ...body, label_format: 'automatic' });
  expect(automatic.data).toMatchObject({ counts: { '100001': 2 }, label_format: 'binary' });
});

test('a large result, which a thread writes, has them too', async () => {
  const body = { circuit: CIRCUIT, shots: 10_000, return: ['memory'], label_format: 'hex' };
  const { data } = await post('/quantum/circuits', body);
  expect(new Set(data.memory)).toEqual(new Set(['0x21']));
  expect(data.memory).toHaveLength(10_000);
});

test('programs have the form of their batch, or their own; counts in base64 have no labels', async () => {
  const { data } = await post('/quantum/batches', {
    shots: 3,
    label_format: 'hex',
    programs: [
      { circuit: CIRCUIT },
      { circuit: CIRCUIT, label_format: 'automatic' },
      { circuit: CIRCUIT, array_format: 'base64' },
    ],
  });
  expect(data.programs).toMatchObject([
    { counts: [{ '0x21': 3 }], label_format: 'hex' },
    { counts: [{ '100001': 3 }], label_format: 'binary' },
    { counts: { bits: 6 }, label_format: 'binary' },
  ]);
});

test('other forms are refused, and a circuit that is only compiled has no labels', async () => {
  const wrong = { circuit: CIRCUIT, shots: 1, label_format: 'octal' };
  const { status, error } = await post('/quantum/circuits', wrong);
  expect([status, error.details[0].path]).toEqual([400, 'label_format']);
  const compiled = await post('/quantum/compile', { circuit: CIRCUIT, label_format: 'hex' });
  expect(compiled.status).toBe(400);
});

test('counts of hardware have them, too', async () => {
  await using golden = await openGoldenService();
  const body = { target_processor: 'superconducting-1', shots: 20, label_format: 'hex' };
  const headers = { 'content-type': 'application/json' };
  const send = async (url: string, fields: object) => {
    const payload = JSON.stringify({ ...body, ...fields });
    const answer = await golden.service.request({ method: 'POST', url, headers, payload });
    return answer.json().data;
  };
  const circuit = await send('/quantum/circuits', { circuit: CIRCUIT });
  const batch = await send('/quantum/batches', { programs: [{ circuit: CIRCUIT }] });
  for (const { counts, label_format } of [
    circuit,
    { ...batch.programs[0], counts: batch.programs[0].counts[0] },
  ]) {
    expect(label_format).toBe('hex');
    expect(Object.keys(counts)).toEqual(
      Object.keys(counts).map(() => expect.stringMatching(/^0x[0-3][0-9a-f]$/)),
    );
  }
});
