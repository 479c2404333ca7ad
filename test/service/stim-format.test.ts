/** Circuits in Stim's format over HTTP. What its instructions mean is held to Stim itself in test/clients/stim. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readErrorModel } from '../../src/compiler/clifford/read-error-model.ts';
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

const QVM = { target_processor: 'qvm', shots: 200, seed: 3 };
const submit = (body: Readonly<Record<string, unknown>>) => service.submit({ ...QVM, ...body });
const post = async (path: string, body: object) => {
  const answer = await service.app.inject({
    method: 'POST',
    url: `/api/v1${path}`,
    headers: { 'x-api-key': service.key },
    payload: body,
  });
  return answer.json();
};

const REPETITION = `R 0 1 2
REPEAT 3 {
  X_ERROR(0.1) 0 1
  CX 0 2 1 2
  MR 2
  SHIFT_COORDS(0, 1)
  DETECTOR(1, 0) rec[-1]
}
M 0 1
OBSERVABLE_INCLUDE(0) rec[-2]`;

test('noise, detectors and their coordinates come from the text', async () => {
  const answer = await submit({
    stim: REPETITION,
    return: ['counts', 'detection_events', 'detector_error_model', 'measurements'],
  });
  expect([answer.statusCode, answer.body.slice(0, 300)]).toEqual([201, expect.anything()]);
  const { data } = answer.json();
  expect(circuitRecord.safeParse(data).error?.issues ?? []).toEqual([]);
  expect(data.detector_error_model).toContain('detector(1, 3) D2\n');
  expect(data.detection_events).toMatchObject({ num_detectors: 3, num_logical_observables: 1 });
  const { data: packed, ...figures } = data.measurements;
  expect(figures).toEqual({ num_bits: 5, shots: 200, bytes_per_shot: 1, format: 'b8' });
  const counted = new Map<string, number>();
  for (const byte of Buffer.from(packed, 'base64')) {
    const label = byte.toString(2).padStart(5, '0');
    counted.set(label, (counted.get(label) ?? 0) + 1);
  }
  expect(Object.fromEntries(counted)).toEqual(data.counts);
});

/** 100,000 rounds, each with two measurements and a detector. */
const LONG = `R 0 1 2
M 2 2
REPEAT 100000 {
  X_ERROR(0.01) 0 1
  CX 0 2 1 2
  MR 2
  M(0.25) 1
  DETECTOR(1, 0) rec[-2] rec[-4]
  SHIFT_COORDS(0, 1)
}
M 0 1
DETECTOR(1, 0) rec[-1] rec[-2] rec[-4]
OBSERVABLE_INCLUDE(0) rec[-2]`;

test('blocks that are too long to be unrolled are run as loops', async () => {
  const answer = await submit({
    stim: LONG,
    shots: 20,
    return: ['detection_events', 'measurements', 'detector_error_model'],
  });
  const { data } = answer.json();
  expect(circuitRecord.safeParse(data).error?.issues ?? []).toEqual([]);
  expect(data.method).toBe('stabilizer');
  expect(data.detection_events).toMatchObject({
    num_detectors: 100_001,
    num_logical_observables: 1,
    bytes_per_shot: 12_501,
  });
  const events = Buffer.from(data.detection_events.data, 'base64');
  const numOnes = events.reduce(
    (sum, byte) => sum + byte.toString(2).replaceAll('0', '').length,
    0,
  );
  // One of two qubits flips with probability 0.0198; 2 million detectors have a standard deviation of 1e-4.
  expect(Math.abs(numOnes / (20 * 100_002) - 0.0198)).toBeLessThan(6e-4);
  expect(data.measurements).toMatchObject({
    num_bits: 200_004,
    shots: 20,
    bytes_per_shot: 25_001,
  });
  const rows = Buffer.from(data.measurements.data, 'base64');
  const bitOf = (all: Buffer, at: number, bit: number) => (all[at + (bit >> 3)]! >> (bit & 7)) & 1;
  for (let shot = 0; shot < 20; shot++) {
    for (const round of [0, 1, 12_345, 99_999]) {
      const bit = (back: number) => bitOf(rows, 25_001 * shot, 2 + 2 * round - back);
      expect(bitOf(events, 12_501 * shot, round)).toBe(bit(0) ^ bit(2));
    }
  }
  const model = readErrorModel(data.detector_error_model);
  if ('line' in model) throw new Error(model.problem);
  expect(data.detector_error_model.length).toBeLessThan(2000);
  expect(model).toMatchObject({ numDetectors: 100_001, numObservables: 1 });
  expect(data.detector_error_model).toMatch(
    /^repeat \d+ \{\n[^}]*\nshift_detectors\(0, (\d+)\) \1\n\}/,
  );
});

