/** Schemas of tasks: how one is submitted to an agent, and its record. */
import { z } from 'zod';
import { MAX_PLAN_TASKS, planTask } from '../../workloads/plans/plan.ts';
import type { JsonObject } from '../../workloads/procedures/json.ts';
import { jsonObject } from '../http/envelope.ts';
import { TASKS } from '../jobs/job-resources.ts';
import { jobFields, labelFields, priority, requestFields } from '../jobs/job-schema.ts';
import { procedureResult } from './procedures-view.ts';

/**
 * Example of a plan whose tasks use each other's results. It is published with the planner, and a test runs it.
 */
export const PLAN_EXAMPLE: JsonObject = {
  goal: 'Find the ground state of H2, make its circuit shorter, and fit it to a device',
  tasks: [
    { name: 'ground', agent: 'research', task: 'vqe', input: { problem: 'h2' } },
    { name: 'short', agent: 'design', task: 'shorten' },
    { name: 'fitted', agent: 'design', task: 'route', input: { device: 'iqm-garnet' } },
  ],
};

const processorField = z
  .string()
  .max(100)
  .optional()
  .describe(
    'Simulator from GET /quantum/processors that runs the circuits of the task; by default the first available one, preferring double precision',
  );
const priorityField = priority
  .optional()
  .describe('Default normal. high takes effect for Enterprise keys only');

/** The body of POST /agents/{agent_id}/execute; the input is the task's own business. */
export const taskBody = z
  .strictObject({
    task: z
      .string()
      .max(64)
      .describe("One of the agent's `capabilities`; `computation` means `evaluate`"),
    input: jsonObject.describe('Input of the task; `input_schema` of the task describes it'),
    priority: priorityField,
    target_processor: processorField,
    ...labelFields,
  })
  .meta({
    id: 'TaskSubmission',
    examples: [{ task: 'evaluate', input: { expression: 'sqrt(3^2 + 4^2)' } }],
  });

/** The body of POST /systems/asi/plans. */
export const planBody = z
  .strictObject({
    goal: z
      .string()
      .max(500)
      .optional()
      .describe('The goal in words, for people; the service does not interpret it'),
    tasks: z
      .array(planTask)
      .min(1)
      .max(MAX_PLAN_TASKS)
      .describe(
        'Tasks in order. A task may refer to earlier ones. A missing input field is taken from the nearest earlier task that feeds it',
      ),
    priority: priorityField,
    target_processor: processorField,
    ...labelFields,
  })
  .meta({ id: 'PlanSubmission', examples: [PLAN_EXAMPLE] });

const summaryFields = {
  [TASKS.idName]: z.string().meta({ examples: ['task_0199f3a2c5d87c3e9b1f2a4d6c8e0b35'] }),
  agent: z.string().describe('`asi` for a plan'),
  task: z.string().describe('`plan` for a plan'),
  parent_id: z.string().optional().describe('Id of the plan that the task belongs to'),
  ...jobFields,
};

/** A task in a listing. */
export const taskSummary = z.strictObject(summaryFields).meta({ id: 'TaskSummary' });

const planNode = z.strictObject({
  name: z.string(),
  task_id: z.string().describe('The task has a record once it has been submitted'),
  agent: z.string(),
  task: z.string(),
  status: jobFields.status.describe(
    'queued also before the task is submitted; cancelled if the plan ended without it',
  ),
  progress: jobFields.progress,
  needs: z.array(z.string()).describe('Names of the tasks that must be completed first'),
  fed: z
    .array(z.strictObject({ field: z.string(), from: z.string(), path: z.string() }))
    .optional()
    .describe('Input fields that the planner filled from earlier results'),
  error: jobFields.error,
});
/** A task of a plan as it stands. */
export type PlanNodeView = z.output<typeof planNode>;

/** A task's record; the last fields are there once it is completed. */
export const taskRecord = z
  .strictObject({
    ...summaryFields,
    ...requestFields,
    goal: z.string().optional().describe('Goal of a plan'),
    tasks: z.array(planNode).optional().describe('Tasks of a plan, in order'),
    ...z.strictObject(procedureResult).partial().shape,
  })
  .meta({ id: 'Task' });
