import { describe, expect, test } from 'vitest';
import type { Batch } from '../../../src/client/api-types.ts';
import type { BatchProgramResult, BatchResult } from '../../../src/client/client.ts';
import { readAngle } from '../../../src/console/composer/angle-text.ts';
import { faultsAt } from '../../../src/console/shell/faults.ts';
import { EXAMPLES } from '../../../src/console/sweeps/examples.ts';
import { isSweepTag, labelsOf, sweepOf } from '../../../src/console/sweeps/stored-sweep.ts';
import {
  csvOf,
  type InputDraft,
  jsonOf,
  noValues,
  planSweep,
  runSweep,
  type SweepDraft,
  type SweepValues,
  usualInput,
  withBatch,
} from '../../../src/console/sweeps/sweep.ts';

const range = (from: string, to: string, points: string): InputDraft => ({
  ...usualInput(0),
  from,
  to,
  points,
});
const fixed = (value: string): InputDraft => ({ ...usualInput(1), value });
const DRAFT: SweepDraft = {
  text: '[{"gate":"U","qubit":0,"theta":{"input":"a"},"phi":{"input":"b"},"lambda":{"input":"c"}}]',
  inputs: { a: range('0', '2', '3'), b: fixed('pi/2'), c: fixed('0') },
  asks: 'observables',
  observables: 'Z0',
  outcome: '1',
  hasGradient: false,
  processor: 'statevector-sim',
  shots: '',
  noise: '',
};
const TWO: SweepDraft = { ...DRAFT, inputs: { ...DRAFT.inputs, b: range('5', '6', '2') } };

const program = (draft: SweepDraft, first: number, count: number) =>
  planSweep(draft, 7).batchOf(first, count).programs[0];
const array = (shape: readonly number[], ...data: readonly number[]) => ({
  shape,
  data: Float64Array.from(data),
});
/** Messages of the faults at some paths. */
function faultsOf(draft: SweepDraft, ...paths: readonly string[]): readonly string[] {
  try {
    planSweep(draft, 7);
  } catch (error) {
    return faultsAt(error, ...paths);
  }
  return [];
}

describe('numbers', () => {
  test.each([
    ['0.5', 0.5],
    ['-1e-3', -0.001],
    ['pi', Math.PI],
    ['-π/2', -Math.PI / 2],
    ['2*pi', 2 * Math.PI],
    [' 3 pi / 4 ', (3 * Math.PI) / 4],
    ['.5', 0.5],
  ])('%s is %d', (text, value) => expect(readAngle(text)).toBeCloseTo(value, 15));

  test.each(['', '-', 'a', '1,5', '1/0', 'pi pi', '2**3'])('"%s" is none', (text) =>
    expect(readAngle(text)).toBeUndefined(),
  );
});

