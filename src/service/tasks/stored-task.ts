/** Stored requests of tasks: those of agents, and plans that chain several. */
import { JobDamagedError } from '../../jobs/errors.ts';
import type { Job, JobId } from '../../jobs/job.ts';
import type { PlanStep } from '../../workloads/plans/plan.ts';
import type { JsonObject } from '../../workloads/procedures/json.ts';
import {
  decodeStored,
  encodeStored,
  storedFacts,
  WHOLE_REQUEST,
  workRequestJson,
} from '../jobs/stored-request.ts';
import type { Tier } from '../keys/api-key.ts';

/** The target of jobs that are plans; the others' is their agent. */
export const PLANNER = 'asi';
/** Name of the task in a plan's record. */
export const PLAN_TASK = 'plan';

/** The facts of a task as they took effect. */
export interface TaskFacts {
  readonly task: string;
  readonly seed: number;
  /** Tier of the caller's key when it submitted. */
  readonly tier: Tier;
  /** Processor of its circuits; absent where the caller left that open. */
  readonly processor?: string;
  /** Plan that the task is part of. */
  readonly parent?: JobId;
}

/** A task of a plan, and the job that it is or will be. */
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

/** Stored text of a task of an agent. */
export function encodeTask({ seed, tier, ...facts }: TaskFacts, request: JsonObject): string {
  return encodeStored({ ...facts, ...WHOLE_REQUEST, seed, tier }, JSON.stringify(request));
}

/** The facts alone, of the text or of its beginning. */
export function taskFactsOf(text: string): TaskFacts {
  // Checked: they were stored with the job.
  return storedFacts(text) as TaskFacts;
}

/** Request as it was submitted, JSON text; undefined where an earlier version did not store it. */
export function taskRequestJson({ target, request }: Pick<Job, 'target' | 'request'>) {
  if (target !== PLANNER) return workRequestJson(request);
  const plan = planOf(request);
  return plan.request && JSON.stringify(plan.request);
}

/** The plan of a job whose target is the planner. */
export function planOf(text: string): StoredPlan {
  // Checked: it was stored with the job.
  const plan = decodeStored(text).body as StoredPlan;
  if (!Array.isArray(plan.steps)) throw new JobDamagedError('its request has no steps');
  return plan;
}

/** The plan that a task is part of, and the tasks of a plan. */
export function relativesOfTask({ target, request }: Pick<Job, 'target' | 'request'>): {
  readonly parent?: JobId;
  readonly parts: readonly JobId[];
} {
  const { parent } = taskFactsOf(request);
  const parts = target === PLANNER ? planOf(request).steps.map(({ id }) => id) : [];
  return { parts, ...(parent !== undefined && { parent }) };
}
