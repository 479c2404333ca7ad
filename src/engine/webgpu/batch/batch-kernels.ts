/** The kernels of batches, and how circuits lie on their workgroups. */
import type { GpuContext } from '../gpu-context.ts';
import { REGISTER_QUBITS } from './batch-stages.ts';

/** Invocations of a workgroup, but for circuits that need more. */
const WORKGROUP_SIZE = 64;

/** How circuits of some qubits lie on the invocations of a kernel. */
export interface CircuitThreads {
  readonly workgroupSize: number;
  /** 2^threadQubits invocations have a circuit. */
  readonly threadQubits: number;
  readonly circuitsPerGroup: number;
}

/** Qubits of the room that a circuit has: a thread holds 16 amplitudes, wherever they are 0. */
export function roomQubits(numQubits: number): number {
  return Math.max(numQubits, REGISTER_QUBITS);
}

/** Of the kernel that evolves states. */
export function evolveThreads(numRoomQubits: number): CircuitThreads {
  const threadQubits = numRoomQubits - REGISTER_QUBITS;
  const workgroupSize = Math.max(WORKGROUP_SIZE, 2 ** threadQubits);
  return { workgroupSize, threadQubits, circuitsPerGroup: workgroupSize >> threadQubits };
}

/** Of kernels that read states: no more invocations than a workgroup ever has. */
export function readThreads(numRoomQubits: number): CircuitThreads {
  const threadQubits = Math.min(numRoomQubits - REGISTER_QUBITS, Math.log2(WORKGROUP_SIZE));
  return {
    workgroupSize: WORKGROUP_SIZE,
    threadQubits,
    circuitsPerGroup: WORKGROUP_SIZE >> threadQubits,
  };
}

/** Compiled when they are first used; one for all shapes, or a few by the number of qubits. */
export class BatchKernels {
  readonly #context: GpuContext;
  readonly #numRoomQubits: number;

  constructor(context: GpuContext, numRoomQubits: number) {
    this.#context = context;
    this.#numRoomQubits = numRoomQubits;
  }

  evolve(): Promise<GPUComputePipeline> {
    const { workgroupSize } = evolveThreads(this.#numRoomQubits);
    return this.#context.pipeline(['lib/complex', 'batch_evolve'], {
      WORKGROUP_SIZE: workgroupSize,
    });
  }

  expectations(): Promise<GPUComputePipeline> {
    return this.#context.pipeline('batch_expectations', { WORKGROUP_SIZE });
  }

  probabilities(): Promise<GPUComputePipeline> {
    return this.#context.pipeline('batch_probabilities', { WORKGROUP_SIZE });
  }

  counts(): Promise<GPUComputePipeline> {
    const { circuitsPerGroup } = readThreads(this.#numRoomQubits);
    // At least those of ten qubits, so that all smaller circuits share a kernel.
    const MAX_SUMS = Math.max(2 ** 10, circuitsPerGroup * 2 ** this.#numRoomQubits);
    return this.#context.pipeline('batch_counts', { WORKGROUP_SIZE, MAX_SUMS });
  }
}
