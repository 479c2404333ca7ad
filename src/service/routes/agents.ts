/** Agents: what there is, and executing their tasks. */
import type { Job } from '../../jobs/job.ts';
import { findAgent, viewAgent } from '../agents/agent-view.ts';
import { TASKS } from '../jobs/job-resources.ts';
import { workRequestOf } from '../jobs/stored-request.ts';
import { compileAllButBody } from '../plugins/validation.ts';
import { agent, agentList, agentParams } from '../schemas/agents.ts';
import { errorResponses, successEnvelope } from '../schemas/envelope.ts';
import { idempotencyHeaders } from '../schemas/jobs.ts';
import { taskBody, taskRecord, taskSummary } from '../schemas/tasks.ts';
import { summarizeTask, taskRecordJson } from '../tasks/present-task.ts';
import {
  PLANNER,
  planOf,
  relativesOfTask,
  taskFactsOf,
  taskRequestJson,
} from '../tasks/stored-task.ts';
import { planWork, taskWork } from '../tasks/task-work.ts';
import { jobRecordRoutes } from './job-records.ts';
import type { RouteContext, ServiceApp } from './route-context.ts';
import { MAX_WORK_BODY_BYTES, WorkSubmissions } from './work-submission.ts';

/** Registers the routes below `/agents`, and the records of tasks. */
export function agentRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { agents, jobs, cpuModel } = deps;
  const recordJson = (job: Job) => taskRecordJson(job, jobs);
  const submissions = new WorkSubmissions({ deps, envelopes }, TASKS, recordJson);

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
      bodyLimit: MAX_WORK_BODY_BYTES,
      config: { scope: 'agents', readsLargeBodies: true },
      // Which input it takes depends on the task, so the handler checks it.
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
      return submissions.answer(request, reply, {
        path: `/agents/${id}/execute`,
        read: (intake, sized, hashPath) => intake.readTask(sized, id, hashPath),
        work: (read) => taskWork(deps, id, read),
      });
    },
  );

  jobRecordRoutes(app, { deps, envelopes }, TASKS, {
    summary: taskSummary,
    record: taskRecord,
    summarize: summarizeTask,
    recordJson,
    requestJson: taskRequestJson,
    relativesOf: relativesOfTask,
    submissionHeaders: idempotencyHeaders,
    retry: (request, reply, job) => {
      const { task, ...facts } = taskFactsOf(job.request);
      const work =
        job.target === PLANNER
          ? planWork(deps, planOf(job.request))
          : taskWork(deps, job.target, { task, request: workRequestOf(job.request, { task }) });
      return submissions.retry(request, reply, job, facts, work);
    },
  });
}
