/** Routes of systems, and of plans for the planner. */

import { type RouteContext, type ServiceApp, showRoute } from '../http/route-context.ts';
import { MAX_PROCEDURE_BODY_BYTES } from '../jobs/procedure-jobs.ts';
import { submissionRoute } from '../jobs/record-routes.ts';
import type { JobSubmissions } from '../jobs/submit-job.ts';
import type { TaskSubmission } from '../work/read-task.ts';
import { planBody } from '../work/task-schema.ts';
import {
  type SystemSources,
  systemDetail,
  systemList,
  systemParams,
  viewSystemDetail,
  viewSystems,
} from './system-view.ts';

/** Registers the routes below `/systems`. */
export function systemRoutes(
  app: ServiceApp,
  context: RouteContext,
  submissions: JobSubmissions<TaskSubmission>,
): void {
  const { deps } = context;
  const sources: SystemSources = { ...deps, startedAt: deps.elapsedMs() };

  showRoute(app, context, {
    path: '/systems',
    operationId: 'listSystems',
    tag: 'systems',
    summary: 'List systems with their status now',
    answer: systemList,
    view: () => ({ systems: viewSystems(sources) }),
  });

  showRoute(app, context, {
    path: '/systems/:system_id',
    operationId: 'getSystem',
    tag: 'systems',
    summary: 'One system, with what really stands behind it',
    params: systemParams,
    answer: systemDetail,
    view: ({ system_id }) => viewSystemDetail(sources, system_id),
  });

  submissionRoute(app, deps.kinds.task.definition, submissions, {
    path: '/systems/asi/plans',
    operationId: 'submitPlan',
    tag: 'systems',
    summary: 'Submit a goal of several tasks',
    description:
      "Answers at once with the plan, which is itself a task. Its `tasks` are the agents' tasks that it runs; each has a record once it is submitted, and its input contains results of earlier ones. If one fails or is cancelled, the plan fails. Cancelling the plan cancels them.",
    schema: planBody,
    bodyLimit: MAX_PROCEDURE_BODY_BYTES,
    body: () => deps.kinds.task.planBody,
  });
}
