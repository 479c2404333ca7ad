/** Kernels of batches, and the assignment of circuits to their workgroups. */
import type { GpuContext } from '../gpu-context.ts';
import { type BatchOperation, touched } from './batch-operations.ts';

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

// Schedules operations into stages. Each stage has four qubits in registers and does as many
// operations as it can, in an order with the same product.

/** Qubits that a thread holds in registers. */
export const REGISTER_QUBITS = 4;

/** Operations done while the same qubits are in registers. */
export interface BatchStage {
  /** Ascending. */
  readonly registers: readonly number[];
  readonly operations: readonly BatchOperation[];
}

/**
 * Schedules operations into stages; at least one.
 *
 * Each stage takes the register qubits of its operations first come, first served.
 *
 * @param numQubits - At least REGISTER_QUBITS.
 */
export function batchStages(
  operations: readonly BatchOperation[],
  numQubits: number,
): readonly BatchStage[] {
  const stages: BatchStage[] = [];
  let rest = operations;
  do {
    const { stage, left } = nextStage(rest, numQubits);
    stages.push(stage);
    rest = left;
  } while (rest.length > 0);
  return stages;
}

function nextStage(
  operations: readonly BatchOperation[],
  numQubits: number,
): { readonly stage: BatchStage; readonly left: readonly BatchOperation[] } {
  const registers = new Set<number>();
  const done: BatchOperation[] = [];
  const left: BatchOperation[] = [];
  // Masks of the qubits that deferred operations move, and that they touch.
  let moved = 0;
  let reached = 0;
  for (const operation of operations) {
    const pivot = operation.kind === 'phase' ? undefined : operation.pivot;
    const isFree =
      (operation.mask & moved) === 0 && (pivot === undefined || ((reached >> pivot) & 1) === 0);
    if (isFree && (pivot === undefined || hasRoom(registers, pivot))) {
      if (pivot !== undefined) registers.add(pivot);
      done.push(operation);
    } else {
      if (pivot !== undefined) moved |= 1 << pivot;
      reached |= touched(operation);
      left.push(operation);
    }
  }
  // Threads keep the lowest qubits, so that neighbouring threads write neighbouring amplitudes.
  for (let qubit = numQubits - 1; registers.size < REGISTER_QUBITS; qubit--) registers.add(qubit);
  return { stage: { registers: [...registers].sort((a, b) => a - b), operations: done }, left };
}

function hasRoom(registers: ReadonlySet<number>, qubit: number): boolean {
  return registers.size < REGISTER_QUBITS || registers.has(qubit);
}
