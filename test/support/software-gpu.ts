/** The WebGPU engine on the software Vulkan drivers of a machine, as tests open it. */
import type { Engine } from '../../src/engine/engine.ts';
import { openGpuDevice } from '../../src/engine/webgpu/gpu-target.ts';
import { nodeGpu, shaderFile, sleepUntil } from '../../src/engine/webgpu/node-gpu.ts';
import {
  openWebGpuEngine,
  type WebGpuEngineOptions,
} from '../../src/engine/webgpu/webgpu-engine.ts';
import { facilityPath, foundFacilities } from './facilities/describe-with.ts';
import { DRIVERS, type SoftwareDriver } from './facilities/facilities.ts';
import { IS_LONG } from './seeds.ts';

/** Drivers that suites run on; a missing driver skips the suites described with it. */
export const SOFTWARE_DRIVERS: readonly SoftwareDriver[] = ['lavapipe', 'SwiftShader'];

/** The driver of suites for which one is enough: the fastest that is present, or else the first. */
export function anyDriver(): SoftwareDriver {
  const found = foundFacilities();
  return SOFTWARE_DRIVERS.find((name) => found[name].isPresent) ?? 'lavapipe';
}

/** The drivers of suites whose short form is content with one; the engine's own suite runs on each in any form. */
export function triedDrivers(): readonly SoftwareDriver[] {
  return IS_LONG ? SOFTWARE_DRIVERS : [anyDriver()];
}

/** Variables by which a process sees these drivers and no other. */
export function driverEnvironment(...drivers: readonly SoftwareDriver[]) {
  const paths = drivers.map(facilityPath).join(':');
  return { VK_ICD_FILENAMES: paths, VK_DRIVER_FILES: paths };
}

/** A device of a driver. Drivers are read by the process's first look for an adapter, all at once. */
export async function openSoftwareDevice(driver: SoftwareDriver): Promise<GPUDevice> {
  const found = foundFacilities();
  const present = SOFTWARE_DRIVERS.filter((name) => found[name].isPresent);
  Object.assign(process.env, driverEnvironment(...present));
  return await openGpuDevice(nodeGpu({ adapter: DRIVERS[driver].adapter }));
}

/** The engine on a driver. */
export async function openSoftwareEngine(
  driver: SoftwareDriver,
  options: Partial<WebGpuEngineOptions> = {},
): Promise<Engine> {
  const device = options.device ?? (await openSoftwareDevice(driver));
  return await openWebGpuEngine({ shaders: shaderFile, onWait: sleepUntil, ...options, device });
}
