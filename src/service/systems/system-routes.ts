/** Routes of systems, and of plans for the planner. */

import { errorResponses, successEnvelope } from '../http/envelope.ts';
import type { RouteContext, ServiceApp } from '../http/route-context.ts';
import { compileAllButBody } from '../http/validation.ts';
import { idempotencyHeaders } from '../jobs/job-schema.ts';
import { MAX_PROCEDURE_BODY_BYTES } from '../jobs/procedure-jobs.ts';
import type { JobSubmissions } from '../jobs/submit-job.ts';
import type { TaskSubmission } from '../work/read-task.ts';
import { planBody, taskRecord } from '../work/task-schema.ts';
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
  { deps, envelopes }: RouteContext,
  submissions: JobSubmissions<TaskSubmission>,
): void {
  const sources: SystemSources = { ...deps, startedAt: deps.elapsedMs() };

  app.get(
    '/systems',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listSystems',
        tags: ['systems'],
        summary: 'List systems with their status now',
        response: { 200: successEnvelope(systemList) },
      },
    },
    async (request, reply) => envelopes.send(request, reply, { systems: viewSystems(sources) }),
  );

  app.get(
    '/systems/:system_id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getSystem',
        tags: ['systems'],
        summary: 'One system, with what really stands behind it',
        params: systemParams,
        response: { 200: successEnvelope(systemDetail), ...errorResponses(404) },
      },
    },
    async (request, reply) =>
      envelopes.send(request, reply, viewSystemDetail(sources, request.params.system_id)),
  );

  app.post(
    '/systems/asi/plans',
    {
      bodyLimit: MAX_PROCEDURE_BODY_BYTES,
      config: { scope: 'agents', readsLargeBodies: true },
      validatorCompiler: compileAllButBody,
      schema: {
        operationId: 'submitPlan',
        tags: ['systems'],
        summary: 'Submit a goal of several tasks',
        description:
          "Answers at once with the plan, which is itself a task. Its `tasks` are the agents' tasks that it runs; each has a record once it is submitted, and its input contains results of earlier ones. If one fails or is cancelled, the plan fails. Cancelling the plan cancels them.",
        body: planBody,
        headers: idempotencyHeaders,
        response: { 201: successEnvelope(taskRecord), ...errorResponses(400, 404, 503) },
      },
    },
    async (request, reply) => submissions.submit(request, reply, deps.kinds.task.planBody),
  );
}
