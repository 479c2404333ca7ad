/**
 * A plan: tasks of several agents on the way to a goal, some of which work on what others found.
 *
 * Every reference is to a task listed before, so that no plan goes in circles, and tasks that do not
 * need one another run at the same time.
 */
import { z } from 'zod';
import type { JsonObject } from '../procedures/json.ts';

/** Tasks of one plan. */
export const MAX_PLAN_TASKS = 20;

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/;
const name = z.string().regex(NAME, {
  error: 'Must be 1 to 40 letters, digits, _ or -, beginning with a letter',
});

/** A task as the goal lists it; its input is checked by the task itself. */
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
/** It, of good form. */
export type PlanTask = z.output<typeof planTask>;

/** A task of a plan, with everything decided but what others will find. */
export interface PlanStep {
  readonly name: string;
  readonly agent: string;
  readonly task: string;
  /** With references, those that the planner has added too. */
  readonly input: JsonObject;
  /** Names of the tasks that have to be completed before; all stand before it. */
  readonly needs: readonly string[];
  /** Fields that the planner itself feeds, and from which task. */
  readonly fed: readonly { readonly field: string; readonly from: string; readonly path: string }[];
}
