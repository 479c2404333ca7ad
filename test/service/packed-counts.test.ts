/** Counts of batches in base64, through the whole service and read by the client. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PackedCounts } from '../../src/client/api-types.ts';
import { countsByPoint } from '../../src/client/packed-array.ts';
import { batchRecord } from '../../src/service/batches/batch-schema.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';

let opened: FleetService;

beforeAll(async () => {
  opened = await openFleetService({ bodyLimitBytes: 2 ** 20 });
});
afterAll(() => opened[Symbol.asyncDispose]());

async function programsOf(programs: readonly object[], arrayFormat: 'json' | 'base64') {
  const payload = { target_processor: 'statevector-sim', seed: 7, array_format: arrayFormat };
  const answer = await opened.service.request({
    method: 'POST',
    url: '/quantum/batches',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ ...payload, programs }),
  });
  expect([answer.statusCode, answer.body.slice(0, 500)]).toEqual([201, expect.anything()]);
  const { data } = answer.json();
  expect(batchRecord.safeParse(data).error?.issues ?? []).toEqual([]);
  return data.programs;
}

const sweepOf = (numQubits: number, numPoints: number, shots: number) => ({
  circuit: Array.from({ length: numQubits }, (_, qubit) => ({
    gate: 'RY',
    qubit,
    theta: { input: 'a', scale: 1 + qubit / 7 },
  })),
  inputs: { a: Array.from({ length: numPoints }, (_, k) => k / 100) },
  shots,
});

/** Measures into bit 8 and bit 39 of a register of 40. */
const SPARSE_BITS = {
  circuit: [
    { gate: 'H', qubit: 0 },
    { gate: 'X', qubit: 1 },
    { gate: 'M', qubits: [0, 1], bits: [8, 39] },
  ],
  shots: 100,
};

/** Measures into bit 8 and bit 69, so that labels are hexadecimal. */
const MANY_BITS = {
  circuit: [
    { gate: 'H', qubit: 0 },
    { gate: 'X', qubit: 1 },
    { gate: 'M', qubits: [0, 1], bits: [8, 69] },
  ],
  shots: 100,
};

test('are the counts in JSON, of programs one after the other', async () => {
  const programs = [
    sweepOf(3, 200, 50),
    { ...sweepOf(2, 1, 10), return: ['counts', 'probabilities'] },
    sweepOf(9, 3, 70_000),
    sweepOf(13, 40, 1000),
    SPARSE_BITS,
    MANY_BITS,
  ];
  const plain = await programsOf(programs, 'json');
  const packed: { counts: PackedCounts }[] = await programsOf(programs, 'base64');
  const counts = packed.map((program) => countsByPoint(program.counts));
  expect(counts).toEqual(plain.map((program: { counts: object }) => program.counts));
  expect(packed.map(({ counts: { bits } }) => bits)).toEqual([3, 2, 9, 13, 40, 70]);
  expect(Object.keys(counts[4]![0]!).sort()).toEqual([
    '1000000000000000000000000000000000000000',
    '1000000000000000000000000000000100000000',
  ]);
  expect(packed.map((program) => program.counts.occurrences.dtype)).toEqual([
    '<u2',
    '<u2',
    '<u4',
    '<u2',
    '<u2',
    '<u2',
  ]);
});

test('of more points than a part holds are those of all points, in order', async () => {
  const program = sweepOf(1, 20_000, 30);
  const [{ counts }] = await programsOf([program], 'base64');
  const [plain] = await programsOf([program], 'json');
  expect(counts.outcomes_per_point.shape).toEqual([20_000]);
  expect(countsByPoint(counts)).toEqual(plain.counts);
});

test('a format of its own goes before that of the batch', async () => {
  const program = sweepOf(2, 2, 5);
  const programs = await programsOf([program, { ...program, array_format: 'json' }], 'base64');
  expect(programs[0].counts.bits).toBe(2);
  expect(programs[1].counts).toHaveLength(2);
});
