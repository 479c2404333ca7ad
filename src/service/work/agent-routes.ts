/** Routes of agents and their tasks. */

import { type RouteContext, type ServiceApp, showRoute } from '../http/route-context.ts';
import { MAX_PROCEDURE_BODY_BYTES } from '../jobs/procedure-jobs.ts';
import { jobRecordRoutes, submissionRoute } from '../jobs/record-routes.ts';
import type { JobSubmissions } from '../jobs/submit-job.ts';
import { agent, agentList, agentParams, findAgent, viewAgent } from './agent-schema.ts';
import type { TaskSubmission } from './read-task.ts';
import { taskBody } from './task-schema.ts';

/** Registers the routes below `/agents` and those of task records. */
export function agentRoutes(
  app: ServiceApp,
  context: RouteContext,
  submissions: JobSubmissions<TaskSubmission>,
): void {
  const { deps } = context;
  const { agents, cpuModel } = deps;
  const { task: tasks } = deps.kinds;

  showRoute(app, context, {
    path: '/agents',
    operationId: 'listAgents',
    tag: 'agents',
    summary: 'List agents with their tasks and measured speed',
    answer: agentList,
    view: () => ({
      agents: agents.agents.map((each) => viewAgent(each, cpuModel)),
    }),
  });

  showRoute(app, context, {
    path: '/agents/:agent_id',
    operationId: 'getAgent',
    tag: 'agents',
    summary: 'One agent',
    params: agentParams,
    answer: agent,
    view: ({ agent_id }) => viewAgent(findAgent(agents, agent_id), cpuModel),
  });

  submissionRoute(app, tasks.definition, submissions, {
    path: '/agents/:agent_id/execute',
    operationId: 'executeTask',
    tag: 'agents',
    summary: 'Submit a task to an agent',
    description:
      'Answers at once; the task runs as a job. `capabilities` of the agent lists its tasks, with the input and an example of each.',
    params: agentParams,
    schema: taskBody,
    bodyLimit: MAX_PROCEDURE_BODY_BYTES,
    body: ({ agent_id }) => tasks.taskBody(findAgent(agents, agent_id).owner.id),
  });

  jobRecordRoutes(app, context, tasks, submissions);
}
