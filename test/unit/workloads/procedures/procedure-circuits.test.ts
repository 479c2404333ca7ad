// @needs processes
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { QueueFullError } from '../../../../src/fleet/errors.ts';
import { bytesOfCircuit } from '../../../../src/fleet/workers/sent-batch.ts';
import { ProcedurePool } from '../../../../src/workloads/procedures/procedure-pool.ts';
import { EngineProcessor } from '../../../support/engine-processor.ts';
import { callOf, POOL, resultOf, running } from '../../../support/procedure-calls.ts';

let first: EngineProcessor;
let second: EngineProcessor;
let pool: ProcedurePool;
beforeAll(async () => {
  first = new EngineProcessor('first');
  second = new EngineProcessor('second');
  pool = new ProcedurePool({ ...POOL, processors: [first, second], numProcesses: 1 });
  await pool.start();
});
beforeEach(() => {
  for (const processor of [first, second]) {
    Object.assign(processor, { isAvailable: true, gate: undefined, failure: undefined });
    Object.assign(processor, { maxAtOnce: 0, numAborted: 0 });
    processor.tasks.length = 0;
  }
});
afterAll(async () => {
  await pool.close();
  for (const processor of [first, second]) await processor[Symbol.asyncDispose]();
});

/** Resolves once the processor has that many tasks. */
async function given(processor: EngineProcessor, numTasks: number): Promise<void> {
  while (processor.tasks.length < numTasks) await new Promise(setImmediate);
}

describe('a circuit of a procedure', () => {
  test('runs as it is written, under the name, priority, key and tier of its call', async () => {
    const call = callOf('bell', {
      input: { shots: 1000 },
      priority: 'high',
      keyId: 'key-7',
      tier: 'enterprise',
    });
    const { resultJson, executedOn } = await running(pool, call).outcome;
    const { outcomes, occurrences } = JSON.parse(resultJson);
    expect(outcomes).toEqual([0, 3]);
    expect(occurrences[0] + occurrences[1]).toBe(1000);
    expect(first.tasks).toMatchObject([
      { id: `${call.id}/0`, priority: 'high', keyId: 'key-7', tier: 'enterprise' },
    ]);
    expect(executedOn).toMatchObject([
      { processor: 'first', backend: { engine: 'cpu', precision: 'f64' }, circuits: 1 },
    ]);
  });

  test('goes to the first processor that is available', async () => {
    first.isAvailable = false;
    await resultOf(pool, 'bell', { shots: 10 });
    expect([first.tasks.length, second.tasks.length]).toEqual([0, 1]);
  });

  test('goes to the processor that the call names', async () => {
    const { outcome } = running(
      pool,
      callOf('bell', { input: { shots: 10 }, processorId: 'second' }),
    );
    expect(await outcome).toMatchObject({ executedOn: [{ processor: 'second', circuits: 1 }] });
    const elsewhere = running(pool, callOf('bell', { processorId: 'third' })).outcome;
    await expect(elsewhere).rejects.toMatchObject({ code: 'FLEET_PROCESSOR_UNAVAILABLE' });
  });

  test('leaves a processor that is taken away before it begins', async () => {
    first.gate = new Promise(() => {});
    const outcome = resultOf(pool, 'bell', { shots: 10 });
    await given(first, 1);
    first.isAvailable = false;
    await outcome;
    expect([first.numAborted, second.tasks.length]).toEqual([1, 1]);
  });

  test('fails when no processor is available', async () => {
    for (const processor of [first, second]) processor.isAvailable = false;
    await expect(resultOf(pool, 'bell', { shots: 10 })).rejects.toMatchObject({
      code: 'FLEET_PROCESSOR_UNAVAILABLE',
    });
  });

  test('may be as wide as the processor takes, and not wider', async () => {
    expect(await resultOf(pool, 'max-qubits')).toEqual({ max_qubits: 12 });
    await expect(resultOf(pool, 'too-wide')).rejects.toMatchObject({
      code: 'FLEET_CIRCUIT_TOO_LARGE',
    });
    expect(first.tasks).toEqual([]);
  });

  test('with noise comes through as it was, and runs on a density matrix', async () => {
    const { probabilities, max } = Object(await resultOf(pool, 'noisy', { numQubits: 2 }));
    // |11⟩ decays to |10⟩ with γ = 0.36, and bit 1 of |00⟩ is misread.
    for (const [i, p] of [0.375, 0, 0.125 + 0.18, 0.32].entries()) {
      expect(probabilities[i]).toBeCloseTo(p, 12);
    }
    expect(max).toBe(12);
    expect(first.tasks[0]).toMatchObject({ request: { method: 'density_matrix' } });
  });

  test('is refused where its density matrix is wider than the processor', async () => {
    await expect(resultOf(pool, 'noisy', { numQubits: 7 })).rejects.toMatchObject({
      code: 'FLEET_CIRCUIT_TOO_LARGE',
    });
    expect(first.tasks).toEqual([]);
  });

  test('of many operations comes through as it was', async () => {
    const { probabilities } = Object(await resultOf(pool, 'long'));
    // An even number of flips before a Bell pair.
    expect(probabilities.map((p: number) => Math.round(1e12 * p) / 1e12)).toEqual([0.5, 0, 0, 0.5]);
    expect(first.tasks[0]).toMatchObject({ circuit: { numQubits: 2 } });
    const { circuit } = first.tasks[0]!;
    expect(bytesOfCircuit(circuit)).toMatchObject({ numQubits: 2, bytes: expect.any(Uint8Array) });
  });

  test('has the error of the processor tell its own class where nobody caught it', async () => {
    const failure = new QueueFullError('first', '1000 circuits', 7);
    first.failure = failure;
    await expect(resultOf(pool, 'bell', { shots: 10 })).rejects.toBe(failure);
    expect(await resultOf(pool, 'catch-circuit')).toEqual({ message: failure.message });
  });
});

