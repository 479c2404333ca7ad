/** Route of estimates: what a circuit, a batch or an experiment would take, without submitting it. */
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { type JobId, newJobId } from '../../jobs/job.ts';
import { batchBody } from '../batches/batch-schema.ts';
import { circuitBody } from '../circuits/circuit-schema.ts';
import { type Estimate, estimate } from '../circuits/run-estimate.ts';
import { experimentBody } from '../experiments/experiment-schema.ts';
import { callerOf } from '../http/authentication.ts';
import { readingCaller } from '../http/connections.ts';
import { errorResponses, successEnvelope } from '../http/envelope.ts';
import { sourceOf } from '../http/json-body.ts';
import { readInProcess } from '../http/reading/reading.ts';
import type { RouteContext, ServiceApp } from '../http/route-context.ts';
import { compileAllButBody } from '../http/validation.ts';
import type { ComingJob, JobBody, JobSubmission } from '../jobs/job-kind.ts';
import { readBody } from '../jobs/submit-job.ts';
import { BODY_KIND_READING, kindOfBody } from './body-kind.ts';

/** A kind of job that can be estimated. */
interface EstimatingKind<Submission extends JobSubmission, Context> {
  readonly body: JobBody<Submission, Context>;
  estimate(submission: Submission, job: Pick<ComingJob, 'id' | 'key'>): Promise<Estimate>;
}

/** Registers `/quantum/estimate`. */
export function estimateRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { readers, kinds } = deps;
  app.post(
    '/quantum/estimate',
    {
      config: { scope: 'circuits', readsLargeBodies: true },
      // The body is validated as the one of its kind.
      validatorCompiler: compileAllButBody,
      schema: {
        operationId: 'estimateRun',
        tags: ['circuits'],
        summary: 'Estimate the time and memory of a run without submitting it',
        description:
          'Takes the body of a circuit, a batch or an experiment, and answers how its processor is expected to run it: method, time, memory, and when it would start. A body that its submission would refuse is refused alike. Nothing is stored, and nothing counts but the rate limit.',
        body: z.union([circuitBody, batchBody, experimentBody]),
        response: { 200: successEnvelope(estimate), ...errorResponses(400, 503) },
      },
    },
    async (request, answer) => {
      const reply: FastifyReply = answer;
      const source = sourceOf(request.body);
      const caller = readingCaller(request, reply);
      const { key } = callerOf(request);
      const name =
        'value' in source
          ? kindOfBody(source.value)
          : await readInProcess(readers, BODY_KIND_READING, source, {}, caller);
      const estimated = async <Submission extends JobSubmission, Context>(
        kind: EstimatingKind<Submission, Context>,
        id: JobId,
      ): Promise<FastifyReply> => {
        const submission = await readBody(readers, kind.body, source, caller);
        return envelopes.send(request, reply, await kind.estimate(submission, { id, key }));
      };
      switch (name) {
        case 'circuit':
          return estimated(kinds.circuit, newJobId(name));
        case 'batch':
          return estimated(kinds.batch, newJobId(name));
        case 'experiment':
          return estimated(kinds.experiment, newJobId(name));
      }
    },
  );
}