test.each([
  [{ return: ['counts'] }, 'return'],
  [{ return: ['detection_events', 'memory'] }, 'return'],
  [{ return: ['detection_events'], method: 'trajectories' }, 'method'],
  [{ return: ['detection_events'], target_processor: 'statevector-sim' }, 'method'],
  [{ return: ['detection_events'], shots: 5000 }, 'return'],
  [{ return: ['detection_events'], stim: LONG.replace('M(0.25) 1', 'T 1\nM 1') }, 'method'],
  [{ return: ['detection_events'], stim: LONG.replace(' rec[-4]', '') }, 'stim'],
  [
    { return: ['detector_error_model'], detector_error_model: { allow_gauge_detectors: true } },
    'detector_error_model.allow_gauge_detectors',
  ],
  [{ return: ['detection_events'], stim: LONG.replace('100000', '99999999999') }, 'stim'],
])('as loops: %j has a fault at %s', async (fields, path) => {
  const { error } = (await submit({ stim: LONG, ...fields })).json();
  expect(error.details.map((each: { path: string }) => each.path)).toContain(path);
});

test('shots come in the format that is asked for', async () => {
  const ask = async (fields: object) => {
    const answer = await submit({
      stim: REPETITION,
      return: ['detection_events', 'measurements'],
      shots: 128,
      ...fields,
    });
    expect(answer.statusCode, answer.body).toBe(201);
    expect(circuitRecord.safeParse(answer.json().data).error?.issues ?? []).toEqual([]);
    return answer.json().data;
  };
  const packed = await ask({});
  const lines = await ask({ shot_format: '01' });
  const linesOf = (data: string, width: number) =>
    [...Buffer.from(data, 'base64')]
      .map((byte) => `${[...byte.toString(2).padStart(width, '0')].reverse().join('')}\n`)
      .join('');
  expect(lines.detection_events).toEqual({
    num_detectors: 3,
    num_logical_observables: 1,
    shots: 128,
    format: '01',
    data: linesOf(packed.detection_events.data, 4),
  });
  const measured = linesOf(packed.measurements.data, 5);
  expect(lines.measurements).toEqual({ num_bits: 5, shots: 128, format: '01', data: measured });
  const named = await ask({ shot_format: 'dets' });
  const ofLine = (line: string) =>
    ['shot', ...['D0', 'D1', 'D2', 'L0'].filter((_, i) => line[i] === '1')].join(' ');
  const events = lines.detection_events.data.trimEnd().split('\n');
  expect(named.detection_events.data).toBe(`${events.map(ofLine).join('\n')}\n`);
});

test('shots that do not fit their format are refused', async () => {
  const refused = async (fields: object) => {
    const answer = await submit({ stim: 'M 0 1', return: ['measurements'], ...fields });
    expect(answer.statusCode).toBe(400);
    return answer.json().error.details;
  };
  expect(await refused({ shot_format: 'ptb64' })).toEqual([
    expect.objectContaining({
      path: 'shot_format',
      message: 'ptb64 takes a multiple of 64 shots, and not 200.',
    }),
  ]);
  const stim = `M ${Array.from({ length: 100 }, (_, i) => i).join(' ')}`;
  const [fault] = await refused({ stim, shots: 200_000, shot_format: 'hits' });
  expect(fault).toMatchObject({ path: 'return' });
  expect(fault.message).toContain('measurements of 60,200,000 bytes at most, if all bits are 1');
});

