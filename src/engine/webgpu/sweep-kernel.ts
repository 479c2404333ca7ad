/** The kernel that every sweep of every program runs on: shaders/sweep.wgsl for one size of tile. */
import type { GpuContext } from './gpu-context.ts';
import { REGISTER_QUBITS } from './sweep-code.ts';

/** Of the struct Params of shaders/sweep.wgsl. */
export const PARAMS_BYTES = 16;

/** With fewer threads to a tile, a workgroup takes several tiles. */
const MIN_WORKGROUP_SIZE = 64;
const BYTES_PER_AMPLITUDE = 8;

/** A compiled sweep. */
export interface SweepKernel {
  readonly tileQubits: number;
  readonly tilesPerGroup: number;
  readonly pipeline: GPUComputePipeline;
  /** State, program, and parameters whose position each dispatch sets. */
  readonly bindings: GPUBindGroupLayout;
}

/** The largest tile that a device's workgroups hold. */
export function maxTileQubits({
  maxComputeWorkgroupStorageSize,
  maxComputeInvocationsPerWorkgroup,
}: GPUSupportedLimits): number {
  return Math.min(
    Math.floor(Math.log2(maxComputeWorkgroupStorageSize / BYTES_PER_AMPLITUDE)),
    REGISTER_QUBITS + Math.floor(Math.log2(maxComputeInvocationsPerWorkgroup)),
  );
}

/**
 * Compiles the kernel.
 *
 * @throws {GpuFaultError} if the device does not take it.
 */
export async function openSweepKernel(
  context: GpuContext,
  tileQubits: number,
): Promise<SweepKernel> {
  const threadQubits = tileQubits - REGISTER_QUBITS;
  const tilesPerGroup = Math.max(1, MIN_WORKGROUP_SIZE >> threadQubits);
  const { device } = context;
  const visibility = GPUShaderStage.COMPUTE;
  const bindings = device.createBindGroupLayout({
    label: 'sweep',
    entries: [
      { binding: 0, visibility, buffer: { type: 'storage' } },
      { binding: 1, visibility, buffer: { type: 'read-only-storage' } },
      { binding: 2, visibility, buffer: { type: 'uniform', hasDynamicOffset: true } },
    ],
  });
  const constants = {
    THREAD_QUBITS: threadQubits,
    TILES: tilesPerGroup,
    WORKGROUP_SIZE: tilesPerGroup << threadQubits,
  };
  const layout = device.createPipelineLayout({ bindGroupLayouts: [bindings] });
  const pipeline = await context.pipeline('sweep', constants, layout);
  return { tileQubits, tilesPerGroup, pipeline, bindings };
}
