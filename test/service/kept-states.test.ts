/** State vectors that are kept for download. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rangeOf } from '../../src/service/circuits/kept-state.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';
import type { TestService } from './support/test-service.ts';

let opened: FleetService;
let service: TestService;

beforeAll(async () => {
  opened = await openFleetService({}, []);
  ({ service } = opened);
});
afterAll(() => opened[Symbol.asyncDispose]());

type Body = Readonly<Record<string, unknown>>;

const QUBITS = 17;
/** The amplitudes are products of those of each qubit. */
const ANGLES = Array.from({ length: QUBITS }, (_, qubit) => 0.3 + 0.1 * qubit);
const CIRCUIT = ANGLES.map((theta, qubit) => ({ gate: 'RY', qubit, theta }));
const FLIP = { gate: 'NOISE', qubits: [0], channel: { type: 'bit_flip', probability: 0.1 } };
const ASK = {
  circuit: CIRCUIT,
  target_processor: 'qvm',
  shots: 1,
  return: ['statevector'],
  statevector_format: 'binary',
};

const amplitudeAt = (index: number) =>
  ANGLES.reduce((all, theta, qubit) => {
    const part = (index >> qubit) & 1 ? Math.sin(theta / 2) : Math.cos(theta / 2);
    return all * part;
  }, 1);

async function submit(body: Body) {
  const answer = await service.submit({ ...ASK, ...body });
  return { status: answer.statusCode, ...answer.json() };
}

function download(id: string, headers: Readonly<Record<string, string>> = {}, query = '') {
  const url = `/quantum/circuits/${id}/statevector${query}`;
  return service.request({ method: 'GET', url, headers });
}

describe('a state that is kept', () => {
  let id: string;
  let whole: Buffer;
  beforeAll(async () => {
    const { data } = await submit({});
    expect(data.statevector_download).toEqual({ qubits: QUBITS, bytes: 16 * 2 ** QUBITS });
    expect(data.statevector).toBeUndefined();
    id = data.circuit_id;
    whole = (await download(id)).rawPayload;
  });

  test('has the amplitudes in double and single precision', async () => {
    const numbers = new Float64Array(Uint8Array.from(whole).buffer);
    expect(numbers).toHaveLength(2 ** (QUBITS + 1));
    const single = (await download(id, {}, '?dtype=%3Cc8')).rawPayload;
    const halves = new Float32Array(Uint8Array.from(single).buffer);
    for (const index of [0, 5, 65_535, 65_536, 2 ** QUBITS - 1]) {
      expect(numbers[2 * index]).toBeCloseTo(amplitudeAt(index), 12);
      expect(numbers[2 * index + 1]).toBeCloseTo(0, 12);
      expect(halves[2 * index]).toBe(Math.fround(numbers[2 * index]!));
    }
  });

  test.each([
    ['bytes=0-15', 0, 16],
    ['bytes=1048570-1048583', 1_048_570, 1_048_584],
    ['bytes=2097140-', 2_097_140, 2_097_152],
    ['bytes=-9', 2_097_143, 2_097_152],
  ])('is sent in part for %s', async (range, from, to) => {
    const answer = await download(id, { range });
    expect(answer.statusCode).toBe(206);
    expect(answer.headers['content-range']).toBe(`bytes ${from}-${to - 1}/${whole.length}`);
    expect(answer.rawPayload.equals(whole.subarray(from, to))).toBe(true);
  });

  test('is not sent again to who has it, nor beyond its end', async () => {
    const { etag } = (await download(id)).headers;
    for (const known of [etag, `"other", ${etag}`, `W/${etag}`]) {
      expect((await download(id, { 'if-none-match': String(known) })).statusCode).toBe(304);
    }
    const changed = await download(id, { range: 'bytes=0-3', 'if-range': '"other"' });
    expect([changed.statusCode, changed.rawPayload.length]).toEqual([200, whole.length]);
    const beyond = await download(id, { range: `bytes=${whole.length}-` });
    expect([beyond.statusCode, beyond.headers['content-range']]).toEqual([416, 'bytes */2097152']);
  });

  test('is told of without its bytes, whatever range is asked for', async () => {
    const url = `/quantum/circuits/${id}/statevector`;
    const headers = { range: 'bytes=0-3' };
    const answer = await service.request({ method: 'HEAD', url, headers });
    expect([answer.statusCode, answer.headers['content-length']]).toEqual([200, '2097152']);
  });

  test('goes with its circuit', async () => {
    const { data } = await submit({});
    const url = `/quantum/circuits/${data.circuit_id}`;
    expect((await service.request({ method: 'DELETE', url })).statusCode).toBe(204);
    expect((await download(data.circuit_id)).json().error.code).toBe('NOT_FOUND');
  });
});

test.each([
  ['a state that is not asked for', { return: ['counts'] }, 'statevector_format'],
  ['a list of a wide state', { statevector_format: 'json' }, 'return'],
  ['noise', { circuit: [...CIRCUIT, FLIP], method: 'statevector' }, 'return'],
])('refuses %s', async (_, body, path) => {
  const { status, error } = await submit(body);
  expect([status, error.details[0].path]).toEqual([400, path]);
});

test('a circuit that keeps no state says so', async () => {
  const { data } = await submit({ return: ['counts'], statevector_format: undefined });
  const { error } = (await download(data.circuit_id)).json();
  expect(error.details[0].code).toBe('SERVICE_STATE_NOT_KEPT');
});

test.each([
  [undefined, undefined],
  ['bytes=0-', [0, 99]],
  ['bytes=5-200', [5, 99]],
  ['bytes=-200', [0, 99]],
  ['bytes=100-', 'outside'],
  ['bytes=-0', 'outside'],
  ['bytes=7-5', undefined],
  ['bytes=-', undefined],
  ['bytes=0-1,3-4', undefined],
  ['lines=0-1', undefined],
])('the range %s of 100 bytes', (header, range) => {
  expect(rangeOf(header, 100)).toEqual(range);
});
