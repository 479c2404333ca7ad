/** The classifier's requests to a processor, and its decisions from the counts. */
import { expect, test } from 'vitest';
import { ProcessorUnavailableError } from '../../../../../src/fleet/errors.ts';
import { MAX_SEED } from '../../../../../src/math/philox.ts';
import { zeroBatch } from '../../../../service/support/fake-processor.ts';
import { NEVER } from '../../../../support/engine-runs.ts';
import {
  ARTEFACT,
  CALLER,
  FLOWER,
  fakeClassifier,
  flowers,
} from '../../../../support/fake-classifier.ts';

async function started() {
  const parts = fakeClassifier();
  await parts.model.start();
  return parts;
}

test('counts become expectation, class and margin, with what ran them', async () => {
  const { model, fleet } = await started();
  const counts = Uint32Array.of(100, 50, 0, 25, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 5);
  fleet.answer = async (task) => {
    const result = zeroBatch(task);
    return { ...result, outputs: { counts } };
  };
  const found = await model.classify(flowers({ shots: 200, seed: 9 }), CALLER, NEVER);
  // Bit 0 is clear in outcomes 0 and 6.
  const expectation = (2 * 120) / 200 - 1;
  const { threshold } = ARTEFACT.parameters;
  expect(found).toEqual({
    mode: 'trained',
    labels: ['versicolor', 'virginica'],
    threshold,
    numQubits: 4,
    numLayers: 1,
    numParameters: 12,
    shots: 200,
    seed: 9,
    processor: 'gpu-fleet',
    backend: { engine: 'reference', execution: 'cpu', precision: 'f64', hardware: 'a test' },
    timing: { queueMs: 0.1, compileMs: 0.2, executionMs: 0.3 },
    rows: [
      {
        expectation: expect.closeTo(expectation, 14),
        prediction: 1,
        marginInShotNoise: expect.closeTo(
          (expectation - threshold) / (2 * Math.sqrt((0.6 * 0.4) / 200)),
          10,
        ),
        outOfRange: [],
        counts,
      },
    ],
  });
  await model.close();
});

test('each row is read from its own counts', async () => {
  const { model, fleet } = await started();
  fleet.answer = async (task) => {
    const result = zeroBatch(task);
    const counts = new Uint32Array(48);
    counts.set([10], 0);
    counts.set([0, 10], 16);
    counts.set([5, 5], 32);
    return { ...result, outputs: { counts } };
  };
  const rows = [FLOWER, FLOWER, FLOWER];
  const found = await model.classify(flowers({ rows, shots: 10 }), CALLER, NEVER);
  expect(found.rows.map(({ expectation }) => expectation)).toEqual([1, -1, 0]);
  expect(found.rows.map(({ counts }) => [...counts].slice(0, 2))).toEqual([
    [10, 0],
    [0, 10],
    [5, 5],
  ]);
  await model.close();
});

test('the task is the caller’s, has the card’s shots, and is the same shape every time', async () => {
  const { model, fleet } = await started();
  const caller = { keyId: 'key-9', tier: 'enterprise', priority: 'low' } as const;
  await model.classify(flowers(), caller, NEVER);
  await model.classify(flowers({ shots: 5 }), caller, NEVER);
  const [, first, second] = fleet.batches;
  expect(first).toMatchObject({ ...caller, request: { numCircuits: 1, shots: 1024, seeds: [7] } });
  expect(second).toMatchObject({ request: { shots: 5 } });
  expect(first!.circuit).toBe(second!.circuit);
  expect(first!.id).not.toBe(second!.id);
  await model.close();
});

test.each([
  ['counting up', 40, [40, 41, 42]],
  ['from 0 after the largest', MAX_SEED - 1, [MAX_SEED - 1, MAX_SEED, 0]],
  ['from 0 after the largest at once', MAX_SEED, [MAX_SEED, 0, 1]],
])('row k has the seed + k, %s', async (_, seed, seeds) => {
  const { model, fleet } = await started();
  await model.classify(flowers({ rows: [FLOWER, FLOWER, FLOWER], seed }), CALLER, NEVER);
  expect(fleet.batches.at(-1)!.request.seeds).toEqual(seeds);
  await model.close();
});

