/** Batches on a software driver, without an engine around them. */
import type { Circuit } from '../../src/circuit/circuit.ts';
import type { BatchExecutable } from '../../src/engine/batch-request.ts';
import { Mutex } from '../../src/engine/mutex.ts';
import { prepareGpuBatch } from '../../src/engine/webgpu/batch/gpu-batch.ts';
import { GpuContext } from '../../src/engine/webgpu/gpu-context.ts';
import { shaderFile } from '../../src/engine/webgpu/node-gpu.ts';
import type { SoftwareDriver } from './facilities/facilities.ts';
import { openSoftwareDevice } from './software-gpu.ts';

/** A device that runs batches only. */
export interface SoftwareBatches {
  prepareBatch(shape: Circuit): Promise<BatchExecutable>;
  close(): Promise<void>;
}

/** @param device - Of the driver unless given; destroyed when it is closed. */
export async function openSoftwareBatches(
  driver: SoftwareDriver,
  device?: GPUDevice,
): Promise<SoftwareBatches> {
  const context = new GpuContext(device ?? (await openSoftwareDevice(driver)), shaderFile);
  const mutex = new Mutex();
  return {
    prepareBatch: (shape) => prepareGpuBatch({ context, mutex }, shape),
    close: () => mutex.close(async () => context.device.destroy()),
  };
}
