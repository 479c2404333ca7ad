/**
 * Makes a plan from the tasks of a goal: names, dependencies and inputs. A task that cannot run on its
 * own input takes each missing field from the nearest earlier task whose results are declared to fit;
 * there is no further inference.
 */
import { z } from 'zod';
import { type Fault, MAX_FAULTS } from '../../errors/coded-error.ts';
import { formatPath } from '../../errors/fault-path.ts';
import { formFaults } from '../../errors/form-faults.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import type { Json, JsonObject } from '../procedures/json.ts';
import { findProcedure, type Procedure } from '../procedures/procedure.ts';
import { type PlanStep, type PlanTask, referenceJson, referencesIn } from './plan.ts';

/** Agents that a plan can use: their tasks, and the result fields that can feed other tasks. */
export interface PlanAgents {
  /** Ids of all agents. */
  readonly ids: readonly string[];
  /** The procedures of an agent; undefined if there is no such agent. */
  readonly proceduresOf: (agent: string) => readonly Procedure[] | undefined;
}

/** A plan, or the faults of its tasks (the first 20). */
export type MadePlan = { readonly steps: readonly PlanStep[] } | { readonly faults: Fault[] };

/** Most references in one task. */
const MAX_REFERENCES = 100;

/** @param path - Path of the task list in the request. */
export function makePlan(
  tasks: readonly PlanTask[],
  agents: PlanAgents,
  path: string = 'tasks',
): MadePlan {
  const faults: Fault[] = [];
  const steps: PlanStep[] = [];
  const procedures = new Map<string, Procedure>();
  const names = tasks.map((task, i) => task.name ?? `step${i + 1}`);
  for (const [i, task] of tasks.entries()) {
    const at = (...rest: readonly PropertyKey[]) => formatPath([path, i, ...rest]);
    const name = names[i] ?? '';
    if (names.indexOf(name) < i) {
      faults.push({ path: at('name'), message: `Another task is called ${name}, too.` });
    }
    const procedure = procedureOfTask(task, agents, at, faults);
    if (procedure === undefined) continue;
    const earlier = names.slice(0, i);
    const input = jsonInput(task.input);
    const needs = new Set<string>();
    for (const [k, needed] of (task.after ?? []).entries()) {
      if (!earlier.includes(needed)) faults.push(unknownTask(at('after', k), needed, earlier));
      needs.add(needed);
    }
    const { references, malformed } = referencesIn(input);
    if (references.length > MAX_REFERENCES) {
      const message = `${references.length} references; a task may have ${MAX_REFERENCES}.`;
      faults.push({ path: at('input'), message });
    }
    for (const place of malformed) {
      const message =
        'A reference has `$from`, the name of an earlier task, and may have `path`, as in `circuit` or `points[0].energy`; nothing else.';
      faults.push({ path: at('input', ...place), message });
    }
    for (const { from, place } of references) {
      if (!earlier.includes(from)) faults.push(unknownTask(at('input', ...place), from, earlier));
      needs.add(from);
    }
    const open = new Set([
      ...references.map(({ place }) => place[0]),
      ...malformed.map(([top]) => top),
    ]);
    const fed = fedFields(procedure, input, open, steps, procedures);
    for (const { field, from } of fed) {
      open.add(field);
      needs.add(from);
    }
    for (const fault of inputFaults(procedure, input, open)) {
      faults.push({ ...fault, path: joined(at('input'), fault.path) });
    }
    const feeding = fed.map((feed) => [feed.field, referenceJson(feed)]);
    const whole: JsonObject = { ...input, ...Object.fromEntries(feeding) };
    procedures.set(name, procedure);
    const { agent } = task;
    steps.push({ name, agent, task: procedure.name, input: whole, needs: [...needs], fed });
  }
  return faults.length > 0 ? { faults: faults.slice(0, MAX_FAULTS) } : { steps };
}

