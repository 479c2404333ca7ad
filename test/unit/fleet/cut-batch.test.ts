/** Batches in chunks have the results that they have whole. */
import { afterAll, describe, expect, test } from 'vitest';
import { numAnglesOf } from '../../../src/circuit/circuit.ts';
import type { PauliSum } from '../../../src/circuit/observable.ts';
import {
  BatchChunks,
  BatchCutter,
  type RunChunk,
  RunSizes,
} from '../../../src/fleet/batch-chunks.ts';
import type { BatchRunRequest } from '../../../src/fleet/schedule/scheduled-run.ts';
import type { Batch } from '../../../src/fleet/workers/sent-batch.ts';
import { EngineProcessor } from '../../support/engine-processor.ts';
import { never as neverAborted } from '../../support/fleet-fixtures.ts';
import { gate } from '../../support/random-circuits.ts';

const never = neverAborted();
const processor = new EngineProcessor('whole');
afterAll(() => processor[Symbol.asyncDispose]());

const onProcessor: RunChunk = async (chunk, onStarted, signal) => {
  const facts = { id: 'run', keyId: 'key', tier: 'standard', priority: 'normal' } as const;
  return await processor.run({ ...facts, ...chunk }, { onStarted }, signal);
};

/** Runs chunks as if each circuit took that long. */
function slowly(msPerCircuit: number, sizes: number[]): RunChunk {
  return async (chunk, onStarted, signal) => {
    const { numCircuits } = chunk.request;
    sizes.push(numCircuits);
    const { outputs } = await onProcessor(chunk, onStarted, signal);
    const executionMs = numCircuits * msPerCircuit;
    return { outputs, timing: { queueMs: 0, compileMs: 0, executionMs } };
  };
}

function chain(numQubits: number, numBits = numQubits) {
  const qubits = Array.from({ length: numQubits }, (_, qubit) => qubit);
  return {
    numQubits,
    numBits,
    operations: [
      ...qubits.map((qubit) => gate('RY', [qubit], [], [0])),
      ...qubits.slice(1).map((qubit) => gate('CX', [qubit], [qubit - 1])),
      { kind: 'measure', qubits, bits: qubits } as const,
    ],
  };
}

const OBSERVABLES: readonly PauliSum[] = [
  [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }],
  [{ coefficient: 0.5, factors: [{ pauli: 'X', qubit: 1 }] }],
];

function batchOf(circuit: Batch['circuit'], numCircuits: number, asked: Partial<BatchRunRequest>) {
  const numAngles = numAnglesOf(chain(circuit.numQubits));
  const angles = Float64Array.from({ length: numCircuits * numAngles }, (_, i) => Math.sin(i));
  return { circuit, request: { numCircuits, angles, ...asked } };
}

describe('a batch in chunks', () => {
  test.each<[string, number, Partial<BatchRunRequest>, number?]>([
    ['values and variances', 2, { observables: OBSERVABLES, variances: true }],
    ['gradients', 2, { observables: OBSERVABLES, gradients: true }],
    ['counts with consecutive seeds', 3, { shots: 50, seed: 7 }],
    [
      'counts with seeds of their own',
      3,
      { shots: 50, seeds: Array.from({ length: 60 }, (_, i) => (i * 37) % 61) },
    ],
    ['distributions and states', 2, { probabilities: true, statevector: true }],
    ['counts of a register of more bits than are listed', 2, { shots: 5, seed: 1 }, 13],
  ])('has the same %s as whole', async (_, numQubits, asked, numBits) => {
    const batch = batchOf(chain(numQubits, numBits), 60, asked);
    const sizes: number[] = [];
    // The first run shows that a circuit takes 10 ms; the batch is run a second time.
    const cutter = new BatchCutter();
    const whole = await cutter.run(batch, slowly(10, sizes), never);
    const chunks = await cutter.run(batch, slowly(10, sizes), never);
    expect(sizes.length).toBeGreaterThan(10);
    expect(sizes.slice(1)).not.toContain(sizes[0]);
    expect(chunks).toEqual(whole);
  });

  test('without circuits has an empty result', async () => {
    const batch = batchOf(chain(2), 0, { observables: OBSERVABLES });
    const { expectations } = await new BatchCutter().run(batch, onProcessor, never);
    expect(expectations).toHaveLength(0);
  });

  test('is refused as a whole before any chunk runs', async () => {
    const batch = batchOf(chain(2), 4, { shots: 1, seeds: [1, 2, 3] });
    const sizes: number[] = [];
    await expect(new BatchCutter().run(batch, slowly(1, sizes), never)).rejects.toMatchObject({
      code: 'ENGINE_BATCH_INVALID',
    });
    expect(sizes).toEqual([]);
  });

  test('fails with the first chunk that does, whose fellows are aborted', async () => {
    const chunks = new BatchChunks();
    const ended: number[] = [];
    const run = chunks.run(
      [0, 1, 2],
      async (chunk) => {
        chunks.waits(1);
        if (chunk === 1) throw new Error('lost');
        await new Promise<void>((resolve) => {
          chunks.signal.addEventListener('abort', () => resolve());
        });
        ended.push(chunk);
      },
      never,
    );
    await expect(run).rejects.toThrow('lost');
    expect(ended).toContain(0);
  });

  test('keeps few chunks waiting', async () => {
    const chunks = new BatchChunks();
    const begin: (() => void)[] = [];
    let numChunks = 0;
    const run = chunks.run(
      Array.from({ length: 100 }, (_, i) => i),
      async () => {
        numChunks++;
        const endWait = chunks.waits(1);
        await new Promise<void>((resolve) => void begin.push(resolve));
        endWait();
      },
      never,
    );
    await new Promise(setImmediate);
    expect(numChunks).toBe(16);
    while (begin.length > 0) {
      for (const one of begin.splice(0)) one();
      await new Promise(setImmediate);
    }
    await run;
    expect(numChunks).toBe(100);
  });
});

describe('the number of circuits of a run', () => {
  const size = { numQubits: 2, numOperations: 10, numTerms: 1, shots: 0, numNumbers: 10 };

  test('is what takes 20 ms, grows eightfold at most, and does not follow short runs', () => {
    const sizes = new RunSizes(size);
    sizes.learn(10, 1);
    expect(sizes.next()).toBe(80);
    sizes.learn(80, 8);
    expect(sizes.next()).toBe(200);
    sizes.learn(1, 5);
    expect(sizes.next()).toBe(200);
    expect(sizes.expectedMs(50)).toBeCloseTo(5, 12);
    sizes.learn(400, 4000);
    expect(sizes.next()).toBe(2);
  });

  test('is bounded by the bytes of its results', () => {
    const sizes = new RunSizes({ ...size, numNumbers: 2 ** 18 });
    expect(sizes.next()).toBe(2);
  });
});
