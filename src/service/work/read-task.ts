/** Reads a task or a plan from a body, or lists every fault, and from its stored request. */

import { formFaults, sizeFaults } from '../../errors/form-faults.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import { JobDamagedError } from '../../jobs/errors.ts';
import type { Job, JobId } from '../../jobs/job.ts';
import { PLAN_AGENTS } from '../../workloads/agents/agents.ts';
import { makePlan } from '../../workloads/plans/make-plan.ts';
import { MAX_PLAN_TASKS, type PlanStep, referencesIn } from '../../workloads/plans/plan.ts';
import { isJsonObject, type JsonObject } from '../../workloads/procedures/json.ts';
import { findProcedure, type Procedure } from '../../workloads/procedures/procedure.ts';
import type { Tier } from '../http/api-key.ts';
import { RequestInvalidError } from '../http/errors.ts';
import type { Reading } from '../http/reading/reading.ts';
import type { JobSubmission } from '../jobs/job-kind.ts';
import {
  checkLate,
  inputFaults,
  MAX_INPUT_LENGTH,
  optionsOf,
  type ProcedureContext,
  type ProcedureOptions,
  processorFaults,
} from '../jobs/procedure-jobs.ts';
import {
  decodeStored,
  encodeStored,
  storedFacts,
  WHOLE_REQUEST,
  workRequestJson,
} from '../jobs/stored-request.ts';
import { planBody, taskBody } from './task-schema.ts';

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

/** Stored body of a plan. */
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

/** Task of an agent, or plan of such tasks, to be created. Its target is the agent or the planner. */
export interface TaskSubmission extends JobSubmission, ProcedureOptions {
  /** Body as it was sent; absent for a plan that an earlier version stored. */
  readonly request?: JsonObject;
  /** Goal and steps of a plan. */
  readonly plan?: { readonly goal?: string; readonly steps: readonly PlanStep[] };
}

/** Context in which a task is read. */
export interface TaskContext extends ProcedureContext {
  /** Id of the agent. */
  readonly agentId: string;
}

/** Reads a body of POST /agents/{agent_id}/execute in a process. */
export const TASK_READING: Reading<TaskContext, TaskSubmission> = {
  name: 'task',
  read: (body, { agentId, simulators }) => readTask(body, agentId, simulators),
  proceduresOf: (body, { agentId }) => [procedureOf(body, agentId)],
};

/** Reads a body of POST /systems/asi/plans in a process. */
export const PLAN_READING: Reading<ProcedureContext, TaskSubmission> = {
  name: 'plan',
  read: (body, { simulators }) => readPlan(body, simulators),
  proceduresOf: (body) => {
    const tasks = isJsonObject(body) && Array.isArray(body['tasks']) ? body['tasks'] : [];
    return tasks.slice(0, MAX_PLAN_TASKS).map((task) => procedureOf(task));
  },
};

/** Procedure that a task names, of the given agent, or of the agent in the name. */
function procedureOf(task: unknown, agentId?: string): Procedure | undefined {
  if (!isJsonObject(task)) return undefined;
  const { agent, task: name } = task;
  return findProcedure(PLAN_AGENTS.proceduresOf(agentId ?? String(agent)) ?? [], name);
}

/**
 * Reads a JSON value as a task of an agent.
 *
 * @throws {RequestInvalidError} listing every fault.
 */
export async function readTask(
  body: unknown,
  agentId: string,
  simulators: readonly string[],
): Promise<TaskSubmission> {
  const procedures = PLAN_AGENTS.proceduresOf(agentId);
  if (procedures === undefined) throw new Error(`unreachable: there is no agent ${agentId}`);
  const sized = sizeFaults(body, MAX_INPUT_LENGTH);
  if (sized.length > 0) throw new RequestInvalidError(sized);
  const parsed = taskBody.safeParse(body);
  const faults = [...(parsed.success ? [] : formFaults(parsed.error, taskBody, body))];
  const { task, input } = parsed.success ? parsed.data : partsOf(body);
  const procedure = findProcedure(procedures, task);
  if (typeof task === 'string') {
    if (procedure === undefined) {
      const known = procedures.map(({ name }) => name);
      const message = `The ${agentId} agent has no task ${JSON.stringify(task.slice(0, 64))}; it takes ${known.join(', ')}.${didYouMean(task, known)}`;
      if (faults.every(({ path }) => path !== 'task')) faults.push({ path: 'task', message });
    } else if (isJsonObject(input)) faults.push(...inputFaults(procedure, input, ['input']));
  }
  if (parsed.success) faults.push(...processorFaults(parsed.data, simulators));
  if (!parsed.success || faults.length > 0) {
    throw new RequestInvalidError(faults);
  }
  if (procedure === undefined || !isJsonObject(input) || !isJsonObject(body)) {
    throw new Error('unreachable: a task without its procedure or an input that is no object');
  }
  await checkLate(procedure, input, 'input');
  return taskSubmission(agentId, procedure.name, body, optionsOf(parsed.data));
}

/** Creates a submission from a well-formed task, new or repeated. */
export function taskSubmission(
  agentId: string,
  task: string,
  request: JsonObject,
  options: ProcedureOptions,
): TaskSubmission {
  const facts = { task, ...processorFact(options), ...WHOLE_REQUEST };
  return { ...options, target: agentId, facts, request };
}

/** Creates a submission from a well-formed plan, new or repeated. */
export function planSubmission(
  plan: NonNullable<TaskSubmission['plan']>,
  request: JsonObject | undefined,
  options: ProcedureOptions,
): TaskSubmission {
  const facts = { task: PLAN_TASK, ...processorFact(options) };
  return { ...options, target: PLANNER, facts, plan, ...(request && { request }) };
}

function processorFact({ processor }: ProcedureOptions): Pick<ProcedureOptions, 'processor'> {
  return processor === undefined ? {} : { processor };
}

/**
 * Reads a JSON value as a plan.
 *
 * @throws {RequestInvalidError} listing every fault.
 */
export async function readPlan(
  body: unknown,
  simulators: readonly string[],
): Promise<TaskSubmission> {
  const sized = sizeFaults(body, MAX_INPUT_LENGTH);
  if (sized.length > 0) throw new RequestInvalidError(sized);
  const parsed = planBody.safeParse(body);
  if (!parsed.success) throw new RequestInvalidError(formFaults(parsed.error, planBody, body));
  const made = makePlan(parsed.data.tasks, PLAN_AGENTS);
  const faults = [
    ...('faults' in made ? made.faults : []),
    ...processorFaults(parsed.data, simulators),
  ];
  if ('faults' in made || faults.length > 0) {
    throw new RequestInvalidError(faults);
  }
  for (const [i, { agent, task, input }] of made.steps.entries()) {
    const procedure = findProcedure(PLAN_AGENTS.proceduresOf(agent) ?? [], task);
    // An input that needs results of other tasks is checked when they exist.
    if (procedure === undefined || referencesIn(input).references.length > 0) continue;
    await checkLate(procedure, input, `tasks[${i}].input`);
  }
  const { goal } = parsed.data;
  if (!isJsonObject(body)) throw new Error('unreachable: a plan that is no object');
  const plan = { steps: made.steps, ...(goal !== undefined && { goal }) };
  return planSubmission(plan, body, optionsOf(parsed.data));
}

function partsOf(body: unknown): { readonly task?: unknown; readonly input?: unknown } {
  return typeof body === 'object' && body !== null ? body : {};
}
