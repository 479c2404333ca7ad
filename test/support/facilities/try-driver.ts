/**
 * Entry of the process that tries a driver: it computes on the driver's adapter and sends "computed",
 * or why it could not. Then it has the driver compile the engine's kernels. Mesa keeps compiled kernels
 * on disk, so later processes find them there and no test waits for a compiler.
 */
import { GpuContext } from '../../../src/engine/webgpu/gpu-context.ts';
import { nodeGpu, shaderFile } from '../../../src/engine/webgpu/node-gpu.ts';
import { openGpuDevice } from '../../../src/engine/webgpu/open-gpu-device.ts';
import { compileBatchKernels, compileSweepKernels } from './compile-kernels.ts';
import { DRIVERS } from './facilities.ts';
import { squareOnGpu } from './try-gpu.ts';

/** Tiles of the suites: the smallest, and the default. */
const TILE_QUBITS = [8, 10];

const adapter = process.argv[2] ?? '';
const gpu = nodeGpu({ adapter });
try {
  await squareOnGpu(gpu);
  process.send?.('computed');
  if (adapter === DRIVERS.lavapipe.adapter) {
    const context = new GpuContext(await openGpuDevice(gpu), shaderFile);
    await compileSweepKernels(context, TILE_QUBITS);
    await compileBatchKernels(context);
  }
} catch (error) {
  process.send?.(error instanceof Error ? error.message : String(error));
}
process.exit(0);
