/** Stored requests of tasks and of plans. */
import { JobDamagedError } from '../../jobs/errors.ts';
import type { Job, JobId } from '../../jobs/job.ts';
import type { PlanStep } from '../../workloads/plans/plan.ts';
import type { JsonObject } from '../../workloads/procedures/json.ts';
import type { Tier } from '../http/api-key.ts';
import {
  decodeStored,
  encodeStored,
  storedFacts,
  WHOLE_REQUEST,
  workRequestJson,
} from '../jobs/stored-request.ts';

/** Target of jobs that are plans; the target of other tasks is their agent. */
export const PLANNER = 'asi';
/** Task name in a plan's record. */
export const PLAN_TASK = 'plan';

/** Facts of a stored task. */
export interface TaskFacts {
  readonly task: string;
  readonly seed: number;
  /** Tier of the caller's key when it submitted. */
  readonly tier: Tier;
  /** Processor for its circuits; absent if the caller did not choose one. */
  readonly processor?: string;
  /** Plan that the task is part of. */
  readonly parent?: JobId;
}

/** Task of a plan, with the id of its job. */
export interface StoredStep extends PlanStep {
  readonly id: JobId;
}

/** Body of a plan as it is stored. */
export interface StoredPlan {
  readonly goal?: string;
  readonly steps: readonly StoredStep[];
  /** Request as it was submitted; earlier versions did not store it. */
  readonly request?: JsonObject;
}

/** Encodes a task of an agent. */
export function encodeTask({ seed, tier, ...facts }: TaskFacts, request: JsonObject): string {
  return encodeStored({ ...facts, ...WHOLE_REQUEST, seed, tier }, JSON.stringify(request));
}

/** Reads the facts from the text or its beginning. */
export function taskFactsOf(text: string): TaskFacts {
  // The cast is safe: facts are stored with the job.
  return storedFacts(text) as TaskFacts;
}

/** Submitted request, JSON text; undefined if an earlier version did not store it. */
export function taskRequestJson({ target, request }: Pick<Job, 'target' | 'request'>) {
  if (target !== PLANNER) return workRequestJson(request);
  const plan = planOf(request);
  return plan.request && JSON.stringify(plan.request);
}

/** Reads the plan of a job whose target is the planner. */
export function planOf(text: string): StoredPlan {
  // The cast is safe: the plan was stored with the job.
  const plan = decodeStored(text).body as StoredPlan;
  if (!Array.isArray(plan.steps)) throw new JobDamagedError('its request has no steps');
  return plan;
}

/** Plan that contains a task, and tasks that a plan contains. */
export function relativesOfTask({ target, request }: Pick<Job, 'target' | 'request'>): {
  readonly parent?: JobId;
  readonly parts: readonly JobId[];
} {
  const { parent } = taskFactsOf(request);
  const parts = target === PLANNER ? planOf(request).steps.map(({ id }) => id) : [];
  return { parts, ...(parent !== undefined && { parent }) };
}