test.each(['statevector', 'density_matrix', 'stabilizer'])(
  'heralds and wide errors run by %s',
  async (method) => {
    const answer = await submit({
      stim: 'HERALDED_ERASE(1) 0\nE(1) X1 X2 X3\nMPAD 0 1\nM 1 2 3',
      method,
    });
    expect(answer.json().data.counts).toEqual({ '111101': 200 });
  },
);

test('events of observables of Pauli operators are flips of both, whether or not they commute', async () => {
  const answer = await submit({
    stim: 'OBSERVABLE_INCLUDE(0) X0\nOBSERVABLE_INCLUDE(1) Z0\nZ_ERROR(1) 0\nOBSERVABLE_INCLUDE(0) X0\nOBSERVABLE_INCLUDE(1) Z0\nM(1) 1\nDETECTOR rec[-1]',
    return: ['detection_events', 'detector_error_model'],
  });
  const { data } = answer.json();
  expect(data.method).toBe('stabilizer');
  expect(data.detection_events).toMatchObject({ num_detectors: 1, num_logical_observables: 2 });
  expect(new Set(Buffer.from(data.detection_events.data, 'base64'))).toEqual(new Set([0b011]));
  expect(data.detector_error_model).toBe('error(1) D0\nerror(1) L0\nlogical_observable L1\n');
  // Without events the measurements are given, and the model too.
  const other = await submit({
    stim: 'X 0\nOBSERVABLE_INCLUDE(0) Z0\nM 0\nX_ERROR(0.25) 0\nOBSERVABLE_INCLUDE(0) Z0',
    return: ['counts', 'detector_error_model'],
  });
  expect(other.json().data).toMatchObject({
    counts: { '1': 200 },
    detector_error_model: 'error(0.25) L0\n',
  });
});

test('detectors that are allowed to be random have random events, together as they are', async () => {
  const answer = await submit({
    stim: 'MX 0\nZ 0\nMX 0\nDETECTOR rec[-1]\nDETECTOR rec[-2]',
    return: ['detection_events', 'detector_error_model'],
    detector_error_model: { allow_gauge_detectors: true },
  });
  const { data } = answer.json();
  expect(data.detector_error_model).toBe('error(0.5) D0 D1\n');
  expect(new Set(Buffer.from(data.detection_events.data, 'base64'))).toEqual(new Set([0, 0b11]));
});

test('detectors of a circuit with T gates are those of its runs without noise', async () => {
  // A T state is turned back, but for an error of 0.2 before the second gate; the last detector varies by itself.
  const answer = await submit({
    stim: 'RX 0\nT 0\nX 1\nZ_ERROR(0.2) 0\nT_DAG 0\nMX 0\nM 1\nDETECTOR rec[-1]\nDETECTOR rec[-2]\nRX 2\nT 2\nMX 2\nDETECTOR rec[-1]',
    return: ['detection_events'],
    shots: 20_000,
    method: 'stabilizer',
  });
  const { data } = answer.json();
  expect(data.method_reason).toContain('around a state of up to 1 active qubit');
  expect(data.warnings).toEqual([
    { code: 'CIRCUIT_PARITY_VARIES', message: expect.stringMatching(/: D2 \(1 in \d+ %\)\. /) },
  ]);
  const events = [...Buffer.from(data.detection_events.data, 'base64')];
  const rate = (bit: number) => events.filter((byte) => ((byte >> bit) & 1) === 1).length / 20_000;
  expect(rate(0)).toBe(0);
  expect(Math.abs(rate(1) - 0.2)).toBeLessThan(0.015);
  expect(Math.abs(rate(2) - Math.sin(Math.PI / 8) ** 2)).toBeLessThan(0.015);
});

