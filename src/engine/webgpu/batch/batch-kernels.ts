/** Kernels of batches, and the assignment of circuits to their workgroups. */
import type { GpuContext } from '../gpu-context.ts';
import { REGISTER_QUBITS } from './batch-stages.ts';

/** Invocations of a workgroup, unless a circuit needs more. */
const WORKGROUP_SIZE = 64;

/** Assignment of circuits to the invocations of a kernel. */
export interface CircuitThreads {
  readonly workgroupSize: number;
  /** log2 of the invocations of one circuit. */
  readonly threadQubits: number;
  readonly circuitsPerGroup: number;
}

/**
 * Qubits of a circuit's memory: at least a thread's 16 amplitudes, of which some may always be 0.
 */
export function roomQubits(numQubits: number): number {
  return Math.max(numQubits, REGISTER_QUBITS);
}

/** Threads of the kernel that evolves states. */
export function evolveThreads(numRoomQubits: number): CircuitThreads {
  const threadQubits = numRoomQubits - REGISTER_QUBITS;
  const workgroupSize = Math.max(WORKGROUP_SIZE, 2 ** threadQubits);
  return { workgroupSize, threadQubits, circuitsPerGroup: workgroupSize >> threadQubits };
}

/** Threads of kernels that read states: never more than the usual workgroup. */
export function readThreads(numRoomQubits: number): CircuitThreads {
  const threadQubits = Math.min(numRoomQubits - REGISTER_QUBITS, Math.log2(WORKGROUP_SIZE));
  return {
    workgroupSize: WORKGROUP_SIZE,
    threadQubits,
    circuitsPerGroup: WORKGROUP_SIZE >> threadQubits,
  };
}

/** Kernels compiled at their first use, for all shapes or for each number of qubits. */
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
    return this.#context.pipeline(['lib/batch_observables', 'batch_expectations'], {
      WORKGROUP_SIZE,
    });
  }

  variances(): Promise<GPUComputePipeline> {
    return this.#context.pipeline(['lib/batch_observables', 'batch_variances'], { WORKGROUP_SIZE });
  }

  probabilities(): Promise<GPUComputePipeline> {
    return this.#context.pipeline('batch_probabilities', { WORKGROUP_SIZE });
  }

  counts(): Promise<GPUComputePipeline> {
    const { circuitsPerGroup } = readThreads(this.#numRoomQubits);
    // At least the size for ten qubits, so that all smaller circuits share a kernel.
    const MAX_SUMS = Math.max(2 ** 10, circuitsPerGroup * 2 ** this.#numRoomQubits);
    return this.#context.pipeline(['lib/fixed_point', 'lib/philox', 'batch_counts'], {
      WORKGROUP_SIZE,
      MAX_SUMS,
    });
  }
}
