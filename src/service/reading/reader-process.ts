/** Entry of a process that reads bodies, one after the other. Started by `Readers`. */
import { CodedError } from '../../errors/coded-error.ts';
import { parentOfProcess } from '../../processes/parent-port.ts';
import { PLAN_AGENTS } from '../../workloads/agents/agents.ts';
import { MAX_PLAN_TASKS } from '../../workloads/plans/plan.ts';
import { findProcedure, type Procedure } from '../../workloads/procedures/procedure.ts';
import { compileCircuitJson } from '../circuits/compile-circuit.ts';
import { readSerialized, readStoredSerialized } from '../circuits/read-submission.ts';
import { isJsonObject } from '../jobs/procedure-input.ts';
import { readPlanBody, readTaskBody, readTpuJobBody } from '../jobs/work-intake.ts';
import { parseJsonBody } from '../plugins/json-body.ts';
import type { BodySource, FromReader, ToReader } from './reading-messages.ts';

const parent = parentOfProcess<ToReader, FromReader>();
parent.onMessage(async (message) => parent.post(await answer(message)));
parent.post({ kind: 'ready' });

async function answer(message: ToReader): Promise<FromReader> {
  try {
    return { kind: 'done', output: await outputOf(message) };
  } catch (error) {
    if (error instanceof CodedError) {
      const { code, message: text, faults } = error;
      return { kind: 'refused', code, message: text, faults: faults.map((f) => ({ ...f })) };
    }
    return { kind: 'broken', stack: error instanceof Error ? (error.stack ?? '') : `${error}` };
  }
}

/** Procedures whose late checks are loaded. */
const prepared = new Set<Procedure>();

/** Loads what the first body of its kind needs; that time is not the body's. */
async function prepare(tasks: readonly (Procedure | undefined)[]): Promise<void> {
  const missing = tasks.filter((each) => each?.lateFaultsOf !== undefined && !prepared.has(each));
  if (missing.length === 0) return;
  parent.post({ kind: 'preparing' });
  for (const each of missing) {
    await each?.lateFaultsOf?.(each.example);
    if (each !== undefined) prepared.add(each);
  }
  parent.post({ kind: 'prepared' });
}

/** The procedure that a task names, of the agent that it names unless there is an owner. */
function procedureOf(task: unknown, owner?: string): Procedure | undefined {
  if (!isJsonObject(task)) return undefined;
  const { agent, task: name } = task;
  return findProcedure(PLAN_AGENTS.proceduresOf(owner ?? String(agent)) ?? [], name);
}

async function outputOf({ kind, input }: ToReader): Promise<unknown> {
  switch (kind) {
    case 'readSubmission':
      return readSerialized(bodyOf(input), input.targets, input.needsHash);
    case 'readStored':
      return readStoredSerialized(input.text, input.targets);
    case 'compileCircuit':
      return compileCircuitJson(bodyOf(input), input.targets);
    case 'readTask': {
      const body = bodyOf(input);
      await prepare([procedureOf(body, input.request.owner)]);
      return readTaskBody(body, input.request);
    }
    case 'readPlan': {
      const body = bodyOf(input);
      const tasks = isJsonObject(body) && Array.isArray(body['tasks']) ? body['tasks'] : [];
      await prepare(tasks.slice(0, MAX_PLAN_TASKS).map((task) => procedureOf(task)));
      return readPlanBody(body, input.request);
    }
    case 'readTpuJob':
      return readTpuJobBody(bodyOf(input), input.request);
  }
}

function bodyOf(source: BodySource): unknown {
  return 'bytes' in source ? parseJsonBody(source.bytes) : source.value;
}
