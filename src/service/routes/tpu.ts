/** Routes of the TPU fleet and its jobs. */
import { MAX_PROCEDURE_BODY_BYTES } from '../jobs/procedure-jobs.ts';
import { compileAllButBody } from '../plugins/validation.ts';
import { errorResponses, successEnvelope } from '../schemas/envelope.ts';
import { idempotencyHeaders } from '../schemas/jobs.ts';
import { tpuFleet, tpuJobBody, tpuJobRecord } from '../schemas/tpu.ts';
import { viewTpuFleet } from '../tpu/tpu-view.ts';
import { jobRecordRoutes } from './job-records.ts';
import { JobSubmissions } from './job-submission.ts';
import type { RouteContext, ServiceApp } from './route-context.ts';

/** Registers the routes below `/tpu`. */
export function tpuRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { tpu, cpuModel } = deps;
  const { tpu_job: tpuJobs } = deps.kinds;
  const submissions = new JobSubmissions(deps, envelopes, tpuJobs);

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
      bodyLimit: MAX_PROCEDURE_BODY_BYTES,
      config: { scope: 'tpu', readsLargeBodies: true },
      // The schema of the input depends on the job type, so the handler validates it.
      validatorCompiler: compileAllButBody,
      schema: {
        operationId: 'submitTpuJob',
        tags: ['tpu'],
        summary: 'Submit a TPU job',
        description:
          'Answers at once. The job waits for a slice of the modelled fleet; then its work runs on this node. The record has what ran it, the measured duration, and the modelled one.',
        body: tpuJobBody,
        headers: idempotencyHeaders,
        response: { 201: successEnvelope(tpuJobRecord), ...errorResponses(400, 404, 503) },
      },
    },
    async (request, reply) => submissions.submit(request, reply, tpuJobs.body),
  );

  jobRecordRoutes(app, { deps, envelopes }, tpuJobs, submissions);
}
