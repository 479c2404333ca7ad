/** A task for a worker, and what is sent of it. */
import type { Circuit } from '../../circuit/circuit.ts';
import type { RunRequest } from '../../engine/engine.ts';
import type { SerializedCircuit } from './serialized-circuit.ts';
import type { Precision, SentCircuit, SentTask } from './worker-messages.ts';
import { isSameCircuit, type WrittenCircuit, writeCircuit } from './written-circuit.ts';

/** A circuit for a worker. */
export interface WorkerTask {
  readonly precision: Precision;
  readonly circuit: Circuit | SerializedCircuit;
  readonly request: Omit<RunRequest, 'onProgress'>;
  readonly onProgress: (fraction: number) => void;
  /**
   * The circuit has begun. Called before its promise settles, of a circuit that runs for less than
   * some 20 ms perhaps just before.
   *
   * @param startedAt - On the clock of `performance.now()`.
   */
  readonly onStarted?: (startedAt: number) => void;
  readonly signal: AbortSignal;
}

/** The list as it is sent: what of it can be is in writing. */
export function sentTasks(
  tasks: readonly WorkerTask[],
  ids: readonly number[],
): readonly SentTask[] {
  const written = new Map<string, WrittenCircuit>();
  return tasks.map(({ precision, circuit, request }, i) => ({
    id: ids[i]!,
    precision,
    circuit: sentCircuit(circuit, written),
    request,
  }));
}

/** @param written - The last of each shape: the same circuit is cloned once. */
function sentCircuit(
  circuit: Circuit | SerializedCircuit,
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
export function isSendable(task: SentTask): boolean {
  try {
    structuredClone(task);
    return true;
  } catch {
    return false;
  }
}
