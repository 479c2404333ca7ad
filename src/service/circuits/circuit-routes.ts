/** Routes of circuits. */

import { errorResponses, successEnvelope } from '../http/envelope.ts';
import type { RouteContext, ServiceApp } from '../http/route-context.ts';
import { compileAllButBody } from '../http/validation.ts';
import { JobSubmissions } from '../jobs/job-submission.ts';
import { jobRecordRoutes } from '../jobs/record-routes.ts';
import { circuitBody, circuitRecord, submissionHeaders } from './circuit-schema.ts';

/** Registers the routes below `/quantum/circuits`. */
export function circuitRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { circuit: circuits } = deps.kinds;
  const submissions = new JobSubmissions(deps, envelopes, circuits);

  app.post(
    '/quantum/circuits',
    {
      config: { scope: 'circuits', readsLargeBodies: true },
      // The handler validates the body: form and meaning together, in a process if it is large.
      validatorCompiler: compileAllButBody,
      schema: {
        operationId: 'submitCircuit',
        tags: ['circuits'],
        summary: 'Submit a circuit and wait for its counts',
        description:
          'The answer comes when the circuit has run, unless the header Prefer asks otherwise. An error with a Location header belongs to a job that was created and failed.',
        body: circuitBody,
        headers: submissionHeaders,
        response: { 201: successEnvelope(circuitRecord), ...errorResponses(400, 404, 503) },
      },
    },
    async (request, reply) => submissions.submit(request, reply, circuits.body),
  );

  jobRecordRoutes(app, { deps, envelopes }, circuits, submissions);
}
