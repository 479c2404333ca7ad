/** Reads a task or a plan from a body, or lists every fault. */
import { MAX_FAULTS } from '../../errors/coded-error.ts';
import { formFaults, sizeFaults } from '../../errors/form-faults.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import { PLAN_AGENTS } from '../../workloads/agents/agents.ts';
import { makePlan } from '../../workloads/plans/make-plan.ts';
import { MAX_PLAN_TASKS, type PlanStep, referencesIn } from '../../workloads/plans/plan.ts';
import { isJsonObject, type JsonObject } from '../../workloads/procedures/json.ts';
import { findProcedure, type Procedure } from '../../workloads/procedures/procedure.ts';
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
import { WHOLE_REQUEST } from '../jobs/stored-request.ts';
import { PLAN_TASK, PLANNER } from './stored-task.ts';
import { planBody, taskBody } from './task-schema.ts';

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
    throw new RequestInvalidError(faults.slice(0, MAX_FAULTS));
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
    throw new RequestInvalidError(faults.slice(0, MAX_FAULTS));
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