describe('a plan', () => {
  test('gives each batch the values of its points, and the others as numbers', () => {
    expect(program(DRAFT, 1, 2)?.inputs).toEqual({ a: [1, 2], b: Math.PI / 2, c: 0 });
  });

  test('writes observables as a term or as a list of terms', () => {
    expect(program({ ...DRAFT, observables: 'Z0\n2*Z0 - X0' }, 0, 1)?.observables).toEqual([
      { pauli: 'Z0' },
      [
        { pauli: 'Z0', coefficient: 2 },
        { pauli: 'X0', coefficient: -1 },
      ],
    ]);
  });

  test('runs through the first input for each value of the second', () => {
    expect(planSweep(TWO, 7).numPoints).toBe(6);
    expect(program(TWO, 1, 4)?.inputs).toMatchObject({ a: [1, 2, 0, 1], b: [5, 5, 6, 6] });
  });

  test('draws point k with the seed plus k, as one batch of all points would', () => {
    expect(planSweep({ ...DRAFT, shots: '10' }, 7).batchOf(2, 1)).toMatchObject({
      shots: 10,
      seed: 9,
    });
    expect(planSweep(DRAFT, 7).batchOf(2, 1)).not.toHaveProperty('shots');
  });

  test('asks for the derivative by the input that varies, if there is one alone', () => {
    const draft = { ...DRAFT, hasGradient: true };
    expect(program(draft, 0, 1)).toMatchObject({
      return: ['expectation', 'gradient'],
      gradient_inputs: ['a'],
    });
    expect(planSweep({ ...TWO, hasGradient: true }, 7).hasGradient).toBe(false);
  });

  test('all examples can run', () => {
    for (const { draft } of EXAMPLES) expect(planSweep(draft, 7).numPoints).toBeGreaterThan(40);
  });

  test.each([
    ['programs[0].inputs.a', { inputs: { ...DRAFT.inputs, a: range('x', '1', '3') } }],
    ['programs[0].inputs.a', { inputs: { ...DRAFT.inputs, a: range('1', '1', '3') } }],
    ['programs[0].inputs.a', { inputs: { ...DRAFT.inputs, a: range('0', '1', '1') } }],
    ['programs[0].inputs.a', { inputs: { ...DRAFT.inputs, a: range('0', '1', '10001') } }],
    ['programs[0].inputs.b', { inputs: { ...DRAFT.inputs, b: fixed('') } }],
    ['programs[0].inputs.b', { inputs: { a: range('0', '1', '101'), b: range('0', '1', '101') } }],
    ['programs[0].inputs', { inputs: { a: fixed('0') } }],
    ['programs[0].circuit', { text: '[' }],
    ['programs[0].observables', { observables: '' }],
    ['programs[0].observables', { observables: 'Z' }],
    ['shots', { shots: '0' }],
    ['shots', { shots: '1.5' }],
    ['outcome', { asks: 'outcome', outcome: '2' }],
  ] satisfies [string, Partial<SweepDraft>][])('has a fault at %s for %j', (path, change) => {
    expect(faultsOf({ ...DRAFT, ...change }, path)).toHaveLength(1);
  });
});

describe('values', () => {
  const result = (fields: Partial<BatchProgramResult>): BatchProgramResult => ({
    points: 2,
    qubits: 1,
    seed: 7,
    ...fields,
  });

  test('have an expectation, an error and a derivative for each observable', () => {
    const plan = planSweep({ ...DRAFT, observables: 'Z0\nX0', hasGradient: true, shots: '10' }, 7);
    const values = withBatch(
      noValues(plan),
      1,
      result({
        expectation: array([2, 2], 1, 2, 3, 4),
        standard_error: array([2, 2], 0.1, 0.2, 0.3, 0.4),
        gradient: array([2, 2, 1], 10, 20, 30, NaN),
      }),
    );
    expect(values.numDone).toBe(2);
    expect(values.series).toEqual([
      { label: 'Z0', values: Float64Array.of(NaN, 1, 3), errors: Float64Array.of(NaN, 0.1, 0.3) },
      { label: 'X0', values: Float64Array.of(NaN, 2, 4), errors: Float64Array.of(NaN, 0.2, 0.4) },
    ]);
    expect(values.slopes[1]?.values).toEqual(Float64Array.of(NaN, 20, NaN));
  });

  test('the probability of an outcome is exact, or counted with its error', () => {
    const draft: SweepDraft = { ...DRAFT, asks: 'outcome', outcome: '10' };
    const exact = planSweep(draft, 7);
    const probabilities = array([2, 4], 0.1, 0.2, 0.3, 0.4, 0.5, 0.25, 0.125, 0.125);
    expect(exact.valuesOf(result({ probabilities }), 1)[0]).toMatchObject({ value: 0.125 });
    const counted = planSweep({ ...draft, shots: '4' }, 7);
    const counts = [{ '00': 4 }, { '10': 1, '11': 3 }];
    expect(counted.valuesOf(result({ counts }), 0)[0]).toMatchObject({ value: 0, error: 0 });
    expect(counted.valuesOf(result({ counts }), 1)[0]).toMatchObject({
      value: 0.25,
      error: Math.sqrt((0.25 * 0.75) / 4),
    });
  });

  test('go into CSV and JSON with what has not arrived left empty', () => {
    const plan = planSweep({ ...TWO, observables: 'Z0\ne = Z0 + X0' }, 7);
    const expectation = array([2, 2], 1, 2, -1, 4);
    const values = withBatch(noValues(plan), 2, result({ expectation }));
    expect(csvOf(values)).toBe(
      'a,b,Z0,e\r\n0,5,,\r\n1,5,,\r\n2,5,1,2\r\n0,6,-1,4\r\n1,6,,\r\n2,6,,\r\n',
    );
    expect(JSON.parse(jsonOf(values))).toEqual({
      a: [0, 1, 2, 0, 1, 2],
      b: [5, 5, 5, 6, 6, 6],
      Z0: [null, null, 1, -1, null, null],
      e: [null, null, 2, 4, null, null],
    });
  });
});

