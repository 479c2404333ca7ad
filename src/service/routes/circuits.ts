/** Circuits: submit, list, look at, cancel. */

import { JobNotFoundError } from '../../jobs/errors.ts';
import type { Job } from '../../jobs/job.ts';
import { isJobId } from '../../jobs/job-id.ts';
import { parsePrefer } from '../circuits/prefer.ts';
import { circuitRecordJson, summarizeCircuit } from '../circuits/present-circuit.ts';
import { CircuitSubmitter, circuitLocation } from '../circuits/submit-circuit.ts';
import { callerOf } from '../plugins/authentication.ts';
import { sourceOf } from '../plugins/json-body.ts';
import { compileValidator } from '../plugins/validation.ts';
import {
  circuitBody,
  circuitPage,
  circuitParams,
  circuitQuery,
  circuitRecord,
  submissionHeaders,
} from '../schemas/circuits.ts';
import { errorResponses, successEnvelope } from '../schemas/envelope.ts';
import type { RouteContext, ServiceApp } from './route-context.ts';

const DEFAULT_LIMIT = 20;

/** Registers the routes below `/quantum/circuits`. */
export function circuitRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { jobs, intake } = deps;
  const submitter = new CircuitSubmitter(deps);

  /** The caller's own circuit; another key's does not exist for it. */
  const ownCircuit = async (id: string, keyId: string): Promise<Job> => {
    const job = isJobId(id, 'circuit') ? await jobs.get(id) : undefined;
    if (job === undefined || job.keyId !== keyId) throw new JobNotFoundError(id.slice(0, 100));
    return job;
  };

  app.post(
    '/quantum/circuits',
    {
      config: { scope: 'circuits', readsLargeBodies: true },
      // The handler checks the body: form and meaning together, and elsewhere where it is large.
      validatorCompiler: (route) =>
        route.httpPart === 'body' ? (data: unknown) => ({ value: data }) : compileValidator(route),
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
      const { bodyHash } = read;
      const answer = await submitter.submit({
        key: callerOf(request).key,
        read,
        preference,
        ...(idempotencyKey !== undefined && bodyHash !== undefined
          ? { idempotency: { key: idempotencyKey, bodyHash } }
          : {}),
      });
      reply.code(201).header('location', circuitLocation(answer.circuitId));
      if (answer.isReplay) reply.header('idempotent-replayed', 'true');
      if (preference.applied !== undefined) reply.header('preference-applied', preference.applied);
      return envelopes.sendText(request, reply, answer.record);
    },
  );

  app.get(
    '/quantum/circuits',
    {
      config: { scope: 'circuits' },
      schema: {
        operationId: 'listCircuits',
        tags: ['circuits'],
        summary: "List the caller's circuits, newest first",
        description: 'Results are left out; they are in the record of each circuit.',
        querystring: circuitQuery,
        response: { 200: successEnvelope(circuitPage), ...errorResponses(400) },
      },
    },
    async (request, reply) => {
      const { limit: asked, cursor } = request.query;
      const limit = asked === undefined ? DEFAULT_LIMIT : Number(asked);
      const found = await jobs.list({
        kind: 'circuit',
        keyId: callerOf(request).key.id,
        ...(cursor === undefined ? {} : { before: cursor }),
        isBrief: true,
        // One more than asked for tells whether there is another page.
        limit: limit + 1,
      });
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      return envelopes.send(request, reply, {
        circuits: page.map((job) => summarizeCircuit(job, jobs)),
        next_cursor: last?.id ?? null,
      });
    },
  );

  app.get(
    '/quantum/circuits/:circuit_id',
    {
      config: { scope: 'circuits' },
      schema: {
        operationId: 'getCircuit',
        tags: ['circuits'],
        summary: 'The record of one circuit',
        params: circuitParams,
        response: { 200: successEnvelope(circuitRecord), ...errorResponses(404) },
      },
    },
    async (request, reply) => {
      const job = await ownCircuit(request.params.circuit_id, callerOf(request).key.id);
      return envelopes.sendText(request, reply, circuitRecordJson(job, jobs));
    },
  );

  app.post(
    '/quantum/circuits/:circuit_id/cancel',
    {
      config: { scope: 'circuits' },
      schema: {
        operationId: 'cancelCircuit',
        tags: ['circuits'],
        summary: 'Cancel a queued or running circuit',
        description: 'A circuit that is already final is answered unchanged. Takes no body.',
        params: circuitParams,
        response: { 200: successEnvelope(circuitRecord), ...errorResponses(400, 404) },
      },
    },
    async (request, reply) => {
      const { id } = await ownCircuit(request.params.circuit_id, callerOf(request).key.id);
      const job = await jobs.cancel(id);
      return envelopes.sendText(request, reply, circuitRecordJson(job, jobs));
    },
  );
}
