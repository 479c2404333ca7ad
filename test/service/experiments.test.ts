/** Experiments over HTTP: logical errors of many circuits, counted on a real fleet of CPU engines. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateStim } from '../../src/circuit/stim/generate/generate-stim.ts';
import { NO_NOISE } from '../../src/circuit/stim/generate/memory-text.ts';
import { experimentRecord } from '../../src/service/experiments/experiment-schema.ts';
import { progressData } from '../../src/service/jobs/job-event-stream.ts';
import { binomial } from '../support/binomial.ts';
import { bicycleMemory, GROSS_72 } from '../support/bivariate-bicycle.ts';
import { eventually } from '../support/eventually.ts';
import { type FleetService, openFleetService } from './support/fleet-service.ts';
import type { TestService } from './support/test-service.ts';

let opened: FleetService;
let service: TestService;

beforeAll(async () => {
  opened = await openFleetService({}, ['ibm-fez']);
  ({ service } = opened);
});
afterAll(() => opened[Symbol.asyncDispose]());

const PATH = '/quantum/experiments';

function post(body: object, headers: Readonly<Record<string, string>> = {}) {
  return service.request({
    method: 'POST',
    url: PATH,
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify(body),
  });
}

const recordOf = async (id: string) => (await service.get(`${PATH}/${id}`)).json().data;

/** The record of an experiment that has run. */
async function run(body: object) {
  const answer = await post(body);
  expect([answer.statusCode, answer.body.slice(0, 600)]).toEqual([201, expect.anything()]);
  const { experiment_id: id } = answer.json().data;
  await eventually(async () => ['completed', 'failed'].includes((await recordOf(id)).status));
  const record = await recordOf(id);
  expect(record.error).toBeUndefined();
  expect(experimentRecord.safeParse(record).error?.issues ?? []).toEqual([]);
  return record;
}

/** Qubit 0 is flipped with probability p, and qubit 1 checks it. */
const CHECKED = (p: number) =>
  [
    `X_ERROR(${p}) 0`,
    'CX 0 1',
    'M 1 0',
    'DETECTOR rec[-2]',
    'OBSERVABLE_INCLUDE(0) rec[-1]',
    '',
  ].join('\n');

/** Data qubits at even numbers, each flipped with probability p, and checks between them. */
function repetitionCode(distance: number, p: number): string {
  const data = Array.from({ length: distance }, (_, i) => 2 * i);
  const checks = data.slice(1).map((qubit) => qubit - 1);
  return [
    `X_ERROR(${p}) ${data.join(' ')}`,
    ...checks.map((check) => `CX ${check - 1} ${check} ${check + 1} ${check}`),
    `M ${checks.join(' ')} ${data.join(' ')}`,
    ...checks.map((_, i) => `DETECTOR rec[${i + 1 - 2 * distance}]`),
    'OBSERVABLE_INCLUDE(0) rec[-1]',
    '',
  ].join('\n');
}

test('circuits that are too long to be unrolled are sampled and decoded', async () => {
  // 80,003 measurements. Flips add up to (1 − (1 − 2p)^40000) / 2 of the shots; decoded, two would have to come together.
  const p = 1e-5;
  const noise = { ...NO_NOISE, beforeRoundDataDepolarization: 1.5 * p };
  const code = { code: 'repetition_code', task: 'memory', distance: 3, rounds: 40_000, noise };
  const made = generateStim(code);
  if ('problem' in made) throw new Error(made.problem);
  const tasks = ['none', 'matching'].map((decoder) => ({ stim: made.text, decoder }));
  const [plain, decoded] = (await run({ tasks, max_shots: 128, seed: 5 })).tasks;
  const flipped = (1 - (1 - 2 * p) ** 40_000) / 2;
  const deviation = Math.sqrt((flipped * (1 - flipped)) / 128);
  expect(Math.abs(plain.errors / 128 - flipped)).toBeLessThan(6 * deviation);
  expect(decoded).toMatchObject({ shots: 128, errors: 0 });
});

/** T and its inverse, with a bit flip between them and the measurement. */
const WITH_T = [
  'H 0',
  'T 0',
  'T_DAG 0',
  'H 0',
  'X_ERROR(0.25) 0',
  'M 0',
  'OBSERVABLE_INCLUDE(0) rec[-1]',
  '',
].join('\n');

