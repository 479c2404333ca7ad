/** Routes of agents and their tasks. */

import { errorResponses, successEnvelope } from '../http/envelope.ts';
import type { RouteContext, ServiceApp } from '../http/route-context.ts';
import { compileAllButBody } from '../http/validation.ts';
import { idempotencyHeaders } from '../jobs/job-schema.ts';
import { MAX_PROCEDURE_BODY_BYTES } from '../jobs/procedure-jobs.ts';
import { jobRecordRoutes } from '../jobs/record-routes.ts';
import type { JobSubmissions } from '../jobs/submit-job.ts';
import { agent, agentList, agentParams, findAgent, viewAgent } from './agent-schema.ts';
import type { TaskSubmission } from './read-task.ts';
import { taskBody, taskRecord } from './task-schema.ts';

/** Registers the routes below `/agents` and those of task records. */
export function agentRoutes(
  app: ServiceApp,
  { deps, envelopes }: RouteContext,
  submissions: JobSubmissions<TaskSubmission>,
): void {
  const { agents, cpuModel } = deps;
  const { task: tasks } = deps.kinds;

  app.get(
    '/agents',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listAgents',
        tags: ['agents'],
        summary: 'List agents with their tasks and measured speed',
        response: { 200: successEnvelope(agentList) },
      },
    },
    async (request, reply) =>
      envelopes.send(request, reply, {
        agents: agents.agents.map((each) => viewAgent(each, cpuModel)),
      }),
  );

  app.get(
    '/agents/:agent_id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getAgent',
        tags: ['agents'],
        summary: 'One agent',
        params: agentParams,
        response: { 200: successEnvelope(agent), ...errorResponses(404) },
      },
    },
    async (request, reply) =>
      envelopes.send(
        request,
        reply,
        viewAgent(findAgent(agents, request.params.agent_id), cpuModel),
      ),
  );

  app.post(
    '/agents/:agent_id/execute',
    {
      bodyLimit: MAX_PROCEDURE_BODY_BYTES,
      config: { scope: 'agents', readsLargeBodies: true },
      // The schema of the input depends on the task, so the handler validates it.
      validatorCompiler: compileAllButBody,
      schema: {
        operationId: 'executeTask',
        tags: ['agents'],
        summary: 'Submit a task to an agent',
        description:
          'Answers at once; the task runs as a job. `capabilities` of the agent lists its tasks, with the input and an example of each.',
        params: agentParams,
        body: taskBody,
        headers: idempotencyHeaders,
        response: { 201: successEnvelope(taskRecord), ...errorResponses(400, 404, 503) },
      },
    },
    async (request, reply) => {
      const { id } = findAgent(agents, request.params.agent_id).owner;
      return submissions.submit(request, reply, tasks.taskBody(id));
    },
  );

  jobRecordRoutes(app, { deps, envelopes }, tasks, submissions);
}
