/** What a worker is given in a list, and what is sent of it. */
import { type DynamicCircuit, numOperationsOf } from '../../circuit/circuit.ts';
import type { RunRequest } from '../../engine/engine.ts';
import type { Precision } from '../schedule/lane.ts';
import { type Batch, factsOfShape } from './batch-tasks.ts';
import type { SerializedCircuit } from './serialized-circuit.ts';
import type { SentCircuit, SentItem } from './worker-messages.ts';
import { isSameCircuit, type WrittenCircuit, writeCircuit } from './written-circuit.ts';

/** How an item of a list is run and followed. */
export interface WorkerFollowing {
  readonly precision: Precision;
  readonly onProgress: (fraction: number) => void;
  /**
   * It has begun. Called before its promise settles, of a circuit that runs for less than
   * some 20 ms perhaps just before.
   *
   * @param startedAt - On the clock of `performance.now()`.
   */
  readonly onStarted?: (startedAt: number) => void;
  readonly signal: AbortSignal;
}

/** A circuit for a worker. */
export interface WorkerTask extends WorkerFollowing {
  readonly circuit: DynamicCircuit | SerializedCircuit;
  readonly request: Omit<RunRequest, 'onProgress'>;
}

/** A batch task for a worker. */
export interface WorkerBatch extends WorkerFollowing, Batch {}

/** An item of a list. */
export type WorkerItem = WorkerTask | WorkerBatch;

/** Operations that a worker compiles for an item; a batch task's shape has few. */
export function numOperationsToCompile(task: WorkerItem): number {
  if ('shape' in task) return 0;
  const { circuit } = task;
  return 'bytes' in circuit ? circuit.work.numOperations : numOperationsOf(circuit);
}

/** The list as it is sent: what of it can be is in writing. */
export function sentTasks(
  tasks: readonly WorkerItem[],
  ids: readonly number[],
): readonly SentItem[] {
  const written = new Map<string, WrittenCircuit>();
  return tasks.map((task, i) => {
    const id = ids[i]!;
    const { precision } = task;
    if ('shape' in task) {
      return { id, precision, shape: factsOfShape(task.shape).sent, request: task.request };
    }
    return { id, precision, circuit: sentCircuit(task.circuit, written), request: task.request };
  });
}

/** @param written - The last of each shape: the same circuit is cloned once. */
function sentCircuit(
  circuit: DynamicCircuit | SerializedCircuit,
  written: Map<string, WrittenCircuit>,
): SentCircuit {
  if ('bytes' in circuit) return circuit;
  const own = writeCircuit(circuit);
  if (own === undefined) return circuit;
  const other = written.get(own.shape);
  if (other !== undefined && isSameCircuit(own, other)) return other;
  written.set(own.shape, own);
  return own;
}

/** Whether it can be cloned. */
export function isSendable(task: SentItem): boolean {
  try {
    structuredClone(task);
    return true;
  } catch {
    return false;
  }
}
