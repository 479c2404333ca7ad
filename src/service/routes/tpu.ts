/** The TPU fleet: how it stands, and its jobs. */
import type { Job } from '../../jobs/job.ts';
import type { JsonObject } from '../../workloads/procedures/json.ts';
import { TPU_JOBS } from '../jobs/job-resources.ts';
import { workRequestJson, workRequestOf } from '../jobs/stored-request.ts';
import { compileAllButBody } from '../plugins/validation.ts';
import { errorResponses, successEnvelope } from '../schemas/envelope.ts';
import { idempotencyHeaders } from '../schemas/jobs.ts';
import { tpuFleet, tpuJobBody, tpuJobRecord, tpuJobSummary } from '../schemas/tpu.ts';
import { encodeTpuJob, type TpuJobFacts, tpuJobFactsOf } from '../tpu/stored-tpu-job.ts';
import { summarizeTpuJob, tpuJobRecordJson, viewTpuFleet } from '../tpu/tpu-view.ts';
import { jobRecordRoutes } from './job-records.ts';
import type { RouteContext, ServiceApp } from './route-context.ts';
import { MAX_WORK_BODY_BYTES, type SubmittedWork, WorkSubmissions } from './work-submission.ts';

/** What a TPU job does, and where. */
type TpuWork = Pick<TpuJobFacts, 'job_type' | 'tpu_type' | 'chips'> & {
  readonly zone: string;
  readonly request: JsonObject;
};

/** Registers the routes below `/tpu`. */
export function tpuRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { tpu, jobs, cpuModel } = deps;
  const recordJson = (job: Job) => tpuJobRecordJson(job, jobs, tpu.fleet);
  const submissions = new WorkSubmissions({ deps, envelopes }, TPU_JOBS, recordJson);

  const tpuWork = ({ zone, request, ...slice }: TpuWork): SubmittedWork => ({
    target: zone,
    encode: (facts) => encodeTpuJob({ ...slice, ...facts }, request),
    admit: (id) => {
      tpu.work.admit();
      tpu.fleet.admit(id);
      return { [Symbol.dispose]: () => tpu.fleet.withdraw(id) };
    },
  });

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
      bodyLimit: MAX_WORK_BODY_BYTES,
      config: { scope: 'tpu', readsLargeBodies: true },
      // Which input it takes depends on the job type, so the handler checks it.
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
    async (request, reply) =>
      submissions.answer(request, reply, {
        path: '/tpu/jobs',
        read: (intake, sized, hashPath) => intake.readTpuJob(sized, hashPath),
        work: ({ jobType, slice: { zone, tpuType, chips }, request: sent }) =>
          tpuWork({ job_type: jobType, zone, tpu_type: tpuType, chips, request: sent }),
      }),
  );

  jobRecordRoutes(app, { deps, envelopes }, TPU_JOBS, {
    summary: tpuJobSummary,
    record: tpuJobRecord,
    summarize: (job, live) => summarizeTpuJob(job, live, tpu.fleet),
    recordJson,
    requestJson: ({ request }) => workRequestJson(request),
    submissionHeaders: idempotencyHeaders,
    retry: (request, reply, job) => {
      const { job_type, tpu_type, chips, ...facts } = tpuJobFactsOf(job.request);
      const slice = { job_type, tpu_type, zone: job.target, chips };
      const work = tpuWork({ ...slice, request: workRequestOf(job.request, slice) });
      return submissions.retry(request, reply, job, facts, work);
    },
  });
}
