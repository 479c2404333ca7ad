/** Experiments on a processor that answers in an order of its own. */
import { describe, expect, test } from 'vitest';
import { RelayedError } from '../../../src/errors/coded-error.ts';
import { chunksOf, TALLY_LENGTH, writeTally } from '../../../src/fleet/error-counting.ts';
import { EngineLostError } from '../../../src/fleet/errors.ts';
import type { CircuitResult, CircuitRun } from '../../../src/fleet/processor.ts';
import type { Job, JobPart } from '../../../src/jobs/job.ts';
import { parityLists } from '../../../src/math/bit-matrix.ts';
import { partSeed } from '../../../src/math/philox.ts';
import type { CheckedTask } from '../../../src/service/experiments/check-task.ts';
import { ExperimentRun } from '../../../src/service/experiments/run-experiment-job.ts';
import type { StoredTask } from '../../../src/service/experiments/stored-task.ts';
import type { StopRule } from '../../../src/service/experiments/task-counts.ts';
import { encodeStored } from '../../../src/service/jobs/stored-request.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { seeds, testSeeds } from '../../support/seeds.ts';

const JOB: Job = {
  id: 'exp_1',
  kind: 'experiment',
  keyId: 'key',
  status: 'queued',
  priority: 'normal',
  target: 'qvm',
  request: encodeStored({ tasks: 3, seed: 7, tier: 'standard' }, '{}'),
  createdAt: 0,
  attempts: 0,
};

function task(strongId: string, stopRule: StopRule): CheckedTask {
  const none = parityLists([], new Uint8Array());
  return {
    method: 'statevector',
    methodReason: '',
    groups: [{ circuit: { numQubits: 1, numBits: 1, operations: [] }, points: undefined }],
    observables: [],
    shots: 1024,
    stopRule,
    decoder: 'none',
    strongId,
    counting: {
      key: strongId,
      decoder: 'none',
      parities: { detectors: none, observables: none },
    },
  };
}

const TASKS = [
  task('a', { maxShots: 50_000 }),
  task('b', { maxShots: 10 ** 12, maxErrors: 2000 }),
  task('c', { maxShots: 100_000, relativeError: 0.05 }),
];

/** The errors of a chunk follow from its seed. */
function answer({ request }: CircuitRun): CircuitResult {
  const { seed = 0, shotRange } = request;
  const chunks = chunksOf(shotRange!);
  const tallies = new Float64Array(TALLY_LENGTH * chunks.length);
  for (const [k, { index, shots }] of chunks.entries()) {
    const errors = partSeed(seed, index) % 90;
    writeTally(tallies, k, { shots, errors, discards: 0, errorProbability: 0, ms: 1 });
  }
  return {
    outputs: { tallies },
    backend: { engine: 'cpu', execution: 'cpu', precision: 'f64', hardware: '' },
    timing: { queueMs: 0, compileMs: 0, executionMs: chunks.length },
  } as CircuitResult;
}

/** Runs the tasks on a processor with some places, which end in random order. */
async function counted(
  stream: RandomStream,
  numPlaces: number,
  stored: readonly StoredTask[] = [],
): Promise<{ readonly run: ExperimentRun; readonly shotsRun: number; readonly parts: JobPart[] }> {
  const waiting: (() => void)[] = [];
  const running: (() => void)[] = [];
  let shotsRun = 0;
  const parts: JobPart[] = [];
  const step = () => {
    while (running.length < numPlaces && waiting.length > 0) waiting.shift()?.();
    running.splice(stream.below(running.length), 1)[0]?.();
    if (running.length + waiting.length > 0) setImmediate(step);
  };
  const processor = {
    run: (run: CircuitRun, { onStarted }: { onStarted?: () => void }, signal: AbortSignal) => {
      if (running.length + waiting.length === 0) setImmediate(step);
      const { promise, resolve, reject } = Promise.withResolvers<CircuitResult>();
      signal.addEventListener('abort', () => reject(signal.reason));
      waiting.push(() => {
        onStarted?.();
        running.push(() => {
          const { from, to } = run.request.shotRange!;
          shotsRun += to - from;
          resolve(answer(run));
        });
      });
      return promise;
    },
  };
  const hooks = {
    started() {},
    progress() {},
    saveParts: (saved: readonly JobPart[]) => void parts.push(...saved),
  };
  const { signal } = new AbortController();
  const run = new ExperimentRun(JOB, TASKS, stored, { processor, hooks, signal, now: () => 0 });
  await run.run();
  return { run, shotsRun, parts };
}

const numbersOf = (run: ExperimentRun) =>
  run.tasks.map(({ counted: { shots, errors, numChunks } }) => [shots, errors, numChunks]);

testSeeds(
  'counts depend neither on places nor on the order of answers',
  seeds(20),
  async (seed) => {
    const stream = new RandomStream(seed);
    const alone = await counted(new RandomStream(0), 1);
    const { run, parts } = await counted(stream, 1 + stream.below(20));
    expect(numbersOf(run)).toEqual(numbersOf(alone.run));
    // The last parts of each task have all its counts.
    const last = new Map(parts.map((part) => [part.series, part]));
    expect([...last.values()].map(({ to }) => to)).toEqual(
      [...last.keys()].map((i) => run.tasks[i]?.counted.numChunks),
    );
  },
);

test('goes on where stored counts end, and takes no shot twice', async () => {
  const whole = await counted(new RandomStream(1), 4);
  const [first] = whole.run.tasks;
  const half = { shots: 10 * 1024, errors: 0, discards: 0, ms: 0, numChunks: 10 };
  for (let i = 0; i < 10; i++) half.errors += partSeed(7, i) % 90;
  const resumed = await counted(new RandomStream(2), 4, [{ ...first!, counted: half }]);
  expect(numbersOf(resumed.run)).toEqual(numbersOf(whole.run));
});

test('few shots are taken beyond the ends of tasks', async () => {
  const { run, shotsRun } = await counted(new RandomStream(3), 4);
  const needed = run.tasks.reduce((sum, { counted: { shots } }) => sum + shots, 0);
  expect(shotsRun).toBeLessThan(2 * needed);
});

describe('a run that fails', () => {
  test('names the task', async () => {
    const processor = { run: () => Promise.reject(new EngineLostError(3)) };
    const hooks = { started() {}, progress() {}, saveParts() {} };
    const { signal } = new AbortController();
    const deps = { processor, hooks, signal, now: () => 0 };
    const failed = new ExperimentRun(JOB, TASKS, [], deps).run();
    await expect(failed).rejects.toThrow(RelayedError);
    await expect(failed).rejects.toThrow(/^tasks\[0\]: The engine stopped/);
  });
});
