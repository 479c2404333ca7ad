/** Availability of the classifier, and the events that change it. */
import { expect, test, vi } from 'vitest';
import { EngineLostError, QueueFullError } from '../../../../../src/fleet/errors.ts';
import { zeroBatch } from '../../../../service/support/fake-processor.ts';
import { NEVER } from '../../../../support/engine-runs.ts';
import { eventually } from '../../../../support/eventually.ts';
import {
  CALLER,
  exactCounts,
  fakeClassifier,
  flowers,
} from '../../../../support/fake-classifier.ts';

/** A fake classifier through its first self-test. */
async function started(selfTestIntervalMs?: number) {
  const parts = fakeClassifier(selfTestIntervalMs);
  await parts.model.start();
  return parts;
}

test('it is not available before its first self-test, and takes no request', async () => {
  const { model, fleet } = fakeClassifier();
  expect(model.availability()).toMatchObject({
    available: false,
    reason: 'The first self-test is not through yet.',
  });
  await expect(model.classify(flowers(), CALLER, NEVER)).rejects.toMatchObject({
    code: 'WORKLOADS_MODEL_UNAVAILABLE',
  });
  expect(fleet.batches).toEqual([]);
  await model.close();
});

test('the self-test is an inference of the known answers, ahead of requests', async () => {
  const { model, fleet, simulator } = await started();
  expect(model.availability()).toEqual({ available: true, checkedAt: 1_700_000_000_000 });
  expect(fleet.batches).toMatchObject([
    {
      keyId: 'self-test',
      tier: 'enterprise',
      priority: 'high',
      request: { numCircuits: model.knownAnswers.length, shots: 1024 },
    },
  ]);
  expect(simulator.batches).toEqual([]);
  await model.close();
});

test('the self-test runs where requests would: not on a processor in maintenance', async () => {
  const { model, fleet, simulator } = fakeClassifier();
  fleet.setMaintenance({ reason: 'New drivers.' });
  await model.start();
  expect(fleet.batches).toEqual([]);
  expect(simulator.batches).toMatchObject([{ keyId: 'self-test' }]);
  expect(model.availability().available).toBe(true);
  await model.close();
});

test('wrong counts in the self-test make it unavailable, and it says what was wrong', async () => {
  const { model, fleet, simulator } = fakeClassifier();
  fleet.answer = async (task) => zeroBatch(task);
  await model.start();
  const { available, reason } = model.availability();
  expect(available).toBe(false);
  expect(reason).toContain('found an expectation of 1 for a typical versicolor, not -0.92');
  await expect(model.classify(flowers(), CALLER, NEVER)).rejects.toMatchObject({
    code: 'WORKLOADS_MODEL_UNAVAILABLE',
    message: expect.stringContaining('found an expectation of 1'),
  });
  expect(simulator.batches).toEqual([]);
  await model.close();
});

test.each([
  ['5 standard deviations', 5, true],
  ['7 standard deviations', 7, false],
])('a self-test that is off by %s is taken for chance or not', async (_, deviations, available) => {
  const { model, fleet } = fakeClassifier();
  const exact = model.knownAnswers[2]!.expectation;
  const off = Math.round((deviations * Math.sqrt((1 - exact ** 2) / 1024) * 1024) / 2);
  fleet.answer = async (task) => {
    const result = exactCounts(task);
    // The third known answer, the hardest; outcomes 0 and 1.
    result.outputs.counts![32]! += off;
    result.outputs.counts![33]! -= off;
    return result;
  };
  await model.start();
  expect(model.availability().available).toBe(available);
  await model.close();
});

test('it is unavailable while all its processors are, with the reason of each', async () => {
  const { model, fleet, simulator } = await started();
  fleet.setMaintenance({ reason: 'New drivers.' });
  expect(model.availability().available).toBe(true);
  simulator.setMaintenance({ reason: 'New cores.' });
  const { available, reason } = model.availability();
  expect(available).toBe(false);
  expect(reason).toContain('gpu-fleet: New drivers.');
  expect(reason).toContain('statevector-sim: New cores.');
  await expect(model.classify(flowers(), CALLER, NEVER)).rejects.toMatchObject({
    code: 'WORKLOADS_MODEL_UNAVAILABLE',
    message: expect.stringContaining('New cores.'),
  });
  await model.close();
});

