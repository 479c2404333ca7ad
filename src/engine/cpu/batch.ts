/**
 * Batches: many small circuits of one shape, each with its own angles, run by one program.
 *
 * The lanes of a SIMD register hold different circuits. A single small circuit leaves most of the
 * machine idle: its gates shuffle a few registers, and its overhead exceeds its arithmetic. In a
 * batch every gate is plain arithmetic on whole registers, and the overhead occurs once.
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

/** The parts of an engine that a batch uses. */
export interface BatchHost {
  readonly threadPool: ThreadPool;
  readonly precision: Precision;
  /** The engine's: a batch has all threads to itself while it runs. */
  readonly mutex: Mutex;
}

/**
 * Compiles a shape. Its own angles are ignored: each request brings the angles.
 *
 * @param recipes - Gates without a recipe run from matrices computed for each circuit.
 * @throws {ProgramTooWideError} if the shape has more than 12 qubits.
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
    // Validates before the batch is queued.
    run: async (request, signal) => {
      checkBatchRequest(request, { numQubits, numBits, numAngles });
      return await executable.run(request, signal);
    },
  };
}
