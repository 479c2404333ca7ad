/** Results that cannot be right, of an engine that lies: they fail the job, are logged and counted, and never answered. */
import { describe, expect, test } from 'vitest';
import type { RunResult } from '../../src/engine/engine.ts';
import type {
  CircuitResult,
  CircuitRun,
  DeviceResult,
  Processor,
} from '../../src/fleet/processor.ts';
import { outputsOf } from '../../src/fleet/run-outputs.ts';
import { isBatch } from '../../src/fleet/schedule/scheduled-run.ts';
import { parseScrape } from '../support/prometheus-text.ts';
import { runOf } from '../support/run-of.ts';
import { FakeProcessor, zeroBatch, zeroResult } from './support/fake-processor.ts';
import { BELL, openTestService } from './support/test-service.ts';

type Run = RunResult;
type Batch = CircuitResult['outputs'];

/** A processor whose results are changed. */
class Liar extends FakeProcessor {
  readonly #lie: (run: Run) => Run;
  readonly #lieOfBatch: (batch: Batch) => Batch;

  constructor(lie: (run: Run) => Run, lieOfBatch: (batch: Batch) => Batch) {
    super();
    this.#lie = lie;
    this.#lieOfBatch = lieOfBatch;
  }

  override run(task: CircuitRun): Promise<CircuitResult> {
    if (isBatch(task.request)) {
      const result = zeroBatch(task);
      return Promise.resolve({ ...result, outputs: this.#lieOfBatch(result.outputs) });
    }
    const result = zeroResult(task);
    return Promise.resolve({ ...result, outputs: outputsOf(this.#lie(runOf(result))) });
  }
}

const OBSERVABLES = [{ pauli: 'Z0' }];

/** By what is wrong: the outputs that are asked for, and the lies alone and in batches. */
const LIES: readonly {
  readonly fault: string;
  readonly asked: readonly string[];
  readonly lie: (run: Run) => Run;
  readonly lieOfBatch: (batch: Batch) => Batch;
}[] = [
  {
    fault: 'its counts sum to 25 instead of 100',
    asked: ['counts'],
    lie: (run) => ({ ...run, counts: { ...run.counts, occurrences: Uint32Array.of(25) } }),
    lieOfBatch: (batch) => ({ ...batch, counts: Uint32Array.of(25, 0, 0, 0) }),
  },
  {
    fault: 'its probabilities sum to 0.5',
    asked: ['probabilities'],
    lie: (run) => ({ ...run, probabilities: Float64Array.of(0.5, 0, 0, 0) }),
    lieOfBatch: (batch) => ({ ...batch, probabilities: Float64Array.of(0.5, 0, 0, 0) }),
  },
  {
    fault: 'its probabilities sum to NaN',
    asked: ['probabilities'],
    lie: (run) => ({ ...run, probabilities: Float64Array.of(NaN, 0, 0, 0) }),
    lieOfBatch: (batch) => ({ ...batch, probabilities: Float64Array.of(NaN, 0, 0, 0) }),
  },
  {
    fault: 'an expectation value is 1.5, where it lies between -1 and 1',
    asked: ['expectation'],
    lie: (run) => ({ ...run, expectations: [1.5] }),
    lieOfBatch: (batch) => ({ ...batch, expectations: Float64Array.of(1.5) }),
  },
  {
    fault: 'its state has the norm 4',
    asked: ['statevector'],
    lie: (run) => ({ ...run, statevector: Float64Array.of(2, 0, 0, 0, 0, 0, 0, 0) }),
    lieOfBatch: (batch) => ({ ...batch, statevectors: Float64Array.of(2, 0, 0, 0, 0, 0, 0, 0) }),
  },
];

async function numViolations(service: Awaited<ReturnType<typeof openTestService>>) {
  const { body } = await service.app.inject('/metrics');
  const samples = parseScrape(body).all('qcs_engine_violations_total');
  return samples.map(({ labels, value }) => [labels['processor'], value]);
}

describe.each(LIES)('a result of which $fault', ({ fault, asked, lie, lieOfBatch }) => {
  const withObservables = asked.includes('expectation') && { observables: OBSERVABLES };
  const settings = { metricsAddresses: ['127.0.0.1'] };

  test('fails its circuit', async () => {
    await using service = await openTestService({
      processors: [new Liar(lie, lieOfBatch)],
      settings,
    });
    expect(await numViolations(service)).toEqual([['statevector-sim', 0]]);
    const answer = await service.submit({ ...BELL, return: asked, ...withObservables });
    expect([answer.statusCode, answer.json().error.code]).toEqual([500, 'INTERNAL_ERROR']);
    const [detail] = answer.json().error.details;
    expect(detail).toMatchObject({
      code: 'ENGINE_INVARIANT',
      message: expect.stringContaining(fault),
    });
    const record = (await service.get(answer.headers.location!.replace('/api/v1', ''))).json().data;
    expect([record.status, record.error.code]).toEqual(['failed', 'ENGINE_INVARIANT']);
    expect(record).not.toHaveProperty('counts');
    const { circuit_id: run } = record;
    expect(service.violations).toMatchObject([
      { run, processor: 'statevector-sim', request: { seed: 7 }, circuit: { numQubits: 2 } },
    ]);
    expect(await numViolations(service)).toEqual([['statevector-sim', 1]]);
  });

  test('fails its batch', async () => {
    await using service = await openTestService({
      processors: [new Liar(lie, lieOfBatch)],
      settings,
    });
    const { shots, circuit, target_processor } = BELL;
    const hasCounts = asked.includes('counts');
    const program = { circuit, return: asked, ...(hasCounts && { shots }), ...withObservables };
    const answer = await service.request({
      method: 'POST',
      url: '/quantum/batches',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ target_processor, programs: [program] }),
    });
    expect([answer.statusCode, answer.json().error.code]).toEqual([500, 'INTERNAL_ERROR']);
    const [detail] = answer.json().error.details;
    expect(detail).toMatchObject({
      code: 'ENGINE_INVARIANT',
      message: expect.stringContaining(fault),
    });
    expect(service.violations).toMatchObject([
      { run: expect.stringMatching(/^batch_\w+\/0$/), request: { numCircuits: 1 } },
    ]);
    expect(await numViolations(service)).toEqual([['statevector-sim', 1]]);
  });
});

test('a result of hardware is held to its shots', async () => {
  const counts = {
    numBits: 2,
    wordsPerOutcome: 1,
    outcomes: Uint32Array.of(0),
    occurrences: Uint32Array.of(99),
  };
  const device: Processor = Object.assign(new FakeProcessor(), {
    // The other facts are not looked at.
    runOnDevice: async () => ({ counts: [counts] }) as unknown as DeviceResult,
  });
  await using service = await openTestService({ processors: [device] });
  const [served] = service.deps.fleet.processors;
  // The cast is safe: the device looks at none of it.
  const run = { id: 'a run', shots: 100 } as Parameters<NonNullable<Processor['runOnDevice']>>[0];
  const result = served!.runOnDevice!(run, {}, new AbortController().signal);
  await expect(result).rejects.toMatchObject({ code: 'ENGINE_INVARIANT' });
  expect(service.violations).toMatchObject([{ run: 'a run', request: { shots: 100 } }]);
});