describe('a sweep that is kept', () => {
  const draft: SweepDraft = { ...DRAFT, inputs: { ...DRAFT.inputs, a: range('0', '1', '5') } };
  const labels = labelsOf(draft, 7, 'sweep-0123abcd');
  const batch = (first: number, values: readonly number[], status = 'completed') =>
    ({
      batch_id: 'batch_1',
      processor: 'qvm',
      points: values.length,
      status,
      request: { target_processor: 'qvm', ...labels(first) },
      programs: [
        { points: values.length, qubits: 1, seed: 7, expectation: values.map((each) => [each]) },
      ],
    }) as unknown as Batch;

  test('names what is swept, unless it has a name', () => {
    expect(labels(0)).toMatchObject({ name: 'Z0 by a', tags: ['sweep-0123abcd'] });
    expect(labelsOf({ ...draft, name: ' mine ' }, 7, 'sweep-0123abcd')(0).name).toBe('mine');
    expect(isSweepTag('sweep-0123abcd')).toBe(true);
    expect(isSweepTag('sweep-of-mine')).toBe(false);
  });

  test('is put together from its batches', () => {
    const whole = sweepOf([batch(3, [0.3, 0.4]), batch(0, [0, 0.1, 0.2])]);
    expect(whole?.draft).toEqual(draft);
    expect(whole?.run.state).toBe('completed');
    expect(whole?.run.provenance?.processor).toBe('qvm');
    expect(Array.from(whole?.run.values.series[0]?.values ?? [])).toEqual([0, 0.1, 0.2, 0.3, 0.4]);
    const part = sweepOf([batch(3, [0.3, 0.4], 'failed'), batch(0, [0, 0.1, 0.2])]);
    expect([part?.run.state, part?.run.values.numDone]).toEqual(['failed', 3]);
    expect(sweepOf([batch(0, [0, 0.1, 0.2])])?.run.state).toBe('incomplete');
    expect(sweepOf([{ ...batch(0, [0]), request: {} }])).toBeUndefined();
  });
});

describe('a sweep that runs', () => {
  /** Runs 100 points, each of which takes some milliseconds, and answers the sizes of the batches. */
  async function sizesAt(pointMs: number): Promise<readonly number[]> {
    const plan = planSweep({ ...DRAFT, inputs: { a: range('0', '1', '100') } }, 7);
    const sizes: number[] = [];
    let now = 0;
    let last: SweepValues | undefined;
    const run = async (submission: object): Promise<BatchResult> => {
      const [{ inputs }] = Reflect.get(submission, 'programs');
      const points = inputs.a.length;
      sizes.push(points);
      now += points * pointMs;
      const expectation = { shape: [points, 1], data: Float64Array.from(inputs.a) };
      return {
        batch_id: 'batch_1',
        processor: 'statevector-sim',
        points,
        seed: 7,
        status: 'completed',
        priority: 'normal',
        created_at: '2026-01-02T03:04:05.678Z',
        programs: [{ points, qubits: 1, seed: 7, expectation }],
      };
    };
    const batches = { run } as Parameters<typeof runSweep>[1];
    await runSweep(
      plan,
      batches,
      (first) => ({ name: `from ${first}` }),
      new AbortController().signal,
      () => now,
      (values) => {
        last = values;
      },
    );
    expect(last?.numDone).toBe(100);
    expect(last?.series[0]?.values).toEqual(Float64Array.from(plan.axes[0]?.values ?? []));
    return sizes;
  }

  test('takes few batches if they are fast, and small ones if they are slow', async () => {
    expect(await sizesAt(1)).toEqual([7, 14, 28, 51]);
    expect(await sizesAt(100)).toEqual(Array.from({ length: 15 }, (_, i) => (i < 14 ? 7 : 2)));
    expect((await sizesAt(1000)).slice(0, 4)).toEqual([7, 4, 2, 2]);
  });
});
