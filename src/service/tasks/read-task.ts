/** From the body of a task, or of a plan, to what is to run, or all that is wrong with it. */
import { MAX_FAULTS } from '../../errors/coded-error.ts';
import { formFaults } from '../../errors/form-faults.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import { sizeFaults } from '../../errors/size-faults.ts';
import { PLAN_AGENTS } from '../../workloads/agents/agents.ts';
import { makePlan } from '../../workloads/plans/make-plan.ts';
import type { PlanStep } from '../../workloads/plans/plan.ts';
import { referencesIn } from '../../workloads/plans/references.ts';
import type { JsonObject } from '../../workloads/procedures/json.ts';
import { findProcedure } from '../../workloads/procedures/procedure.ts';
import { RequestInvalidError } from '../errors.ts';
import {
  checkLate,
  inputFaults,
  isJsonObject,
  MAX_INPUT_LENGTH,
  optionsOf,
  processorFaults,
  type WorkOptions,
} from '../jobs/procedure-input.ts';
import { planBody, taskBody } from '../schemas/tasks.ts';

/** A task that would run. */
export interface ReadTask extends WorkOptions {
  /** By its own name. */
  readonly task: string;
  /** The body as it was sent. */
  readonly request: JsonObject;
}

/** A plan that would run. */
export interface ReadPlan extends WorkOptions {
  readonly goal?: string;
  readonly steps: readonly PlanStep[];
  /** The body as it was sent. */
  readonly request: JsonObject;
}

/** @throws {RequestInvalidError} listing every fault. */
export async function readTask(
  body: unknown,
  agentId: string,
  simulators: readonly string[],
): Promise<ReadTask> {
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
  return { task: procedure.name, request: body, ...optionsOf(parsed.data) };
}

/** @throws {RequestInvalidError} listing every fault. */
export async function readPlan(body: unknown, simulators: readonly string[]): Promise<ReadPlan> {
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
    // What others feed is looked at when it is there.
    if (procedure === undefined || referencesIn(input).references.length > 0) continue;
    await checkLate(procedure, input, `tasks[${i}].input`);
  }
  const { goal } = parsed.data;
  if (!isJsonObject(body)) throw new Error('unreachable: a plan that is no object');
  return {
    steps: made.steps,
    request: body,
    ...(goal !== undefined && { goal }),
    ...optionsOf(parsed.data),
  };
}

function partsOf(body: unknown): { readonly task?: unknown; readonly input?: unknown } {
  return typeof body === 'object' && body !== null ? body : {};
}
