/** The WebGPU engine on the software Vulkan drivers of a machine, as tests open it. */
import { existsSync } from 'node:fs';
import type { Engine } from '../../src/engine/engine.ts';
import { nodeGpu, restUntil, shaderFile } from '../../src/engine/webgpu/node-gpu.ts';
import { openGpuDevice } from '../../src/engine/webgpu/open-gpu-device.ts';
import {
  openWebGpuEngine,
  type WebGpuEngineOptions,
} from '../../src/engine/webgpu/webgpu-engine.ts';

/** A Vulkan driver that computes on the CPU. */
export interface SoftwareDriver {
  readonly name: string;
  /** Of the driver's description for Vulkan. */
  readonly path: string;
  /** Part of the name that its adapter has. */
  readonly adapter: string;
}

const KNOWN: readonly SoftwareDriver[] = [
  { name: 'lavapipe', path: '/usr/share/vulkan/icd.d/lvp_icd.json', adapter: 'llvmpipe' },
  {
    name: 'SwiftShader',
    path: '/usr/lib/chromium/vk_swiftshader_icd.json',
    adapter: 'SwiftShader',
  },
];

/** Those that are on this machine. */
export const SOFTWARE_DRIVERS = KNOWN.filter(({ path }) => existsSync(path));

/** Those that are not; tests say so, and fail where `QCS_TEST_REQUIRE_VULKAN` is 1. */
export const MISSING_DRIVERS = KNOWN.filter(({ path }) => !existsSync(path));

/** A device of a driver. Drivers are read by the process's first look for an adapter, all at once. */
export async function openSoftwareDevice({ adapter }: SoftwareDriver): Promise<GPUDevice> {
  const paths = SOFTWARE_DRIVERS.map(({ path }) => path).join(':');
  process.env['VK_ICD_FILENAMES'] = paths;
  process.env['VK_DRIVER_FILES'] = paths;
  return await openGpuDevice(nodeGpu({ adapter }));
}

/** The engine on a driver. */
export async function openSoftwareEngine(
  driver: SoftwareDriver,
  options: Partial<WebGpuEngineOptions> = {},
): Promise<Engine> {
  const device = options.device ?? (await openSoftwareDevice(driver));
  return await openWebGpuEngine({ shaders: shaderFile, rest: restUntil, ...options, device });
}