test('it is worth trying again when the first of its processors is', async () => {
  const { model, fleet, simulator } = await started();
  const unwell = { available: false, reason: 'It failed.', checkedAt: 5 };
  fleet.availability = () => ({ ...unwell, retryAfterS: 30 });
  simulator.availability = () => ({ ...unwell, retryAfterS: 8 });
  expect(model.availability()).toMatchObject({ available: false, retryAfterS: 8 });
  await expect(model.classify(flowers(), CALLER, NEVER)).rejects.toMatchObject({ retryAfterS: 8 });
  simulator.availability = () => unwell;
  expect(model.availability()).toMatchObject({ retryAfterS: 30 });
  fleet.availability = () => unwell;
  expect(model.availability()).not.toHaveProperty('retryAfterS');
  await model.close();
});

test('it is available as soon as one of them is back, without another self-test', async () => {
  const { model, fleet, simulator } = await started();
  fleet.setMaintenance({ reason: 'New drivers.' });
  simulator.setMaintenance({ reason: 'New cores.' });
  expect(model.availability().available).toBe(false);
  const numBatches = fleet.batches.length + simulator.batches.length;
  simulator.setMaintenance(undefined);
  expect(model.availability().available).toBe(true);
  expect(fleet.batches.length + simulator.batches.length).toBe(numBatches);
  const { processor } = await model.classify(flowers(), CALLER, NEVER);
  expect(processor).toBe('statevector-sim');
  await model.close();
});

test('self-tests that find no processor leave a good finding as it is', async () => {
  const { model, fleet, simulator } = await started(2);
  fleet.setMaintenance({ reason: 'New drivers.' });
  simulator.setMaintenance({ reason: 'New cores.' });
  // Two looks at a processor beyond those of the test itself: a self-test came and went.
  let looks = 0;
  const availability = simulator.availability.bind(simulator);
  simulator.availability = () => {
    looks++;
    return availability();
  };
  await eventually(() => looks > 4);
  fleet.setMaintenance(undefined);
  expect(model.availability().available).toBe(true);
  await model.close();
});

test('self-tests that find no processor leave a bad finding as it is', async () => {
  const { model, fleet, simulator } = fakeClassifier(2);
  fleet.answer = async (task) => zeroBatch(task);
  await model.start();
  fleet.setMaintenance({ reason: 'New drivers.' });
  simulator.setMaintenance({ reason: 'New cores.' });
  const numBatches = fleet.batches.length;
  let looks = 0;
  const availability = simulator.availability.bind(simulator);
  simulator.availability = () => {
    looks++;
    return availability();
  };
  await eventually(() => looks > 4);
  expect(fleet.batches.length).toBe(numBatches);
  fleet.setMaintenance(undefined);
  expect(model.availability()).toMatchObject({
    available: false,
    reason: expect.stringContaining('found an expectation of 1'),
  });
  await model.close();
});

test('a start without any processor is reported, and repeated until there is one', async () => {
  const { model, fleet, simulator } = fakeClassifier(2);
  fleet.setMaintenance({ reason: 'New drivers.' });
  simulator.setMaintenance({ reason: 'New cores.' });
  await model.start();
  expect(model.availability()).toMatchObject({
    available: false,
    reason: expect.stringContaining('New cores.'),
  });
  fleet.setMaintenance(undefined);
  await eventually(() => model.availability().available);
  await model.close();
});

test('an engine that fails under a request is reported, and makes for a self-test', async () => {
  const { model, fleet } = await started();
  const { answer } = fleet;
  fleet.answer = async () => {
    throw new EngineLostError(2);
  };
  const { length } = fleet.batches;
  await expect(model.classify(flowers(), CALLER, NEVER)).rejects.toMatchObject({
    code: 'FLEET_ENGINE_LOST',
  });
  await eventually(() => !model.availability().available);
  expect(fleet.batches[length + 1]).toMatchObject({ keyId: 'self-test' });
  expect(model.availability().reason).toContain('The engine stopped');
  fleet.answer = answer;
  await eventually(() => model.availability().available);
  await model.close();
});