test.each([
  [{ stim: 'H 0', qasm: 'qubit q;' }, 'stim', 'Give either qasm or stim, not both.'],
  [{ stim: 'H 0', inputs: { a: 1 } }, 'inputs', 'no inputs'],
  [{ stim: 'M 0', noise: { readout: [{ p1_given_0: 0.1, p0_given_1: 0 }] } }, 'noise', 'itself'],
  [{ stim: 'M 0', target_processor: 'emulator-ibm-fez' }, 'stim', 'runs on simulators'],
  [{ stim: 'M 0', return: ['detection_events'] }, 'stim', 'has no DETECTOR'],
  [
    { stim: 'H 0\nM 0\nDETECTOR rec[-1]', return: ['detection_events'] },
    'stim',
    'The parity of D0 differs between runs',
  ],
  [
    { stim: 'M 0\nDETECTOR rec[-1]', detectors: [[0]], return: ['detection_events'] },
    'detectors',
    'the text has its own',
  ],
  [
    { stim: 'T 0\nM 0\nDETECTOR rec[-1]', return: ['detector_error_model'] },
    'stim',
    'T on qubit 0 is neither',
  ],
  [
    {
      stim: 'M 0\nOBSERVABLE_INCLUDE(0) Z0',
      return: ['detection_events', 'counts'],
      method: 'statevector',
    },
    'return',
    'and not counts',
  ],
  [
    {
      stim: 'M 0\nOBSERVABLE_INCLUDE(0) Z0',
      return: ['detection_events'],
      method: 'statevector',
    },
    'method',
    'only the method stabilizer takes it, not statevector',
  ],
  [
    { stim: 'T 0\nM 0\nOBSERVABLE_INCLUDE(0) Z0', return: ['detection_events'] },
    'method',
    'it takes no observables of Pauli operators',
  ],
  [{ stim: 'M 0\nCX 0 1 2' }, 'stim', 'Stim line 2, column 1: CX takes pairs'],
])('%j is answered with its fault', async (body, path, message) => {
  const answer = await submit(body);
  expect(answer.statusCode).toBe(400);
  const { details } = answer.json().error;
  expect(details).toContainEqual(
    expect.objectContaining({ path, message: expect.stringContaining(message) }),
  );
});

test('a batch takes the format, and compile reads and writes it', async () => {
  const batch = await post('/quantum/batches', {
    target_processor: 'qvm',
    programs: [{ stim: 'X 0\nM 0', shots: 5 }],
  });
  expect(batch.data.programs[0].counts).toEqual([{ '1': 5 }]);
  const compiled = await post('/quantum/compile', {
    target_processor: 'qvm',
    stim: 'H 0\nX 1\nX 1\nCX 0 1\nM 0 1\nCX rec[-2] 1\nM 1',
    format: 'stim',
  });
  expect(compiled.data.stim).toBe('H 0\nCX 0 1\nM 0 1\nCX rec[-2] 1\nM 1\n');
  const detecting = await post('/quantum/compile', {
    target_processor: 'qvm',
    stim: 'M 0\nDETECTOR rec[-1]',
  });
  expect(detecting.data.warnings).toEqual([
    expect.objectContaining({ code: 'CIRCUIT_DETECTORS_IGNORED' }),
  ]);
  const noise = { readout: [{ p1_given_0: 0.1, p0_given_1: 0 }] };
  const ofAll = await post('/quantum/batches', {
    target_processor: 'qvm',
    noise,
    shots: 5,
    programs: [{ stim: 'M 0' }],
  });
  expect(ofAll.error.details[0]).toMatchObject({ path: 'programs[0].noise' });
  const noisy = await post('/quantum/compile', {
    target_processor: 'qvm',
    stim: 'X_ERROR(0.1) 0\nM 0',
    format: 'stim',
  });
  expect(noisy.error.message).toContain('has noise');
});
