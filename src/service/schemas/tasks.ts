/** Schemas of tasks: how one is submitted to an agent, and its record. */
import { z } from 'zod';
import { MAX_PLAN_TASKS, planTask } from '../../workloads/plans/plan.ts';
import { TASKS } from '../jobs/job-resources.ts';
import { PLAN_EXAMPLE } from '../systems/plan-example.ts';
import { jsonObject } from './envelope.ts';
import { jobFields, labelFields, priority, requestFields } from './jobs.ts';
import { procedureResult } from './procedures.ts';

const processorField = z
  .string()
  .max(100)
  .optional()
  .describe(
    'A simulator from GET /quantum/processors that its circuits run on; by default the first available one, double precision preferred',
  );
const priorityField = priority
  .optional()
  .describe('Default normal; high takes effect for Enterprise keys');

/** The body of POST /agents/{agent_id}/execute; the input is the task's own business. */
export const taskBody = z
  .strictObject({
    task: z
      .string()
      .max(64)
      .describe("One of the agent's `capabilities`; `computation` means `evaluate`"),
    input: jsonObject.describe('As the `input_schema` of the task says'),
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
    goal: z.string().max(500).optional().describe('In words, for people; it is not interpreted'),
    tasks: z
      .array(planTask)
      .min(1)
      .max(MAX_PLAN_TASKS)
      .describe(
        'In order: a task may refer to those before it. One that lacks a field gets it from the nearest task before it that feeds such a field',
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
  parent_id: z.string().optional().describe('The plan that it is part of'),
  ...jobFields,
};

/** A task in a listing. */
export const taskSummary = z.strictObject(summaryFields).meta({ id: 'TaskSummary' });

const planNode = z.strictObject({
  name: z.string(),
  task_id: z.string().describe('There is a record once the task has been submitted'),
  agent: z.string(),
  task: z.string(),
  status: jobFields.status.describe(
    'queued also before it is submitted; cancelled where the plan ended without it',
  ),
  progress: jobFields.progress,
  needs: z.array(z.string()).describe('Names of the tasks that have to be completed before'),
  fed: z
    .array(z.strictObject({ field: z.string(), from: z.string(), path: z.string() }))
    .optional()
    .describe('Input fields that the planner itself took from earlier results'),
  error: jobFields.error,
});
/** A task of a plan as it stands. */
export type PlanNodeView = z.output<typeof planNode>;

/** A task's record; the last fields are there once it is completed. */
export const taskRecord = z
  .strictObject({
    ...summaryFields,
    ...requestFields,
    goal: z.string().optional().describe('Of a plan'),
    tasks: z.array(planNode).optional().describe('Of a plan: its tasks, in order'),
    ...z.strictObject(procedureResult).partial().shape,
  })
  .meta({ id: 'Task' });
