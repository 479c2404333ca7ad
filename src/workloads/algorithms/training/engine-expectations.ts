/**
 * Computes expectation values by an engine's batches.
 *
 * A training run uses the same few shapes thousands of times, so each shape is prepared once and kept
 * until this object is disposed of. Shapes compare by identity: comparing operations would cost more than
 * a small batch.
 */
import type { Circuit } from '../../../circuit/circuit.ts';
import type { BatchExecutable } from '../../../engine/batch-request.ts';
import type { ExpectationBatch } from './expectation-batch.ts';

/** The part of an engine that this module uses; the CPU and WebGPU engines have it. */
export interface BatchingEngine {
  prepareBatch(shape: Circuit): Promise<BatchExecutable>;
}

/** Shapes made ready on an engine. */
export interface EngineExpectations extends AsyncDisposable {
  /**
   * Exact up to the engine's precision: take one of double precision for gradients.
   *
   * @throws {ProgramTooWideError} if the shape has more than 12 qubits.
   * @throws {OutputNeedsFinalStateError} if a measurement, reset or condition comes before the end.
   * @throws {InvalidBatchError} if the angles do not fit the shape.
   * @throws {DOMException} the signal's reason, soon after it aborts.
   */
  readonly expectations: ExpectationBatch;
}

/**
 * Expectation values from that engine, which stays open when they are disposed of.
 *
 * @param signal - Ends what runs; none unless given.
 */
export function engineExpectations(
  engine: BatchingEngine,
  signal: AbortSignal = new AbortController().signal,
): EngineExpectations {
  const prepared = new Map<Circuit, Promise<BatchExecutable>>();
  const executableOf = (shape: Circuit): Promise<BatchExecutable> => {
    const known = prepared.get(shape);
    if (known !== undefined) return known;
    const made = engine.prepareBatch(shape);
    prepared.set(shape, made);
    return made;
  };
  return {
    expectations: async (shape, angles, numCircuits, observables) => {
      const executable = await executableOf(shape);
      const { expectations } = await executable.run({ numCircuits, angles, observables }, signal);
      if (expectations === undefined) throw new Error('unreachable: no expectations came back');
      return expectations;
    },
    [Symbol.asyncDispose]: async () => {
      const settled = await Promise.allSettled(prepared.values());
      prepared.clear();
      for (const outcome of settled) {
        if (outcome.status === 'fulfilled') await outcome.value[Symbol.asyncDispose]();
      }
    },
  };
}