test('a full queue is reported to its caller, and is no fault of the model’s', async () => {
  const { model, fleet } = await started();
  const { length } = fleet.batches;
  fleet.answer = async () => {
    throw new QueueFullError('gpu-fleet', '5 circuits', 3);
  };
  await expect(model.classify(flowers(), CALLER, NEVER)).rejects.toMatchObject({
    code: 'FLEET_QUEUE_FULL',
  });
  expect(fleet.batches.slice(length)).toMatchObject([{ keyId: 'key-1' }]);
  expect(model.availability().available).toBe(true);
  await model.close();
});

test('a self-test is taken by a queue that is full of requests', async () => {
  const { model, fleet } = fakeClassifier();
  fleet.queueLimit = 0;
  await model.start();
  expect(model.availability().available).toBe(true);
  await model.close();
});

test('a caller who goes away hears the reason, and the model stays well', async () => {
  const { model, fleet } = await started();
  const { length } = fleet.batches;
  fleet.answer = (_, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const leaving = new AbortController();
  const answer = model.classify(flowers(), CALLER, leaving.signal);
  leaving.abort(new Error('gone'));
  await expect(answer).rejects.toThrow('gone');
  expect(model.availability().available).toBe(true);
  expect(fleet.batches).toHaveLength(length + 1);
  await model.close();
});

test('a self-test that waits in a queue that stands changes nothing, however long it takes', async () => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  });
  try {
    const { model, fleet, simulator } = await started(1000);
    let finish = () => {};
    // It is not told that it has begun.
    fleet.run = (task) =>
      new Promise((resolve) => {
        finish = () => resolve(exactCounts(task));
      });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(model.availability().available).toBe(true);
    fleet.setMaintenance({ reason: 'New drivers.' });
    simulator.setMaintenance({ reason: 'New cores.' });
    await vi.advanceTimersByTimeAsync(600_000);
    simulator.setMaintenance(undefined);
    expect(model.availability().available).toBe(true);
    finish();
    await model.close();
  } finally {
    vi.useRealTimers();
  }
});

test('closing ends what runs, and self-tests', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { model, fleet } = await started(2);
    await vi.advanceTimersByTimeAsync(10);
    expect(fleet.batches.length).toBeGreaterThan(2);
    fleet.answer = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const answer = model.classify(flowers(), CALLER, NEVER);
    const ended = expect(answer).rejects.toMatchObject({ code: 'WORKLOADS_MODEL_UNAVAILABLE' });
    const { length } = fleet.batches;
    await model.close();
    await ended;
    await vi.advanceTimersByTimeAsync(1000);
    expect(fleet.batches).toHaveLength(length);
  } finally {
    vi.useRealTimers();
  }
});

test('a request that breaks a limit is refused whether or not the model is available', async () => {
  const { model, fleet } = await started();
  const { length } = fleet.batches;
  const wrong = flowers({ shots: 8193 });
  const refusal = { code: 'WORKLOADS_INFERENCE_INVALID' };
  await expect(model.classify(wrong, CALLER, NEVER)).rejects.toMatchObject(refusal);
  fleet.setMaintenance({ reason: 'New drivers.' });
  await expect(model.classify(wrong, CALLER, NEVER)).rejects.toMatchObject(refusal);
  expect(fleet.batches).toHaveLength(length);
  await model.close();
});

test('started without a processor, it is tested as soon as one is back', async () => {
  const { model, fleet, simulator } = fakeClassifier();
  fleet.setMaintenance({ reason: 'New fans.' });
  simulator.setMaintenance({ reason: 'New disk.' });
  await model.start();
  expect(model.availability()).toMatchObject({
    available: false,
    reason: expect.stringContaining('New fans.'),
  });
  fleet.setMaintenance(undefined);
  await eventually(() => model.availability().available);
  expect(fleet.batches).toMatchObject([{ keyId: 'self-test' }]);
  await model.close();
});

test('a fault of the first self-test is not tried again at every look', async () => {
  const { model, fleet, simulator } = fakeClassifier();
  simulator.setMaintenance({ reason: 'New disk.' });
  fleet.setMaintenance({ reason: 'New fans.' });
  await model.start();
  fleet.setMaintenance(undefined);
  fleet.answer = async (task) => zeroBatch(task);
  await eventually(() => model.availability().reason?.includes('found an expectation') ?? false);
  const { length } = fleet.batches;
  for (let i = 0; i < 10; i++) model.availability();
  await Promise.resolve();
  expect(fleet.batches).toHaveLength(length);
  await model.close();
});
