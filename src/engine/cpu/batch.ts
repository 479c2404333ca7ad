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
import {
  type BatchExecutable,
  type BatchRequest,
  type BatchResult,
  checkBatchRequest,
} from '../batch-request.ts';
import { checkBatchShape, outcomeBitsOf } from '../batch-shape.ts';
import { ClosedError } from '../errors.ts';
import { Pacer } from '../pacer.ts';
import { lowerBatch } from './batch-lowering.ts';
import { type PlacedBatch, runBatch } from './batch-run.ts';
import type { Crew } from './crew.ts';
import { CrewRunner } from './crew-runner.ts';
import type { Precision } from './precision.ts';

/** What a batch needs of its engine. */
export interface BatchHost {
  readonly crew: Crew;
  readonly precision: Precision;
  /** Runs alone on the engine, and again where a thread was lost under it. */
  takeTurn<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Gives back when everything before has settled. */
  takeLast(giveBack: () => void): Promise<void>;
}

/**
 * Makes a shape ready. The angles it has itself do not matter: a request brings them.
 *
 * @param recipes - Gates without one are run from matrices computed for each circuit.
 * @throws {ProgramTooWideError} if it has more than 12 qubits.
 * @throws {OutputNeedsFinalStateError} if a measurement, reset or condition comes before the end.
 */
export function prepareBatch(
  { crew, precision, takeTurn, takeLast }: BatchHost,
  shape: Circuit,
  recipes: Readonly<Record<string, Recipe>> = RECIPES,
): BatchExecutable {
  const { numQubits, numBits } = shape;
  checkBatchShape(shape, 'cpu batch');
  const lowered = lowerBatch(shape, precision, recipes);
  const at = crew.allocate(lowered.code.bytes);
  lowered.code.place(crew.memory, at);
  const outcomeBits = outcomeBitsOf(shape);
  const batch: PlacedBatch = { at, lowered, precision, numQubits, numBits, outcomeBits };
  const { numAngles } = lowered;
  let isDisposed = false;
  const run = async (request: BatchRequest, signal: AbortSignal): Promise<BatchResult> => {
    checkBatchRequest(request, { numQubits, numBits, numAngles });
    return await takeTurn(async () => {
      if (isDisposed) throw new ClosedError();
      const pacer = new Pacer(signal, () => {});
      return await runBatch(batch, request, new CrewRunner(crew, pacer));
    }, signal);
  };
  return {
    numAngles,
    run,
    [Symbol.asyncDispose]: () =>
      takeLast(() => {
        if (!isDisposed) crew.release(at);
        isDisposed = true;
      }),
  };
}
