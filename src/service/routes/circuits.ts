/** Circuits: submit, list, look at, cancel, run again. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parsePrefer } from '../circuits/prefer.ts';
import { circuitRecordJson, summarizeCircuit } from '../circuits/present-circuit.ts';
import { CircuitSubmitter, type Submission } from '../circuits/submit-circuit.ts';
import { retryHash } from '../jobs/canonical-hash.ts';
import { idempotencyOf } from '../jobs/idempotent-starts.ts';
import { CIRCUITS, locationOf } from '../jobs/job-resources.ts';
import { storedBodyJson } from '../jobs/stored-request.ts';
import { callerOf } from '../plugins/authentication.ts';
import { callerSignal, readingCaller } from '../plugins/caller-signal.ts';
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
import { headerOf } from './work-submission.ts';

/** Registers the routes below `/quantum/circuits`. */
export function circuitRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { intake } = deps;
  const submitter = new CircuitSubmitter(deps);

  const submit = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { read, retryOf }: Pick<Submission, 'read' | 'retryOf'>,
  ): Promise<FastifyReply> => {
    const preference = parsePrefer(headerOf(request, 'prefer'));
    const idempotency = idempotencyOf(headerOf(request, 'idempotency-key'), read.bodyHash);
    const answer = await submitter.submit({
      key: callerOf(request).key,
      read,
      preference,
      ...(idempotency && { idempotency }),
      ...(retryOf !== undefined && { retryOf }),
    });
    reply.code(201).header('location', locationOf(CIRCUITS, answer.circuitId));
    if (answer.isReplay) reply.header('idempotent-replayed', 'true');
    if (preference.applied !== undefined) reply.header('preference-applied', preference.applied);
    return envelopes.sendText(request, reply, answer.record);
  };

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
          'The answer comes when the circuit has run, unless the header Prefer asks otherwise. An error with a Location header belongs to a job that was created and failed.',
        body: circuitBody,
        headers: submissionHeaders,
        response: { 201: successEnvelope(circuitRecord), ...errorResponses(400, 404, 503) },
      },
    },
    async (request, reply) => {
      const needsHash = request.headers['idempotency-key'] !== undefined;
      const source = sourceOf(request.body);
      const read = await intake.read(source, readingCaller(request, reply), needsHash);
      return submit(request, reply, { read });
    },
  );

  jobRecordRoutes(app, { deps, envelopes }, CIRCUITS, {
    summary: circuitSummary,
    record: circuitRecord,
    summarize: summarizeCircuit,
    recordJson: circuitRecordJson,
    requestJson: ({ request }) => storedBodyJson(request),
    submissionHeaders,
    retry: async (request, reply, job) => {
      const again = await intake.readAgain(job, callerSignal(reply));
      const read = { ...again, bodyHash: retryHash(CIRCUITS, job.id) };
      return submit(request, reply, { read, retryOf: job.id });
    },
  });
}
