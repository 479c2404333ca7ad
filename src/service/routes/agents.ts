/** Agents: what there is, and executing their tasks. */
import { findAgent, viewAgent } from '../agents/agent-view.ts';
import { idempotencyOf } from '../jobs/idempotent-starts.ts';
import { locationOf, TASKS } from '../jobs/job-resources.ts';
import { WorkSubmitter } from '../jobs/submit-work.ts';
import { WorkIntake } from '../jobs/work-intake.ts';
import { callerOf } from '../plugins/authentication.ts';
import { sourceOf } from '../plugins/json-body.ts';
import { compileValidator } from '../plugins/validation.ts';
import { agent, agentList, agentParams } from '../schemas/agents.ts';
import { errorResponses, successEnvelope } from '../schemas/envelope.ts';
import { idempotencyHeaders } from '../schemas/jobs.ts';
import { taskBody, taskRecord, taskSummary } from '../schemas/tasks.ts';
import { summarizeTask, taskRecordJson } from '../tasks/present-task.ts';
import { encodeTask } from '../tasks/stored-task.ts';
import { jobRecordRoutes } from './job-records.ts';
import type { RouteContext, ServiceApp } from './route-context.ts';

/** Room for circuits and matrices as large as any task takes. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** Registers the routes below `/agents`, and the records of tasks. */
export function agentRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { agents, jobs, pool, cpuModel, drawSeed } = deps;
  const intake = new WorkIntake(deps);
  const submitter = new WorkSubmitter(deps, 'task', 'tasks');

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
      bodyLimit: MAX_BODY_BYTES,
      config: { scope: 'agents', readsLargeBodies: true },
      // Which input it takes depends on the task, so the handler checks it.
      validatorCompiler: (route) =>
        route.httpPart === 'body' ? (data: unknown) => ({ value: data }) : compileValidator(route),
      schema: {
        operationId: 'executeTask',
        tags: ['agents'],
        summary: 'Submit a task to an agent',
        description:
          'Answers at once; the work runs as a job. Which tasks there are, what they take and an example of each is in the `capabilities` of the agent.',
        params: agentParams,
        body: taskBody,
        headers: idempotencyHeaders,
        response: { 201: successEnvelope(taskRecord), ...errorResponses(400, 404, 503) },
      },
    },
    async (request, reply) => {
      const served = findAgent(agents, request.params.agent_id);
      const { key } = callerOf(request);
      const { id } = served.owner;
      const idempotencyKey = request.headers['idempotency-key'];
      const hashPath = idempotencyKey && `/agents/${id}/execute`;
      const { read, bodyHash } = await intake.readTask(sourceOf(request.body), id, hashPath);
      const { task, input, processor } = read;
      const seed = drawSeed();
      const answer = await submitter.submit(
        {
          key,
          idempotency: idempotencyOf(idempotencyKey, bodyHash),
          priority: read.priority,
          target: id,
          request: () =>
            encodeTask(
              { task, seed, tier: key.tier, ...(processor !== undefined && { processor }) },
              input,
            ),
          admit: () => {
            served.admit();
            pool.admit();
            return undefined;
          },
        },
        async (job) => (await taskRecordJson(job, jobs)).json,
      );
      reply.code(201).header('location', locationOf(TASKS, answer.job.id));
      if (answer.isReplay) reply.header('idempotent-replayed', 'true');
      return envelopes.sendText(request, reply, answer);
    },
  );

  jobRecordRoutes(app, { deps, envelopes }, TASKS, {
    summary: taskSummary,
    record: taskRecord,
    summarize: summarizeTask,
    recordJson: (job) => taskRecordJson(job, jobs),
  });
}
