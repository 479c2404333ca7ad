/** Target profile of programs over several devices, and the sizes of each device's kernels. */
import type { TargetProfile } from '../../../compiler/program.ts';
import {
  type GpuSizes,
  gpuTarget,
  kernelSizes,
  type MeasuredSizes,
  maxChunkQubits,
} from '../gpu-target.ts';

/** Optional sizes, as for one device; memory is of each device, qubits are of the whole state. */
export type SpreadSizes = Omit<GpuSizes, 'tuning'>;

/** Limits and measured sizes of one device. */
export interface SpreadLimits {
  readonly limits: GPUSupportedLimits;
  /** Measured sizes of the device; sizes that are set take precedence. */
  readonly tuning?: MeasuredSizes;
}

/** Target of several devices. */
export interface SpreadTarget {
  readonly target: TargetProfile;
  /** By rank; all have tiles of one size. */
  readonly kernels: readonly MeasuredSizes[];
}

/**
 * Target of devices that hold a state together: the smallest of their sizes.
 *
 * @throws {RangeError} if they are not 2, 4, 8 … devices, or the sizes exceed a device's limits.
 */
export function spreadTarget(devices: readonly SpreadLimits[], sizes: SpreadSizes): SpreadTarget {
  const deviceQubits = Math.log2(devices.length);
  if (!Number.isInteger(deviceQubits) || deviceQubits < 1) {
    throw new RangeError(`A state is spread over 2, 4, 8 … devices, not over ${devices.length}.`);
  }
  const { maxQubits, ...others } = sizes;
  const own = devices.map(({ limits, tuning }) => kernelSizes(limits, withTuning(sizes, tuning)));
  const tileQubits = Math.min(...own.map((kernel) => kernel.tileQubits));
  const largestChunk = Math.min(...devices.map(({ limits }) => maxChunkQubits(limits)));
  const { chunkQubits = largestChunk } = sizes;
  const alike = {
    ...others,
    tileQubits,
    chunkQubits,
    ...(maxQubits !== undefined && { maxQubits: Math.max(1, maxQubits - deviceQubits) }),
  };
  const targets = devices.map(({ limits }) => gpuTarget(limits, alike));
  const least = (of: (target: TargetProfile) => number) => Math.min(...targets.map(of));
  return {
    target: {
      ...targets[0]!,
      maxQubits: maxQubits ?? least((target) => target.maxQubits) + deviceQubits,
      maxDenseQubits: least((target) => target.maxDenseQubits),
      tileChunkQubits: least(({ tileChunkQubits = 0 }) => tileChunkQubits),
      deviceQubits,
    },
    kernels: devices.map(({ limits, tuning }) =>
      kernelSizes(limits, withTuning({ ...sizes, tileQubits }, tuning)),
    ),
  };
}

function withTuning(sizes: SpreadSizes, tuning: MeasuredSizes | undefined): GpuSizes {
  return tuning === undefined ? sizes : { ...sizes, tuning };
}
