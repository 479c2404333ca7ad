/**
 * What the engine needs of Node: WebGPU, which a browser has, and the text of its shaders. No other
 * file of the engine knows where it runs.
 */
import { readFileSync } from 'node:fs';
import { create, globals } from 'webgpu';

/** Strong references: a collected GPU object aborts the process while its device is used. */
const held: GPU[] = [];

/** Which adapter; any when absent. */
export interface NodeGpuOptions {
  /** A part of the name that its driver gives it; the first that has it is taken. */
  readonly adapter?: string;
  /** What the adapter is reached through: `vulkan`, `metal`, `d3d12`. */
  readonly backend?: string;
}

/**
 * WebGPU through Dawn.
 *
 * Workgroup memory is not cleared first, which costs software drivers most of a sweep's time:
 * kernels write all of it that they read.
 */
export function nodeGpu({ adapter, backend }: NodeGpuOptions = {}): GPU {
  if (!('GPUBufferUsage' in globalThis)) Object.assign(globalThis, globals);
  const chosen = [
    ...(backend === undefined ? [] : [`backend=${backend}`]),
    ...(adapter === undefined ? [] : [`adapter=${adapter}`]),
  ];
  const gpu = create(['enable-dawn-features=disable_workgroup_init', ...chosen]);
  held.push(gpu);
  return gpu;
}

/** The text of a shader in shaders/, which lies beside src/ and beside what a build makes of it. */
export function shaderFile(name: string): string {
  return readFileSync(new URL(`../../../shaders/${name}.wgsl`, import.meta.url), 'utf8');
}
