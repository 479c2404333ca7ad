/**
 * The adapter that the GPU benchmarks run on: the one whose name contains QCS_BENCH_ADAPTER, or the
 * one that WebGPU prefers. Drivers are chosen as for any Vulkan program, by VK_ICD_FILENAMES.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../src/engine/engine.ts';
import { openGpuDevice } from '../src/engine/webgpu/gpu-target.ts';
import { nodeGpu, shaderFile, sleepUntil } from '../src/engine/webgpu/node-gpu.ts';
import { deviceTuning } from '../src/engine/webgpu/tuning/tune-device.ts';
import type { Tuning } from '../src/engine/webgpu/tuning/tuning.ts';
import { openWebGpuEngine } from '../src/engine/webgpu/webgpu-engine.ts';
import type { GpuCard } from '../src/fleet/adapters/adapter-discovery.ts';
import { isCardOf } from '../src/fleet/adapters/adapter-plan.ts';
import { tuningFile } from '../src/fleet/adapters/open-adapter.ts';

const MIN_MEMORY_QUBITS = 20;
/** The service's setting for the only card of a machine. */
const IDLE_MEMORY_MS = 60_000;

/** Facts stored with results. */
export interface AdapterFacts {
  readonly name: string;
  readonly vendor: string;
  readonly architecture: string;
  /** The driver and its version, as it describes itself. */
  readonly driver: string;
  /** Whether the adapter computes on the CPU. */
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

/** Memory for one state of that width, or for several narrow ones if shots split. */
export function sizesFor(maxQubits: number) {
  return { maxQubits, memoryBytes: 8 * 2 ** Math.max(maxQubits, MIN_MEMORY_QUBITS) };
}

/**
 * Opens the engine on the device, tuned to it as the service does, for states of up to `maxQubits`
 * qubits; the engine's default if absent.
 */
export async function openBenchEngine(maxQubits?: number): Promise<Engine> {
  const device = await openBenchDevice();
  const tuning = await benchTuning(device);
  const sizes = maxQubits === undefined ? {} : sizesFor(maxQubits);
  return await openWebGpuEngine({
    device,
    shaders: shaderFile,
    onWait: sleepUntil,
    tuning,
    idleMemoryMs: IDLE_MEMORY_MS,
    ...sizes,
  });
}

/** The tuning of a device: the one stored by an earlier benchmark on this host, or measured now. */
export async function benchTuning(device: GPUDevice): Promise<Tuning> {
  return await deviceTuning(device, shaderFile, tuningFile(join(tmpdir(), 'qcs-bench')));
}

/** Facts that the device reports about its adapter. */
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

/**
 * Memory of the adapter's card, or the smallest of several; absent if the system does not say, and
 * for software.
 */
export function cardFacts(
  adapter: AdapterFacts,
  cards: readonly GpuCard[],
): { readonly cardBytes?: number } {
  const own = adapter.isSoftware ? [] : cards.filter((card) => isCardOf(card, adapter));
  if (own.length === 0) return {};
  return { cardBytes: Math.min(...own.map(({ totalBytes }) => totalBytes)) };
}
