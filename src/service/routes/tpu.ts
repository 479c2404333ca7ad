/** The TPU fleet: how it stands, and its jobs. */
import { idempotencyOf } from '../jobs/idempotent-starts.ts';
import { locationOf, TPU_JOBS } from '../jobs/job-resources.ts';
import { WorkSubmitter } from '../jobs/submit-work.ts';
import { WorkIntake } from '../jobs/work-intake.ts';
import { callerOf } from '../plugins/authentication.ts';
import { sourceOf } from '../plugins/json-body.ts';
import { compileValidator } from '../plugins/validation.ts';
import { errorResponses, successEnvelope } from '../schemas/envelope.ts';
import { idempotencyHeaders } from '../schemas/jobs.ts';
import { tpuFleet, tpuJobBody, tpuJobRecord, tpuJobSummary } from '../schemas/tpu.ts';
import { encodeTpuJob } from '../tpu/stored-tpu-job.ts';
import { summarizeTpuJob, tpuJobRecordJson, viewTpuFleet } from '../tpu/tpu-view.ts';
import { jobRecordRoutes } from './job-records.ts';
import type { RouteContext, ServiceApp } from './route-context.ts';

/** Room for as many rows or circuits as any job takes. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** Registers the routes below `/tpu`. */
export function tpuRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { tpu, jobs, cpuModel, drawSeed } = deps;
  const intake = new WorkIntake(deps);
  const submitter = new WorkSubmitter(deps, 'tpu_job', 'TPU jobs');

  app.get(
    '/tpu/fleet',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getTpuFleet',
        tags: ['tpu'],
        summary: 'The modelled TPU fleet as it stands',
        response: { 200: successEnvelope(tpuFleet) },
      },
    },
    async (request, reply) => envelopes.send(request, reply, viewTpuFleet(tpu, cpuModel)),
  );

  app.post(
    '/tpu/jobs',
    {
      bodyLimit: MAX_BODY_BYTES,
      config: { scope: 'tpu', readsLargeBodies: true },
      // Which input it takes depends on the job type, so the handler checks it.
      validatorCompiler: (route) =>
        route.httpPart === 'body' ? (data: unknown) => ({ value: data }) : compileValidator(route),
      schema: {
        operationId: 'submitTpuJob',
        tags: ['tpu'],
        summary: 'Submit a TPU job',
        description:
          'Answers at once. The job waits for a slice of the modelled fleet, and its work then really runs on this node: the record has what ran it and how long that took, beside the modelled duration.',
        body: tpuJobBody,
        headers: idempotencyHeaders,
        response: { 201: successEnvelope(tpuJobRecord), ...errorResponses(400, 503) },
      },
    },
    async (request, reply) => {
      const { key } = callerOf(request);
      const idempotencyKey = request.headers['idempotency-key'];
      const hashPath = idempotencyKey && '/tpu/jobs';
      const { read, bodyHash } = await intake.readTpuJob(sourceOf(request.body), hashPath);
      const { jobType, slice, input, priority, processor } = read;
      const facts = {
        job_type: jobType,
        tpu_type: slice.tpuType,
        chips: slice.chips,
        seed: drawSeed(),
        tier: key.tier,
        ...(processor !== undefined && { processor }),
      };
      const answer = await submitter.submit(
        {
          key,
          idempotency: idempotencyOf(idempotencyKey, bodyHash),
          priority,
          target: slice.zone,
          request: () => encodeTpuJob(facts, input),
          admit: (id) => {
            tpu.work.admit();
            tpu.fleet.admit(id);
            return { [Symbol.dispose]: () => tpu.fleet.withdraw(id) };
          },
        },
        async (job) => tpuJobRecordJson(job, jobs, tpu.fleet).json,
      );
      reply.code(201).header('location', locationOf(TPU_JOBS, answer.job.id));
      if (answer.isReplay) reply.header('idempotent-replayed', 'true');
      return envelopes.sendText(request, reply, answer);
    },
  );

  jobRecordRoutes(app, { deps, envelopes }, TPU_JOBS, {
    summary: tpuJobSummary,
    record: tpuJobRecord,
    summarize: (job, live) => summarizeTpuJob(job, live, tpu.fleet),
    recordJson: (job, live) => tpuJobRecordJson(job, live, tpu.fleet),
  });
}