test('what lies outside of the training range is drawn in and named', async () => {
  const { model, fleet } = await started();
  const { minimums, maximums } = ARTEFACT.parameters;
  const rows = [
    [1, 2.9, 50, 1.3],
    [minimums[0]!, 2.9, maximums[2]!, 1.3],
  ];
  const found = await model.classify(flowers({ rows }), CALLER, NEVER);
  expect(found.rows.map(({ outOfRange }) => outOfRange)).toEqual([
    ['sepal length (cm)', 'petal length (cm)'],
    [],
  ]);
  const { angles } = fleet.batches.at(-1)!.request;
  expect(angles!.slice(0, 8)).toEqual(angles!.slice(8));
  await model.close();
});

test('a circuit of the caller’s own has its threshold, width and depth, and no scaler', async () => {
  const { model, fleet } = await started();
  fleet.answer = async (task) => {
    const result = zeroBatch(task);
    return { ...result, outputs: { counts: Uint32Array.of(7, 3, 0, 0) } };
  };
  const own = { theta: Array.from({ length: 12 }, (_, j) => j / 10), numQubits: 2, threshold: 0.4 };
  const asked = flowers({ rows: [[0.5, -1, 0.25, 1]], own, shots: 10 });
  const found = await model.classify(asked, CALLER, NEVER);
  expect(found).toMatchObject({
    mode: 'custom',
    threshold: 0.4,
    numQubits: 2,
    numLayers: 2,
    numParameters: 12,
  });
  // An expectation of exactly 0.4 is not above 0.4.
  expect(found.rows[0]).toMatchObject({ expectation: 0.4, prediction: 0, outOfRange: [] });
  const { circuit, request } = fleet.batches.at(-1)!;
  expect(circuit.numQubits).toBe(2);
  const wanted = [0, 0.25, 0.3, 0.1, 0.6, 0.975, 0.9, 2.1];
  expect([...request.angles!]).toEqual(wanted.map((angle) => expect.closeTo(angle, 12)));
  await model.close();
});

test('a caller’s threshold is 0 unless given, whatever the deployed one is', async () => {
  const { model } = await started();
  const own = { theta: new Array<number>(12).fill(0) };
  const found = await model.classify(flowers({ rows: [[0, 0, 0, 0]], own }), CALLER, NEVER);
  expect(found.threshold).toBe(0);
  await model.close();
});

test('it falls over to the simulator while the fleet is in maintenance, and says so', async () => {
  const { model, fleet, simulator } = await started();
  fleet.setMaintenance({ reason: 'New drivers.' });
  const found = await model.classify(flowers(), CALLER, NEVER);
  expect(found.processor).toBe('statevector-sim');
  expect(simulator.batches).toHaveLength(1);
  fleet.setMaintenance(undefined);
  expect((await model.classify(flowers(), CALLER, NEVER)).processor).toBe('gpu-fleet');
  await model.close();
});

test('it falls over where the fleet leaves just as a request comes', async () => {
  const { model, fleet, simulator } = await started();
  fleet.answer = async () => {
    throw new ProcessorUnavailableError('gpu-fleet', 'It failed its self-test.');
  };
  const found = await model.classify(flowers(), CALLER, NEVER);
  expect(found.processor).toBe('statevector-sim');
  simulator.answer = async () => {
    throw new ProcessorUnavailableError('statevector-sim', 'It has no thread.', 8);
  };
  await expect(model.classify(flowers(), CALLER, NEVER)).rejects.toMatchObject({
    code: 'FLEET_PROCESSOR_UNAVAILABLE',
    message: expect.stringContaining('It has no thread.'),
    retryAfterS: 8,
  });
  await model.close();
});

test('it is known by its card', () => {
  const { model } = fakeClassifier();
  expect(model).toMatchObject({
    id: 'qnn-hybrid',
    name: ARTEFACT.card.name,
    task: 'classification',
    description: ARTEFACT.card.description,
    card: ARTEFACT.card,
    knownAnswers: ARTEFACT.known_answers,
  });
});
