/**
 * A plan: tasks of several agents towards a goal, some of which use the results of others.
 *
 * Tasks refer to earlier tasks only, so a plan has no cycles. Independent tasks run concurrently. A reference
 * `{"$from": "name", "path": "circuit"}` in a task's input stands for that part of the named task's result.
 */
import { z } from 'zod';
import type { Json, JsonObject } from '../procedures/json.ts';

/** Most tasks of one plan. */
export const MAX_PLAN_TASKS = 20;

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/;
const name = z.string().regex(NAME, {
  error: 'Must be 1 to 40 letters, digits, _ or -, beginning with a letter',
});

/** Schema of a task in a goal; the task's procedure validates its input. */
export const planTask = z.strictObject({
  name: name
    .optional()
    .describe('Name by which other tasks refer to it; by default `step1`, `step2`, …, by position'),
  agent: z.string().max(64).describe('Id of an agent'),
  task: z.string().max(64).describe('A task of that agent'),
  input: z
    .record(z.string(), z.unknown())
    .default({})
    .describe(
      'Input of the task. `{"$from": "name", "path": "circuit"}` is replaced by that part of the result of the task `name`',
    ),
  after: z
    .array(name)
    .max(MAX_PLAN_TASKS)
    .optional()
    .describe(
      'Names of further tasks that must be completed first, besides those that the input refers to',
    ),
});
/** Parsed task of a goal. */
export type PlanTask = z.output<typeof planTask>;

/** A step of a plan; only the referenced results are still open. */
export interface PlanStep {
  readonly name: string;
  readonly agent: string;
  readonly task: string;
  /** Input with references, those added by the planner included. */
  readonly input: JsonObject;
  /** Names of the tasks that must complete first; all are listed earlier. */
  readonly needs: readonly string[];
  /** Fields that the planner added, and the tasks that feed them. */
  readonly fed: readonly { readonly field: string; readonly from: string; readonly path: string }[];
}

/** A part of an earlier task's result. */
export interface Reference {
  /** Name of the task in its plan. */
  readonly from: string;
  /** Path in the result, such as `circuit` or `points[0].energy`; empty for the whole result. */
  readonly path: string;
}

/** A reference and its place in an input. */
export interface PlacedReference extends Reference {
  /** Keys and indices from the top of the input. */
  readonly place: readonly (string | number)[];
}

/** The reference as JSON. */
export function referenceJson({ from, path }: Reference): JsonObject {
  return path === '' ? { $from: from } : { $from: from, path };
}

/** All references in an input, and all objects that look like references but have wrong fields. */
export function referencesIn(input: Json): {
  readonly references: readonly PlacedReference[];
  readonly malformed: readonly (readonly (string | number)[])[];
} {
  const references: PlacedReference[] = [];
  const malformed: (readonly (string | number)[])[] = [];
  walk(input, []);
  return { references, malformed };

  function walk(value: Json | undefined, place: readonly (string | number)[]): void {
    if (typeof value !== 'object' || value === null) return;
    if (isList(value)) {
      for (const [i, entry] of value.entries()) walk(entry, [...place, i]);
      return;
    }
    if (!Object.hasOwn(value, '$from')) {
      for (const [name, entry] of Object.entries(value)) walk(entry, [...place, name]);
      return;
    }
    const reference = referenceOf(value);
    if (reference === undefined) malformed.push(place);
    else references.push({ ...reference, place });
  }
}

/** Replaces each reference in an input by its value. */
export function withReferencesRead(input: Json, read: (reference: Reference) => Json): Json {
  if (typeof input !== 'object' || input === null) return input;
  if (isList(input)) return input.map((entry) => withReferencesRead(entry, read));
  const reference = Object.hasOwn(input, '$from') ? referenceOf(input) : undefined;
  if (reference !== undefined) return read(reference);
  return Object.fromEntries(
    Object.entries(input).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, withReferencesRead(value, read)]],
    ),
  );
}

const STEP = /^(?:\.?([A-Za-z_$][\w$-]*)|\[(\d{1,9})\])/;

/** Parses a path into steps; undefined if it is malformed. */
export function parsePath(path: string): readonly (string | number)[] | undefined {
  const steps: (string | number)[] = [];
  for (let rest = path; rest !== ''; ) {
    const [whole, name, index] = STEP.exec(rest) ?? [];
    if (whole === undefined || (steps.length === 0 && whole.startsWith('.'))) return undefined;
    steps.push(name ?? Number(index));
    rest = rest.slice(whole.length);
  }
  return steps;
}

/** Value at a well-formed path; undefined if there is none. */
export function valueAt(value: Json, path: string): Json | undefined {
  let found: Json | undefined = value;
  for (const step of parsePath(path) ?? []) {
    if (typeof found !== 'object' || found === null) return undefined;
    if (typeof step === 'number') found = isList(found) ? found[step] : undefined;
    else found = !isList(found) && Object.hasOwn(found, step) ? found[step] : undefined;
  }
  return found;
}

function referenceOf(value: JsonObject): Reference | undefined {
  const { $from: from, path = '', ...others } = value;
  const isGood = typeof from === 'string' && typeof path === 'string';
  if (!isGood || Object.keys(others).length > 0 || parsePath(path) === undefined) return undefined;
  return { from, path };
}

/** Type guards do not narrow readonly arrays out of a union by themselves. */
function isList(value: readonly Json[] | JsonObject): value is readonly Json[] {
  return Array.isArray(value);
}
