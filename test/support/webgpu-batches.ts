/** Batches on a software driver, without an engine around them, whose counts are those of double precision. */
import type { Circuit } from '../../src/circuit/circuit.ts';
import type { BatchExecutable } from '../../src/engine/batch-request.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { withExactCounts } from '../../src/engine/exact-counts.ts';
import { Mutex } from '../../src/engine/mutex.ts';
import { prepareGpuBatch } from '../../src/engine/webgpu/batch/gpu-batch.ts';
import { GpuContext } from '../../src/engine/webgpu/gpu-context.ts';
import { shaderFile } from '../../src/engine/webgpu/node-gpu.ts';
import type { SoftwareDriver } from './facilities/facilities.ts';
import { openSoftwareDevice } from './software-gpu.ts';

/** A device that runs batches only. */
export interface SoftwareBatches {
  readonly prepare: { readonly batch: (shape: Circuit) => Promise<BatchExecutable> };
  close(): Promise<void>;
}

/** @param device - Of the driver unless given; destroyed when it is closed. */
export async function openSoftwareBatches(
  driver: SoftwareDriver,
  device?: GPUDevice,
): Promise<SoftwareBatches> {
  const context = new GpuContext(device ?? (await openSoftwareDevice(driver)), shaderFile);
  const mutex = new Mutex();
  const exact = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 12 });
  return {
    prepare: {
      batch: async (shape) =>
        withExactCounts(await prepareGpuBatch({ context, mutex }, shape), () =>
          exact.prepare.batch(shape),
        ),
    },
    close: () =>
      mutex.close(async () => {
        context.device.destroy();
        await exact.close();
      }),
  };
}
