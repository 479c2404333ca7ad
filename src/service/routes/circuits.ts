/** Circuits: submit, list, look at, cancel. */
import { parsePrefer } from '../circuits/prefer.ts';
import { circuitRecordJson, summarizeCircuit } from '../circuits/present-circuit.ts';
import { CircuitSubmitter } from '../circuits/submit-circuit.ts';
import { idempotencyOf } from '../jobs/idempotent-starts.ts';
import { CIRCUITS, locationOf } from '../jobs/job-resources.ts';
import { callerOf } from '../plugins/authentication.ts';
import { sourceOf } from '../plugins/json-body.ts';
import { compileAllButBody } from '../plugins/validation.ts';
import {
  circuitBody,
  circuitRecord,
  circuitSummary,
  submissionHeaders,
} from '../schemas/circuits.ts';
import { errorResponses, successEnvelope } from '../schemas/envelope.ts';
import { jobRecordRoutes } from './job-records.ts';
import type { RouteContext, ServiceApp } from './route-context.ts';

/** Registers the routes below `/quantum/circuits`. */
export function circuitRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { intake } = deps;
  const submitter = new CircuitSubmitter(deps);

  app.post(
    '/quantum/circuits',
    {
      config: { scope: 'circuits', readsLargeBodies: true },
      // The handler checks the body: form and meaning together, and elsewhere where it is large.
      validatorCompiler: compileAllButBody,
      schema: {
        operationId: 'submitCircuit',
        tags: ['circuits'],
        summary: 'Submit a circuit and wait for its counts',
        description:
          'Waits for the result unless the header Prefer says otherwise. An error with a Location header is that of a job which was created and failed.',
        body: circuitBody,
        headers: submissionHeaders,
        response: { 201: successEnvelope(circuitRecord), ...errorResponses(400, 503) },
      },
    },
    async (request, reply) => {
      const { headers } = request;
      const preference = parsePrefer(headers.prefer);
      const idempotencyKey = headers['idempotency-key'];
      const needsHash = idempotencyKey !== undefined;
      const read = await intake.read(sourceOf(request.body), needsHash);
      const idempotency = idempotencyOf(idempotencyKey, read.bodyHash);
      const answer = await submitter.submit({
        key: callerOf(request).key,
        read,
        preference,
        ...(idempotency && { idempotency }),
      });
      reply.code(201).header('location', locationOf(CIRCUITS, answer.circuitId));
      if (answer.isReplay) reply.header('idempotent-replayed', 'true');
      if (preference.applied !== undefined) reply.header('preference-applied', preference.applied);
      return envelopes.sendText(request, reply, answer.record);
    },
  );

  jobRecordRoutes(app, { deps, envelopes }, CIRCUITS, {
    summary: circuitSummary,
    record: circuitRecord,
    summarize: summarizeCircuit,
    recordJson: circuitRecordJson,
  });
}
