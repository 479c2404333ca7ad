/**
 * Batches: many small circuits of one shape, each with angles of its own, in one dispatch.
 *
 * The shape is interpreted, as sweeps are: a kernel made for it would wait for the driver's compiler
 * each time a new shape comes. States stay on the device, where other kernels read off what was asked.
 */
import type { Circuit } from '../../../circuit/circuit.ts';
import { type BatchExecutable, type BatchRequest, checkBatchRequest } from '../../batch-request.ts';
import { checkBatchShape, outcomeBitsOf } from '../../batch-shape.ts';
import type { Mutex } from '../../mutex.ts';
import type { GpuContext } from '../gpu-context.ts';
import { BatchBuffers } from './batch-buffers.ts';
import { BatchKernels, roomQubits } from './batch-kernels.ts';
import { PieceSize, runGpuBatch } from './batch-run.ts';
import { measuredPatterns } from './batch-tables.ts';
import { batchWords } from './batch-words.ts';
import { lowerShape } from './lower-shape.ts';
import { stateErrorBound } from './rounding-bound.ts';

/** The parts of an engine that a batch uses. */
export interface GpuBatchHost {
  readonly context: GpuContext;
  /** The engine's: a batch has the device to itself while it runs. */
  readonly mutex: Mutex;
}

/**
 * Compiles a shape. Its own angles are ignored: each request brings the angles.
 *
 * @param pieceSize - Number of circuits in a submit; learned by default.
 * @throws {ProgramTooWideError} if the shape has more than 12 qubits.
 * @throws {OutputNeedsFinalStateError} if a measurement, reset or condition comes before the end.
 * @throws {GpuFaultError} if the device rejects the kernel.
 */
export async function prepareGpuBatch(
  { context, mutex }: GpuBatchHost,
  shape: Circuit,
  pieceSize: PieceSize = new PieceSize(),
): Promise<BatchExecutable> {
  checkBatchShape(shape, 'webgpu batch');
  const { numQubits, numBits } = shape;
  const lowered = lowerShape(shape);
  const numRoomQubits = roomQubits(numQubits);
  const kernels = new BatchKernels(context, numRoomQubits);
  await kernels.evolve();
  const buffers = new BatchBuffers(context);
  const batch = {
    context,
    kernels,
    buffers,
    pieceSize,
    program: batchWords(lowered, numRoomQubits, false),
    programWithPhase: batchWords(lowered, numRoomQubits, true),
    patterns: measuredPatterns(outcomeBitsOf(shape), numBits),
    stateError: stateErrorBound(lowered.list.operations),
    sizes: { numQubits, numBits, numAngles: lowered.numAngles },
  };
  const executable = mutex.executable(
    (request: BatchRequest, signal) => runGpuBatch(batch, request, signal),
    () => buffers.destroy(),
  );
  return {
    ...executable,
    numAngles: lowered.numAngles,
    // Validates before the batch is queued.
    run: async (request, signal) => {
      checkBatchRequest(request, batch.sizes);
      return await executable.run(request, signal);
    },
  };
}
