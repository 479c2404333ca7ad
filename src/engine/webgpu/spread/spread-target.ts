/** What programs over several devices are compiled for, and how each device's kernels are sized. */
import type { TargetProfile } from '../../../compiler/program.ts';
import {
  type GpuSizes,
  gpuTarget,
  kernelSizes,
  type MeasuredSizes,
  maxChunkQubits,
} from '../gpu-target.ts';

/** Sizes to choose, as for one device; memory is each device's, qubits are the whole state's. */
export type SpreadSizes = Omit<GpuSizes, 'tuning'>;

/** A device, as far as its sizes go. */
export interface SpreadLimits {
  readonly limits: GPUSupportedLimits;
  /** What was measured on it; sizes that are set win over it. */
  readonly tuning?: MeasuredSizes;
}

/** The target of several devices. */
export interface SpreadTarget {
  readonly target: TargetProfile;
  /** By rank; all with tiles of one size. */
  readonly kernels: readonly MeasuredSizes[];
}

/**
 * The target of devices that hold a state together: what the least of them can.
 *
 * @throws {RangeError} if they are not 2, 4, 8 … devices, or if one of them is to hold more qubits, or
 *   larger tiles or chunks, than it can.
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