describe('a batch', () => {
  test('has the expectation of each row, and counts its rows', async () => {
    const input = { numCircuits: 100, numShapes: 1, times: 3 };
    const { resultJson, executedOn } = await running(pool, callOf('rows', { input })).outcome;
    const { last } = JSON.parse(resultJson);
    expect(last).toHaveLength(100);
    for (const [i, value] of last.entries()) expect(value).toBeCloseTo(Math.cos(i / 10), 12);
    expect(executedOn).toMatchObject([{ processor: 'first', circuits: 300 }]);
  });

  test('has the same object for the same shape, so that what is known of it is kept', async () => {
    await resultOf(pool, 'rows', { numCircuits: 2, numShapes: 3, times: 4 });
    const shapes = first.tasks.map(({ circuit }) => circuit);
    expect(shapes).toHaveLength(12);
    expect(new Set(shapes).size).toBe(3);
    expect(shapes.slice(0, 3)).toEqual(shapes.slice(9));
  });

  test('has its own shape also when there are more than both sides keep', async () => {
    await resultOf(pool, 'rows', { numCircuits: 1, numShapes: 100, times: 2 });
    const numBits = first.tasks.map(({ circuit }) => circuit.numBits);
    const once = Array.from({ length: 100 }, (_, i) => 1 + (i % 3));
    expect(numBits).toEqual([...once, ...once]);
  });
});

describe('many circuits at once', () => {
  test('are held to 64 under way, and all come through', async () => {
    expect(await resultOf(pool, 'flood', { numCircuits: 300 })).toEqual({ through: 300 });
    expect(first.tasks).toHaveLength(300);
    expect(first.maxAtOnce).toBeLessThanOrEqual(64);
    expect(first.maxAtOnce).toBeGreaterThan(1);
  });

  test('are all ended when the call is cancelled', async () => {
    first.gate = new Promise(() => {});
    const { outcome, controller } = running(pool, callOf('flood', { input: { numCircuits: 80 } }));
    await given(first, 64);
    controller.abort(new Error('enough'));
    await expect(outcome).rejects.toThrow('enough');
    await given(first, 64);
    expect([first.tasks.length, first.numAborted]).toEqual([64, 64]);
    first.gate = undefined;
    expect(await resultOf(pool, 'bell', { shots: 1 })).toMatchObject({ occurrences: [1] });
  });

  test('are ended with a call that did not wait for them', async () => {
    first.gate = new Promise(() => {});
    await resultOf(pool, 'leave-circuits');
    while (first.numAborted < first.tasks.length) await new Promise(setImmediate);
    first.gate = undefined;
    expect(await resultOf(pool, 'bell', { shots: 1 })).toMatchObject({ occurrences: [1] });
  });
});
