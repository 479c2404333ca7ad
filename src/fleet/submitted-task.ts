/** What was submitted, as it waits and runs, and what becomes of its answer. */
import type {
  BackendAnswer,
  BackendBatch,
  BackendBatchOutcome,
  BackendOutcome,
  BackendTask,
  SubmittedTask,
  TaskFollowing,
} from './backend-task.ts';
import type { LaneId } from './schedule/lane.ts';
import { batchWork, levelOf, runWork } from './schedule/scheduled-run.ts';
import { factsOfShape, ownRequest, sizeOfBatch } from './workers/batch-tasks.ts';
import { sizeOfCircuit, workOfCircuit } from './workers/serialized-circuit.ts';

/**
 * A circuit or a batch task as it waits. Of a batch task the arrays are copied.
 *
 * @throws as `factsOfShape`.
 */
export function submittedTask(
  task: BackendTask | BackendBatch,
  following: TaskFollowing,
): SubmittedTask {
  const { id, processor, keyId, tier, priority, precision, mayRunOn, needsDevice } = task;
  const waiting = {
    id,
    processor,
    key: keyId,
    level: levelOf(priority, tier),
    mayRunOn: mayRunOn ?? 'cpu',
    precision,
    needsDevice: needsDevice ?? false,
    failedOn: new Set<LaneId>(),
    ...following,
  };
  if ('shape' in task) {
    const { shape } = task;
    const request = ownRequest(task.request);
    return { ...waiting, shape, request, work: batchWork(factsOfShape(shape).work, request) };
  }
  const { circuit, request } = task;
  return { ...waiting, circuit, request, work: runWork(workOfCircuit(circuit), request) };
}

/** About what it takes in memory while it waits, bytes. */
export function sizeOfTask(task: SubmittedTask): number {
  return 'shape' in task ? sizeOfBatch(task) : sizeOfCircuit(task.circuit);
}

/** The answer to a circuit. */
export function circuitOutcome(answer: BackendAnswer): BackendOutcome {
  if ('run' in answer) return answer;
  throw new Error('unreachable: a circuit has the answer of a batch task');
}

/** The answer to a batch task. */
export function batchOutcome(answer: BackendAnswer): BackendBatchOutcome {
  if ('batch' in answer) return answer;
  throw new Error('unreachable: a batch task has the answer of a circuit');
}

/** What it took of its engine, milliseconds. */
export function ownMsOf(answer: BackendAnswer): number {
  if ('batch' in answer) return answer.compileMs + answer.executionMs;
  const { evolutionMs, samplingMs } = answer.run.timing;
  return answer.compileMs + evolutionMs + samplingMs;
}
