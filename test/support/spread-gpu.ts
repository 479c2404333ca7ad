/** The engine over several devices, on the software Vulkan drivers of a machine. */
import type { Engine } from '../../src/engine/engine.ts';
import { shaderFile, sleepUntil } from '../../src/engine/webgpu/node-gpu.ts';
import {
  openSpreadEngine,
  type SpreadEngineOptions,
} from '../../src/engine/webgpu/spread/spread-engine.ts';
import type { SoftwareDriver } from './facilities/facilities.ts';
import { openSoftwareDevice } from './software-gpu.ts';

/** An engine, and its devices to break. */
export interface SoftwareSpread {
  readonly engine: Engine;
  readonly devices: readonly GPUDevice[];
}

/** The engine over a device for each driver in the list, which may name one several times. */
export async function openSoftwareSpread(
  drivers: readonly SoftwareDriver[],
  options: Partial<SpreadEngineOptions> = {},
): Promise<SoftwareSpread> {
  const devices: GPUDevice[] = [];
  // One after the other: drivers are chosen by the process's environment.
  for (const driver of drivers) devices.push(await openSoftwareDevice(driver));
  const engine = await openSpreadEngine({
    shaders: shaderFile,
    onWait: sleepUntil,
    ...options,
    devices: devices.map((device) => ({ device })),
  });
  return { engine, devices };
}
