/**
 * Reads an experiment from a request body or from the text of a stored request, or lists every fault. Pure, with plain
 * data as input and output: small bodies are read in the main thread, large ones in another process.
 */
import { FaultList } from '../../circuit/errors.ts';
import { labelsOf } from '../../jobs/job.ts';
import { checkItems, formOfList } from '../batches/listed-form.ts';
import type { Programs } from '../batches/many-run-jobs.ts';
import { programChunks } from '../batches/read-batch.ts';
import { readNoise } from '../circuits/caller-device.ts';
import type { CircuitContext } from '../circuits/program-jobs.ts';
import { checkTarget, limitsOf, type Target } from '../circuits/targets.ts';
import type { Tier } from '../http/api-key.ts';
import { RequestInvalidError } from '../http/errors.ts';
import type { Reading } from '../http/reading/reading.ts';
import type { JobSubmission } from '../jobs/job-kind.ts';
import { decodeStored, storedFacts } from '../jobs/stored-request.ts';
import { type CheckedTask, checkTask, type ExperimentParts, TaskProblems } from './check-task.ts';
import { DecodableCircuits } from './decodable-circuits.ts';
import {
  DEFAULT_TARGET,
  type ExperimentBody,
  experimentBody,
  MAX_TASKS,
} from './experiment-schema.ts';

/** Experiment that will become a job; its programs are the tasks. */
export interface ExperimentSubmission extends JobSubmission, Programs<CheckedTask> {
  /** Body that is stored and shown, JSON text. */
  readonly bodyJson: string;
}

/** Facts stored before the body of an experiment. */
interface ExperimentFacts {
  readonly tasks: number;
  readonly seed: number;
  /** Tier of the caller's key when it submitted. */
  readonly tier: Tier;
}

/** Most entries of arrays beside the tasks. */
const MAX_LENGTH = 4096;
/** CPU factor for an experiment: 10,000 circuits of distance 5 take 8 ms each, twice that on a busy machine. */
const CPU_FACTOR = 20;
/**
 * Instructions whose error models are made, for each that a circuit may have. They take 4 to 11 µs each (surface codes of
 * distances 5 and 11), so that this is at most two tenths of the time for reading.
 */
const DECODED_PER_GATE = 4;
/** CPU factor for a stored experiment. It was read in time once, and must be read again on a busier machine. */
const STORED_CPU_FACTOR = 10 * CPU_FACTOR;

/** Reading of the body of POST /quantum/experiments in a process. */
export const EXPERIMENT_READING: Reading<CircuitContext, ExperimentSubmission> = {
  name: 'experiment',
  cpuFactor: CPU_FACTOR,
  read: (body, { targets }) => readExperiment(body, targets),
  chunks: programChunks(),
};

/** Reading of a stored request's tasks in a process. */
export const STORED_EXPERIMENT_READING: Reading<CircuitContext, Programs<CheckedTask>> = {
  name: 'stored experiment',
  cpuFactor: STORED_CPU_FACTOR,
  read: (text, { targets }) => ({
    programs: checkedTasks(storedExperiment(String(text)), targets),
  }),
  chunks: programChunks(),
};

/**
 * Reads a JSON value as an experiment to run.
 *
 * @param maxSteps - Limit of steps of each task; no limit unless given.
 * @throws {RequestInvalidError} listing every fault of form and meaning.
 * @throws {StepsSpentError} if a task takes more steps.
 */
export function readExperiment(
  value: unknown,
  targets: readonly Target[],
  maxSteps?: number,
): ExperimentSubmission {
  const programs = checkedTasks(value, targets, maxSteps);
  // The cast is safe: the body has been checked.
  const body = value as ExperimentBody;
  return {
    target: body.target_processor ?? DEFAULT_TARGET,
    programs,
    ...(body.seed !== undefined && { seed: body.seed }),
    ...(body.priority !== undefined && { priority: body.priority }),
    ...labelsOf(body),
    facts: { tasks: programs.length },
    bodyJson: JSON.stringify(value),
  };
}

/** Reads the facts of a stored request from the text or its beginning. */
export function experimentFactsOf(text: string): ExperimentFacts {
  // The cast is safe: a request is stored with its facts.
  return storedFacts(text) as ExperimentFacts;
}

/** Reads the body of a stored request. */
export function storedExperiment(text: string): unknown {
  return decodeStored(text).body;
}

/**
 * Checks a body.
 *
 * @param maxSteps - Limit of steps of each task; no limit unless given.
 * @throws {RequestInvalidError} listing every fault.
 * @throws {StepsSpentError} if a task takes more steps.
 */
export function checkedTasks(
  value: unknown,
  targets: readonly Target[],
  maxSteps?: number,
): readonly CheckedTask[] {
  const form = formOfList<ExperimentParts>(value, experimentBody, 'tasks', MAX_TASKS, MAX_LENGTH);
  const { body, items, faults: formFaults } = form;
  const faults = new FaultList();
  for (const { path, message, code } of formFaults) faults.add(path, message, code);
  const target = simulatorOf(body.target_processor ?? DEFAULT_TARGET, targets, faults);
  const limits = {
    ...limitsOf(target, targets),
    ...(maxSteps !== undefined && { maxSteps }),
    readingWork: { numSteps: 0, numGates: 0 },
  };
  const noise = readNoise(body.noise, target?.spec, faults);
  const decodable = new DecodableCircuits(DECODED_PER_GATE * limits.maxGates);
  const problems = new TaskProblems();
  const context = { experiment: body, target, limits, noise, decodable, problems };
  const tasks = checkItems('tasks', items, limits, faults, (item, own) =>
    checkTask(item, context, own),
  );
  if (faults.count > 0) throw new RequestInvalidError(faults.kept);
  return tasks;
}

/** The simulator of that name; undefined after adding a fault. */
function simulatorOf(
  id: string,
  targets: readonly Target[],
  faults: FaultList,
): Target | undefined {
  const target = checkTarget(id, targets, faults);
  if (target?.spec.device === undefined) return target;
  const problem = `Experiments run on simulators, such as ${DEFAULT_TARGET}, and ${id} is a device.`;
  faults.add('target_processor', problem);
  return undefined;
}