/** X or Z, but never both, each flips a detector of its own. */
const EXCLUSIVE = [
  'RX 1',
  'CX 1 0',
  'PAULI_CHANNEL_1(0.1, 0, 0.1) 0',
  'CX 1 0',
  'MX 1',
  'M 0',
  'DETECTOR rec[-2]',
  'OBSERVABLE_INCLUDE(0) rec[-1]',
  '',
].join('\n');

/** One error flips four detectors, and no others flip some of them. */
const HYPEREDGE = [
  'X_ERROR(0.1) 0',
  'CX 0 1 0 2 0 3 0 4',
  'M 1 2 3 4 0',
  ...[-5, -4, -3, -2].map((bit) => `DETECTOR rec[${bit}]`),
  'OBSERVABLE_INCLUDE(0) rec[-1]',
  '',
].join('\n');

/** Standard deviations between a count and its expectation. */
const deviations = (count: number, shots: number, p: number) =>
  Math.abs(count - shots * p) / Math.sqrt(shots * p * (1 - p));

describe('POST /quantum/experiments', () => {
  test('answers at once, and the record has the counts of each task once it has run', async () => {
    const body = {
      tasks: [
        { stim: CHECKED(0.125), metadata: { p: 0.125, 'a,"b"': [1, null] } },
        { stim: CHECKED(0.5), seed: 3 },
        { stim: CHECKED(0) },
      ],
      max_shots: 20_000,
      decoder: 'none',
      seed: 2 ** 53 - 1,
      name: 'mine',
    };
    const answer = await post(body);
    expect(answer.json().data).toMatchObject({ num_tasks: 3, processor: 'qvm', name: 'mine' });
    expect(answer.headers['location']).toMatch(/\/quantum\/experiments\/exp_[0-9a-f]{32}$/);
    const record = await run(body);
    expect(record.tasks).toHaveLength(3);
    for (const [i, p] of [0.125, 0.5, 0].entries()) {
      const { shots, errors, discards, logical_error_rate, interval } = record.tasks[i];
      expect([record.tasks[i].task, shots, discards]).toEqual([i, 20_000, 0]);
      if (p === 0) expect([errors, interval[0]]).toEqual([0, 0]);
      else expect(deviations(errors, shots, p)).toBeLessThan(5);
      expect(logical_error_rate).toBe(errors / shots);
    }
    const seeds = record.tasks.map(({ seed }: { seed: number }) => seed);
    expect(seeds).toEqual([2 ** 53 - 1, 3, 1]);
    expect(record.tasks[0].metadata).toEqual({ p: 0.125, 'a,"b"': [1, null] });
    expect(record.executed_on[0]).toMatchObject({ shots: 60_000 });
  });

  test.each([100, 1000, 1024])(
    'counts in %d shots what a circuit with this seed has in its detection events',
    async (shots) => {
      const circuit = { stim: CHECKED(0.3), target_processor: 'qvm', shots, seed: 11 };
      const asked = { method: 'stabilizer', return: ['detection_events'] };
      const { data } = (await service.submit({ ...circuit, ...asked })).json();
      const rows = Buffer.from(data.detection_events.data, 'base64');
      const flips = rows.filter((row) => ((row >>> 1) & 1) === 1).length;
      const record = await run({
        tasks: [{ stim: CHECKED(0.3) }],
        ...{ max_shots: shots, decoder: 'none', seed: 11 },
      });
      expect(record.tasks[0].errors).toBe(flips);
    },
  );

  test('stops at the first limit that is reached after a chunk of shots', async () => {
    const limits = [
      { max_errors: 1 },
      { max_errors: 2000 },
      { relative_error: 0.1 },
      { max_errors: 10 ** 6, max_shots: 1500 },
    ];
    const record = await run({
      tasks: limits.map((limit) => ({ stim: CHECKED(0.25), ...limit })),
      ...{ max_shots: 10 ** 12, decoder: 'none', seed: 5 },
    });
    const [one, many, precise, few] = record.tasks;
    expect(one.shots).toBe(1024);
    expect(many.errors).toBeGreaterThanOrEqual(2000);
    expect(many.errors - 1024).toBeLessThan(2000);
    expect(many.shots % 1024).toBe(0);
    const [low, high] = precise.interval;
    expect((high - low) / 2 / precise.logical_error_rate).toBeLessThanOrEqual(0.1);
    expect(precise.shots).toBeLessThanOrEqual(2048);
    expect(few.shots).toBe(1500);
  });

  test('has the same counts for the same seed', async () => {
    const tasks = [0.1, 0.01, 0.2].map((p) => ({ stim: CHECKED(p), max_errors: 3000 }));
    const body = { tasks, max_shots: 200_000, decoder: 'none', seed: 17 };
    const counts = async () =>
      (await run(body)).tasks.map((task: Record<string, unknown>) => [
        task['shots'],
        task['errors'],
      ]);
    expect(await counts()).toEqual(await counts());
  });

  test('discards the shots in which a post-selected detector fires', async () => {
    const record = await run({
      tasks: [
        { stim: CHECKED(0.25), postselect: { detectors: [0] } },
        { stim: CHECKED(0.25), postselect: { observables: [0] } },
        { stim: CHECKED(1), postselect: { detectors: [0] } },
      ],
      ...{ max_shots: 10_000, decoder: 'none', seed: 5 },
    });
    const [ofDetector, ofObservable, all] = record.tasks;
    expect(ofDetector.errors).toBe(0);
    expect(deviations(ofDetector.discards, 10_000, 0.25)).toBeLessThan(5);
    expect(ofObservable.errors).toBe(0);
    expect(deviations(ofObservable.discards, 10_000, 0.25)).toBeLessThan(5);
    expect(all).toMatchObject({ discards: 10_000, logical_error_rate: null, interval: null });
  });

  test('takes circuits of gates with a noise model, also with noise that has no error model', async () => {
    const circuit = [
      { gate: 'X', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
      { gate: 'M', qubits: [1, 0] },
    ];
    const channels = [
      { type: 'bit_flip', probability: 0.25 },
      { type: 'amplitude_damping', gamma: 0.25 },
    ];
    const record = await run({
      tasks: channels.map((channel) => ({
        circuit,
        detectors: [[0, 1]],
        logical_observables: [[1]],
        noise: { gates: [{ gates: ['X'], channel }] },
      })),
      ...{ max_shots: 8000, decoder: 'none', seed: 3 },
    });
    for (const { errors, shots } of record.tasks) {
      expect(deviations(errors, shots, 0.25)).toBeLessThan(5);
    }
  });

  test.each([3, 5])('decodes a repetition code of distance %d by majority', async (distance) => {
    const p = 0.1;
    const decoders = ['matching', 'union_find', 'bp_osd', 'lookup', 'none'];
    const record = await run({
      tasks: decoders.map((decoder) => ({ stim: repetitionCode(distance, p), decoder })),
      ...{ max_shots: 200_000, seed: 2 },
    });
    const majority = binomial(distance, p)
      .slice((distance + 1) / 2)
      .reduce((sum, each) => sum + each, 0);
    for (const { decoder, errors, shots } of record.tasks) {
      const expected = decoder === 'none' ? p : majority;
      expect([decoder, deviations(errors, shots, expected) < 5]).toEqual([decoder, true]);
    }
  });

  test('decodes errors that flip three checks by bp_osd, and matching names one of them', async () => {
    const stim = bicycleMemory(GROSS_72, 3, 0.01);
    const decoders = ['bp_osd', 'none'].map((decoder) => ({ stim, decoder }));
    const { tasks } = await run({ tasks: decoders, max_shots: 1024, seed: 3 });
    const [decoded, flipped] = tasks.map(({ errors }: { errors: number }) => errors);
    expect([decoded < 10, flipped > 100]).toEqual([true, true]);
    const refused = await post({ tasks: [{ stim, decoder: 'matching' }], max_shots: 1024 });
    expect(refused.statusCode).toBe(400);
    expect(refused.json().error.details).toMatchObject([
      {
        path: 'tasks[0].decoder',
        message: expect.stringMatching(
          /^matching cannot decode this task: .* flips D\d+ D\d+ D\d+/,
        ),
      },
    ]);
  });

  test('many tasks of one circuit count as each does alone', async () => {
    const padding = `# ${'-'.repeat(2000)}\n`;
    const tasks = [0.02, 0.05, 0.1, 0.2].flatMap((p) =>
      (['matching', 'union_find', 'none'] as const).map((decoder) => ({
        stim: padding + repetitionCode(5, p),
        decoder,
        seed: 4,
      })),
    );
    const together = await run({ tasks, max_shots: 3000 });
    for (const [i, task] of tasks.entries()) {
      const [alone] = (await run({ tasks: [task], max_shots: 3000 })).tasks;
      const { shots, errors, discards, strong_id } = alone;
      expect(together.tasks[i]).toMatchObject({ shots, errors, discards, strong_id });
    }
    expect(
      new Set(together.tasks.map(({ errors }: { errors: number }) => errors)).size,
    ).toBeGreaterThan(6);
  });

  test('decodes by matching unless the request says otherwise', async () => {
    const record = await run({ tasks: [{ stim: CHECKED(0.125) }], max_shots: 1000 });
    expect(record.tasks[0]).toMatchObject({ decoder: 'matching', errors: 0 });
  });

  test.each([
    ['a lost qubit, which reads 0', 'X 0\nLOSS_ERROR(0.2) 0\nM 0\nOBSERVABLE_INCLUDE(0) rec[-1]'],
    ['an observable that nothing measures', 'R 0\nX_ERROR(0.2) 0\nOBSERVABLE_INCLUDE(0) Z0\nM 0'],
  ])('counts flips by %s', async (_, stim) => {
    const body = { tasks: [{ stim }], max_shots: 20_480, decoder: 'none' };
    const [{ shots, errors }] = (await run(body)).tasks;
    expect(deviations(errors, shots, 0.2)).toBeLessThan(5);
  });

  test('counts flips in circuits with other than Clifford gates', async () => {
    const body = { tasks: [{ stim: WITH_T }], max_shots: 5000, decoder: 'none', seed: 1 };
    const [counts] = (await run(body)).tasks;
    expect(deviations(counts.errors, 5000, 0.25)).toBeLessThan(5);
  });

  test('knows low rates exactly where all sets of faults are looked at', async () => {
    // A majority of three qubits is wrong if two or three are flipped.
    const p = 1e-7;
    const task = { stim: repetitionCode(3, p), sampling: { method: 'stratified' } };
    const [counts] = (await run({ tasks: [task], max_shots: 10_000 })).tasks;
    const { logical_error_rate, interval, sampling } = counts;
    expect(logical_error_rate / (3 * p ** 2 - 2 * p ** 3)).toBeCloseTo(1, 9);
    expect(interval.map((each: number) => each / logical_error_rate)).toEqual([1, 1]);
    const errors = sampling.strata.map(({ sets, errors }: Record<string, number>) => [
      sets,
      errors,
    ]);
    expect(errors).toEqual([
      [1, 0],
      [3, 0],
      [3, 3],
      [1, 1],
    ]);
    expect(sampling).toMatchObject({ num_faults: 3, min_faults: 0, omitted_probability: 0 });
  });

  test.each([
    ['repetition_code', 'memory', 5, 0.02],
    ['surface_code', 'rotated_memory_x', 3, 0.004],
  ])('stratified shots of %s err as often as drawn ones', async (code, task, distance, p) => {
    const noise = {
      ...NO_NOISE,
      afterCliffordDepolarization: p,
      beforeRoundDataDepolarization: p,
      beforeMeasureFlipProbability: p,
    };
    const made = generateStim({ code, task, distance, rounds: 3, noise });
    if ('problem' in made) throw new Error(made.problem);
    const tasks = [{ stim: made.text }, { stim: made.text, sampling: { method: 'stratified' } }];
    const [drawn, stratified] = (await run({ tasks, max_shots: 100_000, seed: 2 })).tasks;
    const half = ({ interval: [low, high] }: { interval: readonly number[] }) => (high! - low!) / 2;
    const difference = Math.abs(drawn.logical_error_rate - stratified.logical_error_rate);
    expect(difference).toBeLessThan((5 / 2) * Math.hypot(half(drawn), half(stratified)));
    expect(half(stratified)).toBeLessThan(half(drawn));
    expect(stratified.errors).toBeGreaterThan(2 * drawn.errors);
    // Sinter would take its errors by its shots as the rate.
    const { experiment_id: id } = await run({ tasks, max_shots: 10_000 });
    const table = (await service.get(`${PATH}/${id}/csv`)).body.trim().split('\n');
    expect(table).toHaveLength(2);
  });

  const STRATIFIED = { sampling: { method: 'stratified' }, max_shots: 10_000 };
  const refused: readonly (readonly [string, object, string, RegExp])[] = [
    [
      'stratified shots of too few',
      { ...STRATIFIED, max_shots: 9999 },
      'tasks[0].max_shots',
      /At least 10,000/,
    ],
    [
      'a limit of errors of stratified shots',
      { ...STRATIFIED, max_errors: 10 },
      'tasks[0].max_errors',
      /relative_error/,
    ],
    [
      'stratified shots with post-selection',
      { ...STRATIFIED, tasks: [{ stim: CHECKED(0.1), postselect: { detectors: [0] } }] },
      'tasks[0].postselect',
      /Not taken/,
    ],
    [
      'stratified shots of gates that are not Clifford',
      { ...STRATIFIED, tasks: [{ stim: WITH_T }] },
      'tasks[0].sampling',
      /T on qubit 0 is neither/,
    ],
    [
      'stratified shots of qubits that are lost',
      { ...STRATIFIED, tasks: [{ stim: `LOSS_ERROR(0.1) 0\n${CHECKED(0.1)}` }] },
      'tasks[0].sampling',
      /qubits that are lost/,
    ],
    [
      'stratified shots of errors that exclude each other',
      { ...STRATIFIED, tasks: [{ stim: EXCLUSIVE }] },
      'tasks[0].sampling',
      /no independent errors have the probabilities/,
    ],
    [
      'strata of more faults than may happen',
      {
        tasks: [{ stim: CHECKED(0.1) }],
        sampling: { method: 'stratified', min_faults: 2 },
        max_shots: 10_000,
      },
      'tasks[0].sampling.min_faults',
      /at most 1/,
    ],
    [
      'an unknown way of sampling',
      { sampling: { method: 'splitting' } },
      'sampling.method',
      /stratified/,
    ],
    ['no limit of shots', { max_shots: undefined }, 'tasks[0].max_shots', /Required/],
    ['too many shots', { max_shots: 10 ** 12 + 1 }, 'max_shots', /1000000000000/],
    ['an unknown decoder', { decoder: 'tea_leaves' }, 'decoder', /none/],
    [
      'an error that flips four detectors, for matching',
      { tasks: [{ stim: HYPEREDGE }], decoder: 'matching' },
      'tasks[0].decoder',
      /flips D0 D1 D2 D3 L0 is no combination/,
    ],
    [
      'a table of 24 detectors',
      { tasks: [{ stim: repetitionCode(25, 0.1), decoder: 'lookup' }] },
      'tasks[0].decoder',
      /24 detectors/,
    ],
    [
      'noise that no decoder takes',
      {
        tasks: [
          {
            circuit: [{ gate: 'X', qubit: 0 }],
            logical_observables: [[0]],
            noise: {
              gates: [{ gates: ['X'], channel: { type: 'amplitude_damping', gamma: 0.1 } }],
            },
          },
        ],
        decoder: undefined,
      },
      'tasks[0].decoder',
      /matching cannot decode this task: .* "none" counts/,
    ],
    [
      'loss of qubits, for a decoder',
      { tasks: [{ stim: `LOSS_ERROR(0.1) 0\n${CHECKED(0.1)}` }], decoder: 'matching' },
      'tasks[0].decoder',
      /depends on the qubits that are lost/,
    ],
    ['a device', { target_processor: 'emulator-ibm-fez' }, 'target_processor', /simulators/],
    ['no tasks', { tasks: [] }, 'tasks', /./],
    [
      'no observable',
      { tasks: [{ stim: 'M 0\nDETECTOR rec[-1]\n' }] },
      'tasks[0].stim',
      /OBSERVABLE_INCLUDE/,
    ],
    [
      'no observable of a circuit',
      { tasks: [{ circuit: [{ gate: 'M', qubits: [0] }], detectors: [[0]] }] },
      'tasks[0].logical_observables',
      /Required/,
    ],
    [
      'a detector that depends on chance',
      { tasks: [{ stim: 'H 0\nM 0\nDETECTOR rec[-1]\nOBSERVABLE_INCLUDE(0) rec[-1]\n' }] },
      'tasks[0].stim',
      /D0 differs/,
    ],
    [
      'detectors beside a text that has its own',
      { tasks: [{ stim: CHECKED(0.1), detectors: [[0]] }] },
      'tasks[0].detectors',
      /its own/,
    ],
    [
      'an observable that gates other than Clifford make random',
      {
        tasks: [
          {
            circuit: [
              { gate: 'H', qubit: 0 },
              { gate: 'T', qubit: 0 },
              { gate: 'H', qubit: 0 },
            ],
            logical_observables: [[0]],
          },
        ],
      },
      'tasks[0].detectors',
      /differ between runs without errors: L0/,
    ],
    [
      'to decode a circuit without an error model',
      { tasks: [{ stim: WITH_T }], decoder: 'matching' },
      'tasks[0].decoder',
      /T on qubit 0 is neither/,
    ],
    [
      'post-selection on a detector that is not there',
      { tasks: [{ stim: CHECKED(0.1), postselect: { detectors: [0, 1] } }] },
      'tasks[0].postselect.detectors[1]',
      /no detector 1/,
    ],
    [
      'post-selection on an observable twice',
      { tasks: [{ stim: CHECKED(0.1), postselect: { observables: [0, 0] } }] },
      'tasks[0].postselect.observables[1]',
      /twice/,
    ],
    [
      'metadata of a megabyte',
      { tasks: [{ stim: CHECKED(0.1), metadata: 'a'.repeat(10_000) }] },
      'tasks[0].metadata',
      /10,002/,
    ],
    [
      'an unknown field of a task',
      { tasks: [{ stim: CHECKED(0.1), shots: 10 }] },
      'tasks[0].shots',
      /shots/,
    ],
    [
      'observables of Pauli strings',
      { tasks: [{ stim: CHECKED(0.1), observables: [{ pauli: 'Z0' }] }] },
      'tasks[0].observables',
      /observables/,
    ],
    [
      'a text with two programs',
      { tasks: [{ stim: CHECKED(0.1), qasm: 'OPENQASM 3;' }] },
      'tasks[0].stim',
      /not both/,
    ],
  ];
  test.each(refused)('refuses %s', async (_, more, path, message) => {
    const body = { tasks: [{ stim: CHECKED(0.1) }], max_shots: 1000, decoder: 'none', ...more };
    const answer = await post(body);
    expect(answer.statusCode).toBe(400);
    const { details } = answer.json().error;
    expect(details).toContainEqual(
      expect.objectContaining({ path, message: expect.stringMatching(message) }),
    );
  });

  test('runs once for two requests with one Idempotency-Key', async () => {
    const body = { tasks: [{ stim: CHECKED(0.1) }], max_shots: 1000, decoder: 'none' };
    const headers = { 'idempotency-key': 'experiment-1' };
    const [first, second] = [await post(body, headers), await post(body, headers)];
    expect(second.json().data.experiment_id).toBe(first.json().data.experiment_id);
    expect(second.headers['idempotent-replayed']).toBe('true');
  });

  test('waits for the counts if Prefer says so', async () => {
    const body = { tasks: [{ stim: CHECKED(0.1) }], max_shots: 1000, decoder: 'none' };
    const answer = await post(body, { prefer: 'wait=60' });
    expect(answer.json().data).toMatchObject({ status: 'completed', tasks: [{ shots: 1000 }] });
  });
});

describe('a running experiment', () => {
  const ENDLESS = {
    tasks: [{ stim: CHECKED(0.1), metadata: { p: 0.1 } }, { stim: CHECKED(0.1) }],
    ...{ max_shots: 10 ** 12, decoder: 'none' },
  };

  async function started() {
    const { experiment_id: id } = (await post(ENDLESS)).json().data;
    await eventually(async () => ((await recordOf(id)).tasks?.[0]?.shots ?? 0) > 0);
    return id as string;
  }
  const cancel = (id: string) => service.request({ method: 'POST', url: `${PATH}/${id}/cancel` });

  test('shows its counts so far, ends when it is cancelled, and runs again as a new one', async () => {
    const id = await started();
    const { status, tasks, progress } = await recordOf(id);
    expect(status).toBe('running');
    expect(progress).toBeLessThan(0.5);
    expect(tasks[0].metadata).toEqual({ p: 0.1 });
    expect(tasks[0].errors).toBeGreaterThan(0);
    const csv = await service.get(`${PATH}/${id}/csv`);
    expect(csv.body.split('\n')).toHaveLength(3);
    const cancelled = (await cancel(id)).json().data;
    expect(cancelled.status).toBe('cancelled');
    expect(cancelled.tasks[0].shots).toBeGreaterThanOrEqual(tasks[0].shots);
    expect((await recordOf(id)).tasks).toEqual(cancelled.tasks);
    const table = await service.get(`${PATH}/${id}/csv`);
    expect(table.body).toContain(`\n${cancelled.tasks[0].shots},${cancelled.tasks[0].errors},0,`);
    const again = await service.request({ method: 'POST', url: `${PATH}/${id}/retry` });
    const { data } = again.json();
    expect(data).toMatchObject({ retry_of: id, seed: cancelled.seed });
    await cancel(data.experiment_id);
    const url = `${PATH}/${id}`;
    expect((await service.request({ method: 'DELETE', url })).statusCode).toBe(204);
    expect((await service.get(url)).statusCode).toBe(404);
  });

  test('streams the counts of the tasks that went on', async () => {
    const id = await started();
    const events = service.get(`${PATH}/${id}/events`);
    const { shots } = (await recordOf(id)).tasks[0];
    await eventually(async () => (await recordOf(id)).tasks[0].shots > 4 * shots);
    await cancel(id);
    const progress = (await events).body
      .split('\n\n')
      .filter((event) => event.includes('event: progress'))
      .map((event) => progressData.parse(JSON.parse(event.slice(event.indexOf('{')))));
    const counted = progress.map(({ tasks = [] }) => tasks.find(({ task }) => task === 0)?.shots);
    const known = counted.filter((each) => each !== undefined);
    expect(known.length).toBeGreaterThan(0);
    expect(known).toEqual(known.toSorted((a, b) => a - b));
    expect(progress.at(-1)?.message).toMatch(/^0 of 2 tasks ended, [0-9,]+ shots, [0-9,]+ errors$/);
  });
});

describe('GET /quantum/experiments/{id}/csv', () => {
  test("has Sinter's columns, and the metadata as JSON", async () => {
    const { experiment_id: id, tasks } = await run({
      tasks: [
        { stim: CHECKED(0.25), metadata: { name: 'a, "b"\n', p: 0.25 } },
        { stim: CHECKED(1) },
      ],
      ...{ max_shots: 3000, decoder: 'none', seed: 1 },
    });
    const answer = await service.get(`${PATH}/${id}/csv`);
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    const [first, second] = tasks;
    expect(answer.body.split('\n')).toEqual([
      'shots,errors,discards,seconds,decoder,strong_id,json_metadata,custom_counts',
      `3000,${first.errors},0,${first.seconds.toFixed(3)},none,${first.strong_id},"{""name"":""a, \\""b\\""\\n"",""p"":0.25}",`,
      `3000,3000,0,${second.seconds.toFixed(3)},none,${second.strong_id},"null",`,
      '',
    ]);
    expect(first.strong_id).toMatch(/^[0-9a-f]{64}$/);
  });

  test('is not shown to another key', async () => {
    const { experiment_id: id } = await run({
      tasks: [{ stim: CHECKED(0.25) }],
      ...{ max_shots: 10, decoder: 'none' },
    });
    const other = await service.createKey();
    const answer = await service.get(`${PATH}/${id}/csv`, { 'x-api-key': other });
    expect(answer.statusCode).toBe(404);
  });
});
