/** Has a driver compile the kernels of the WebGPU engine. */
import { BatchKernels } from '../../../src/engine/webgpu/batch/batch-kernels.ts';
import type { GpuContext } from '../../../src/engine/webgpu/gpu-context.ts';
import {
  maxTileChunkQubits,
  SweepKernels,
  tileShape,
} from '../../../src/engine/webgpu/sweep/sweep-kernel.ts';

/** Numbers of qubits whose batches have kernels of their own. */
const BATCH_QUBITS = [4, 10, 11, 12];

/**
 * The kernels of sweeps in tiles of each size, for each number of chunk qubits in a tile.
 *
 * @throws if the driver refuses one.
 */
export async function compileSweepKernels(
  context: GpuContext,
  tileQubits: readonly number[],
): Promise<void> {
  const compiling = tileQubits.flatMap((qubits) => {
    const kernels = new SweepKernels(context, tileShape(qubits));
    const numSizes = maxTileChunkQubits(context.device.limits) + 1;
    return Array.from({ length: numSizes }, (_, chunks) => kernels.kernel(chunks));
  });
  await Promise.all(compiling);
}

/**
 * The kernels of batches.
 *
 * @throws if the driver refuses one.
 */
export async function compileBatchKernels(context: GpuContext): Promise<void> {
  const compiling = BATCH_QUBITS.flatMap((qubits): Promise<unknown>[] => {
    const kernels = new BatchKernels(context, qubits);
    return [kernels.evolve(), kernels.expectations(), kernels.probabilities(), kernels.counts()];
  });
  await Promise.all(compiling);
}
