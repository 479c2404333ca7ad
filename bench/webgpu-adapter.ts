/**
 * The adapter that the GPU benchmarks run on: the one whose name contains QCS_BENCH_ADAPTER, or the
 * one that WebGPU prefers. Drivers are chosen as for any Vulkan program, by VK_ICD_FILENAMES.
 */
import type { Engine } from '../src/engine/engine.ts';
import { nodeGpu, shaderFile } from '../src/engine/webgpu/node-gpu.ts';
import { openGpuDevice } from '../src/engine/webgpu/open-gpu-device.ts';
import { openWebGpuEngine } from '../src/engine/webgpu/webgpu-engine.ts';

/** What results are stored with. */
export interface AdapterFacts {
  readonly name: string;
  readonly vendor: string;
  readonly architecture: string;
  /** The driver and its version, as it describes itself. */
  readonly driver: string;
  /** It computes on the CPU and is no GPU. */
  readonly isSoftware: boolean;
  readonly maxBufferSize: number;
  readonly maxStorageBufferBindingSize: number;
  readonly maxComputeWorkgroupStorageSize: number;
  readonly maxComputeInvocationsPerWorkgroup: number;
}

/** The device of the chosen adapter. */
export function openBenchDevice(): Promise<GPUDevice> {
  const { QCS_BENCH_ADAPTER: adapter } = process.env;
  return openGpuDevice(nodeGpu(adapter === undefined ? {} : { adapter }));
}

/** The engine on it, for states of up to so many qubits; the engine's own choice when absent. */
export async function openBenchEngine(maxQubits?: number): Promise<Engine> {
  const device = await openBenchDevice();
  const width = maxQubits === undefined ? {} : { maxQubits };
  return await openWebGpuEngine({ device, shaders: shaderFile, ...width });
}

/** What the device says of its adapter. */
export function adapterFacts({ adapterInfo, limits }: GPUDevice): AdapterFacts {
  return {
    name: adapterInfo.device,
    vendor: adapterInfo.vendor,
    architecture: adapterInfo.architecture,
    driver: adapterInfo.description,
    isSoftware: adapterInfo.isFallbackAdapter,
    maxBufferSize: limits.maxBufferSize,
    maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
    maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
    maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
  };
}
