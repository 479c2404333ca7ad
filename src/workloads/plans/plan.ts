/**
 * A plan: tasks of several agents towards a goal, some of which use the results of others.
 *
 * Tasks refer to earlier tasks only, so a plan has no cycles. Independent tasks run concurrently.
 */
import { z } from 'zod';
import type { JsonObject } from '../procedures/json.ts';

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
