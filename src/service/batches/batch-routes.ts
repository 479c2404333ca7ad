/** Routes of batches. */

import { submissionHeaders } from '../circuits/circuit-schema.ts';
import { errorResponses, successEnvelope } from '../http/envelope.ts';
import type { RouteContext, ServiceApp } from '../http/route-context.ts';
import { compileAllButBody } from '../http/validation.ts';
import { jobRecordRoutes } from '../jobs/record-routes.ts';
import { JobSubmissions } from '../jobs/submit-job.ts';
import { batchBody, batchRecord } from './batch-schema.ts';

/** Registers the routes below `/quantum/batches`. */
export function batchRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { batch: batches } = deps.kinds;
  const submissions = new JobSubmissions(deps, envelopes, batches);

  app.post(
    '/quantum/batches',
    {
      config: { scope: 'circuits', readsLargeBodies: true },
      // The handler validates the body: form and meaning together, in a process if it is large.
      validatorCompiler: compileAllButBody,
      schema: {
        operationId: 'submitBatch',
        tags: ['batches'],
        summary: 'Submit many programs, or sweeps of their inputs, and wait for the results',
        description:
          'Each program is a circuit with inputs. Inputs that are arrays make a sweep, whose points are compiled once and run together. The answer comes when all points have run, unless the header Prefer asks otherwise. Results are in the order program, point, observable, input.',
        body: batchBody,
        headers: submissionHeaders,
        response: { 201: successEnvelope(batchRecord), ...errorResponses(400, 404, 503) },
      },
    },
    async (request, reply) => submissions.submit(request, reply, batches.body),
  );

  jobRecordRoutes(app, { deps, envelopes }, batches, submissions);
}
