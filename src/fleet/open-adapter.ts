/** Opens the WebGPU engine on an adapter, in the process that calls it. */
import type { Engine } from '../engine/engine.ts';
import { nodeGpu, restUntil, shaderFile } from '../engine/webgpu/node-gpu.ts';
import { openGpuDevice } from '../engine/webgpu/open-gpu-device.ts';
import { deviceTuning } from '../engine/webgpu/tuning/device-tuning.ts';
import type { Tuning } from '../engine/webgpu/tuning/tuning.ts';
import { openWebGpuEngine } from '../engine/webgpu/webgpu-engine.ts';
import { WrongAdapterError } from './errors.ts';
import { tuningFile } from './tuning-file.ts';
import type { GpuWorkerSetup } from './worker-messages.ts';

/** An engine and the device that it is on. */
export interface OpenAdapter {
  readonly engine: Engine;
  readonly device: GPUDevice;
  /** What its kernels are sized by; absent where no folder keeps tunings. */
  readonly tuning?: Tuning;
}

/**
 * The engine on the adapter of that name, for states that fit the memory, sized by what was once
 * measured on the adapter, or is now.
 *
 * @throws {NoAdapterError} if there is none.
 * @throws {WrongAdapterError} if the driver opens another one.
 * @throws {GpuFaultError} if the device does not take the kernels.
 */
export async function openAdapter({
  adapter,
  memoryBytes,
  tuningFolder,
}: GpuWorkerSetup): Promise<OpenAdapter> {
  const device = await openGpuDevice(nodeGpu({ adapter: adapter.name, backend: adapter.backend }));
  const opened = device.adapterInfo.device;
  // Names are matched by a part, so "… H200" finds "… H200 NVL" where that comes first.
  if (opened !== deviceId(adapter.name)) throw new WrongAdapterError(adapter.name, opened);
  const tuning =
    tuningFolder === undefined
      ? undefined
      : await deviceTuning(device, shaderFile, tuningFile(tuningFolder), { memoryBytes });
  const tuned = tuning && { tuning };
  const engine = await openWebGpuEngine({
    device,
    shaders: shaderFile,
    rest: restUntil,
    memoryBytes,
    ...tuned,
  });
  return { engine, device, ...tuned };
}

/** What WebGPU makes of a name: lower case, with a hyphen for whatever is no letter and no digit. */
export function deviceId(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
