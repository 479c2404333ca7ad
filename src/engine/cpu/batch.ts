/**
 * Batches: many small circuits of one shape, each with angles of its own, from one program.
 *
 * The lanes of a SIMD register are different circuits. A single small circuit leaves most of the
 * machine idle: its gates are shuffles within a few registers, and its overheads are larger than its
 * arithmetic. Here every gate is plain arithmetic on whole registers, and what is not arithmetic is
 * done once for the whole batch.
 */
import type { Circuit } from '../../circuit/circuit.ts';
import { RECIPES, type Recipe } from '../batch-recipes.ts';
import { type BatchExecutable, type BatchRequest, checkBatchRequest } from '../batch-request.ts';
import { checkBatchShape, outcomeBitsOf } from '../batch-shape.ts';
import type { Mutex } from '../mutex.ts';
import { TimeSlicer } from '../time-slicer.ts';
import { lowerBatch } from './batch-lowering.ts';
import { type PlacedBatch, runBatch } from './batch-run.ts';
import { ThreadPoolRunner } from './command-runner.ts';
import type { Precision } from './precision.ts';
import { retryOnLostThread, type ThreadPool } from './thread-pool.ts';

/** What a batch needs of its engine. */
export interface BatchHost {
  readonly threadPool: ThreadPool;
  readonly precision: Precision;
  /** The engine's: a batch has all threads to itself while it runs. */
  readonly mutex: Mutex;
}

/**
 * Makes a shape ready. The angles it has itself do not matter: a request brings them.
 *
 * @param recipes - Gates without one are run from matrices computed for each circuit.
 * @throws {ProgramTooWideError} if it has more than 12 qubits.
 * @throws {OutputNeedsFinalStateError} if a measurement, reset or condition comes before the end.
 */
export function prepareBatch(
  { threadPool, precision, mutex }: BatchHost,
  shape: Circuit,
  recipes: Readonly<Record<string, Recipe>> = RECIPES,
): BatchExecutable {
  const { numQubits, numBits } = shape;
  checkBatchShape(shape, 'cpu batch');
  const lowered = lowerBatch(shape, precision, recipes);
  const at = threadPool.allocate(lowered.code.bytes);
  lowered.code.place(threadPool.memory, at);
  const outcomeBits = outcomeBitsOf(shape);
  const batch: PlacedBatch = { at, lowered, precision, numQubits, numBits, outcomeBits };
  const { numAngles } = lowered;
  const executable = mutex.executable(
    (request: BatchRequest, signal) =>
      retryOnLostThread(() => {
        const slicer = new TimeSlicer(signal, () => {});
        return runBatch(batch, request, new ThreadPoolRunner(threadPool, slicer));
      }),
    () => threadPool.release(at),
  );
  return {
    ...executable,
    numAngles,
    // Checked before the batch is queued.
    run: async (request, signal) => {
      checkBatchRequest(request, { numQubits, numBits, numAngles });
      return await executable.run(request, signal);
    },
  };
}