function procedureOfTask(
  { agent, task }: PlanTask,
  agents: PlanAgents,
  at: (...rest: readonly PropertyKey[]) => string,
  faults: Fault[],
): Procedure | undefined {
  const procedures = agents.proceduresOf(agent);
  if (procedures === undefined) {
    const message = `There is no agent ${JSON.stringify(agent)}; there are ${agents.ids.join(', ')}.${didYouMean(agent, agents.ids)}`;
    faults.push({ path: at('agent'), message });
    return undefined;
  }
  const found = findProcedure(procedures, task);
  if (found === undefined) {
    const known = procedures.map(({ name }) => name);
    const message = `The ${agent} agent has no task ${JSON.stringify(task)}; it takes ${known.join(', ')}.${didYouMean(task, known)}`;
    faults.push({ path: at('task'), message });
  }
  return found;
}

/** Fields that the planner adds to an incomplete input. */
function fedFields(
  procedure: Procedure,
  input: JsonObject,
  open: ReadonlySet<string | number | undefined>,
  steps: readonly PlanStep[],
  procedures: ReadonlyMap<string, Procedure>,
): PlanStep['fed'] {
  const tops = inputFaults(procedure, input, open).map(({ path }) => topOf(path));
  const missing = new Set(tops.filter((field) => !Object.hasOwn(input, field)));
  const fed: { field: string; from: string; path: string }[] = [];
  for (const field of missing) {
    // If any one of several fields will do, the fault names the first.
    const source = feedOf([field], steps, procedures) ?? feedOf(absent(), steps, procedures);
    if (source !== undefined) fed.push(source);
  }
  return fed;

  function absent(): readonly string[] {
    if (!(procedure.input instanceof z.ZodObject)) return [];
    return Object.keys(procedure.input.shape).filter((name) => !Object.hasOwn(input, name));
  }
}

/** Nearest earlier result field that fits one of these input fields. */
function feedOf(
  fields: readonly string[],
  steps: readonly PlanStep[],
  procedures: ReadonlyMap<string, Procedure>,
): PlanStep['fed'][number] | undefined {
  for (const { name } of steps.toReversed()) {
    const feeds = Object.entries(procedures.get(name)?.feeds ?? {});
    const found = feeds.find(([, field]) => fields.includes(field));
    if (found !== undefined) return { field: found[1], from: name, path: found[0] };
  }
  return undefined;
}

/**
 * Faults of an input apart from fields known only at run time. If there are such fields, the meaning of
 * the input is checked only at run time, because one of them may replace another field.
 */
function inputFaults(
  procedure: Procedure,
  input: JsonObject,
  open: ReadonlySet<string | number | undefined>,
): readonly Fault[] {
  if (open.size === 0) return procedure.faultsOf(input);
  const known = Object.fromEntries(Object.entries(input).filter(([name]) => !open.has(name)));
  const parsed = procedure.input.safeParse(known);
  const faults = parsed.success ? [] : formFaults(parsed.error, procedure.input, known);
  // A fault caused by a missing field carries that field's path.
  return faults.filter(({ path }) => !open.has(topOf(path)));
}

/** First field of a path. */
function topOf(path: string): string {
  return /^[^.[]*/.exec(path)?.[0] ?? '';
}

function joined(root: string, path: string): string {
  if (path === '') return root;
  return path.startsWith('[') ? `${root}${path}` : `${root}.${path}`;
}

function unknownTask(path: string, name: string, earlier: readonly string[]): Fault {
  const known = earlier.length === 0 ? 'there is none' : `they are ${earlier.join(', ')}`;
  const problem = `No task before this one is called ${JSON.stringify(name)}; ${known}.`;
  return { path, message: `${problem}${didYouMean(name, earlier)}` };
}

/** The input as JSON. */
function jsonInput(input: Readonly<Record<string, unknown>>): JsonObject {
  // Safe: the value was parsed from a JSON body.
  return input as Record<string, Json>;
}
