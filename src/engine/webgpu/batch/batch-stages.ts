/**
 * Schedules operations into stages. Each stage has four qubits in registers and does as many
 * operations as it can, in an order with the same product.
 */
import { type BatchOperation, touched } from './batch-operations.ts';

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
