/**
 * Routes of jobs of every kind: submit, list, show, cancel, run again and delete the caller's own jobs, and follow
 * their events. Jobs of other keys answer 404.
 */
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { JobDamagedError, JobNotFoundError, JobNotRetriableError } from '../../jobs/errors.ts';
import { isFinal, isJobId, type Job, type JobId, type JobKind } from '../../jobs/job.ts';
import { isDone, parsePosition } from '../../jobs/job-events.ts';
import { callerOf } from '../http/authentication.ts';
import { errorResponses, type JsonText, successEnvelope } from '../http/envelope.ts';
import { JobNotFinishedError } from '../http/errors.ts';
import type { RouteContext, ServiceApp } from '../http/route-context.ts';
import { compileAllButBody } from '../http/validation.ts';
import { eventHeaders, eventStream, JobEventStream, type OpenStreams } from './job-event-stream.ts';
import type { JobBody, JobRelatives, JobSubmission, ServedJobKind } from './job-kind.ts';
import { JOB_RESOURCES, type JobResource, locationOf } from './job-resources.ts';
import {
  cursorPlace,
  cursorText,
  DEFAULT_LIMIT,
  jobPage,
  jobParams,
  jobQuery,
  listRepeated,
  MAX_SEARCHED,
  queryTimeMs,
  recordQuery,
  wordsOf,
} from './job-schema.ts';
import { recordJson, withRequest } from './job-view.ts';
import type { JobSubmissions } from './submit-job.ts';

/** Definition of a route that submits jobs. */
interface SubmissionRoute<Submission extends JobSubmission, Context, Params extends z.ZodType> {
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly params?: Params;
  /** Schema of the body, for readers of the API document: the handler validates form and meaning together. */
  readonly schema: z.ZodType;
  /** Greatest size of a body, bytes; that of the service unless given. */
  readonly bodyLimit?: number;
  /** The body by the parameters of the path. */
  readonly body: (params: z.output<Params>) => JobBody<Submission, Context>;
}

/** Registers a route whose body, large or small, submits a job. */
export function submissionRoute<
  Submission extends JobSubmission,
  Context,
  Params extends z.ZodType = z.ZodNever,
>(
  app: ServiceApp,
  { resource, record, headers }: ServedJobKind['definition'],
  submissions: JobSubmissions<Submission>,
  {
    path,
    operationId,
    tag,
    summary,
    description,
    params,
    schema,
    bodyLimit,
    body,
  }: SubmissionRoute<Submission, Context, Params>,
): void {
  app.post(
    path,
    {
      ...(bodyLimit !== undefined && { bodyLimit }),
      config: { scope: resource.scope, readsLargeBodies: true },
      validatorCompiler: compileAllButBody,
      schema: {
        operationId,
        tags: [tag],
        summary,
        description,
        ...(params && { params }),
        body: schema,
        headers,
        response: { 201: successEnvelope(record), ...errorResponses(400, 404, 503) },
      },
    },
    async (request, reply) =>
      // The cast is safe: the schema has validated the parameters.
      submissions.submit(request, reply, body(request.params as z.output<Params>)),
  );
}

/** Registers the routes that list, show, cancel, run again and delete jobs. */
export function jobRecordRoutes<Submission extends JobSubmission>(
  app: ServiceApp,
  { deps, envelopes }: RouteContext,
  jobKind: ServedJobKind<Submission>,
  submissions: JobSubmissions<Submission>,
): void {
  const { resource, summary, record, headers } = jobKind.definition;
  const { jobs } = deps;
  const { kind, path, idName, listName, scope, operation, operations, tag, noun, plural } =
    resource;

  const ownJobOf = (id: string, keyId: string): Promise<Job> =>
    ownJob(
      { id, kind, keyId },
      (each) => jobs.get(each),
      (job) => job.keyId,
    );
  /** Entry of a job in a listing. An unreadable job is left out, and the others remain. */
  const summaryOf = (job: Job): readonly object[] => {
    try {
      return [jobKind.summarize(job)];
    } catch (error) {
      if (!(error instanceof JobDamagedError)) throw error;
      deps.onDamaged({ table: 'jobs', id: job.id, what: error.what });
      return [];
    }
  };

  /**
   * Adds the request to a record. If the stored request is damaged, the record is answered without it,
   * because the result matters more.
   */
  const withRequestOf = (job: Job, record: JsonText, isAskedFor: boolean): JsonText => {
    try {
      return withRequest(record, job, jobKind.requestJson(job), isAskedFor);
    } catch (error) {
      if (!(error instanceof JobDamagedError)) throw error;
      deps.onDamaged({ table: 'jobs', id: job.id, what: error.what });
      return record;
    }
  };

  const checkEnded = ({ id, status }: Job, part?: JobId): void => {
    if (!isFinal(status)) throw new JobNotFinishedError(id, status, locationOf(resource, id), part);
  };
  const relatives = (job: Job): JobRelatives => {
    try {
      return jobKind.relativesOf?.(job) ?? { parts: [] };
    } catch (error) {
      if (error instanceof JobDamagedError) return { parts: [] };
      throw error;
    }
  };
  const ownJobOrNone = async (id: JobId, keyId: string): Promise<Job | undefined> => {
    try {
      return await ownJobOf(id, keyId);
    } catch (error) {
      if (error instanceof JobNotFoundError || error instanceof JobDamagedError) return undefined;
      throw error;
    }
  };

  app.get(
    path,
    {
      config: { scope },
      preValidation: async (request) => listRepeated(request.query),
      schema: {
        operationId: `list${operations}`,
        tags: [tag],
        summary: `List the caller's ${plural}, newest first`,
        description: `Lists the jobs that pass all filters, without results and requests; the record of each ${noun} has those. Damaged records are left out.`,
        querystring: jobQuery(resource),
        response: { 200: successEnvelope(jobPage(resource, summary)), ...errorResponses(400) },
      },
    },
    async (request, reply) => {
      const { limit: asked, cursor, status, name, tag, search } = request.query;
      const { created_after: from, created_before: before } = request.query;
      const limit = asked === undefined ? DEFAULT_LIMIT : Number(asked);
      const found = await jobs.list({
        kind,
        keyId: callerOf(request).key.id,
        ...(status !== undefined && { statuses: status }),
        ...(name !== undefined && { name }),
        ...(tag !== undefined && { tags: tag }),
        ...(search !== undefined && { words: wordsOf(search), maxRead: MAX_SEARCHED }),
        ...(from !== undefined && { createdFrom: queryTimeMs(from) }),
        ...(before !== undefined && { createdBefore: queryTimeMs(before) }),
        ...(cursor !== undefined && { before: cursorPlace(cursor) }),
        isBrief: true,
        // One job more than requested shows whether there is another page.
        limit: limit + 1,
      });
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : found.readTo;
      return envelopes.send(request, reply, {
        [listName]: page.flatMap(summaryOf),
        next_cursor: last === undefined ? null : cursorText(last),
      });
    },
  );

  app.get(
    `${path}/:${idName}`,
    {
      config: { scope },
      schema: {
        operationId: `get${operation}`,
        tags: [tag],
        summary: `The record of one ${noun}`,
        params: jobParams(resource),
        querystring: recordQuery,
        response: { 200: successEnvelope(record), ...errorResponses(400, 404) },
      },
    },
    async (request, reply) => {
      const job = await ownJobOf(request.params[idName] ?? '', callerOf(request).key.id);
      const isAskedFor = request.query.include === 'request';
      const shown = await recordJson(jobKind, job);
      return envelopes.sendText(request, reply, withRequestOf(job, shown, isAskedFor));
    },
  );

  app.post(
    `${path}/:${idName}/cancel`,
    {
      config: { scope },
      schema: {
        operationId: `cancel${operation}`,
        tags: [tag],
        summary: `Cancel a queued or running ${noun}`,
        description: `If the ${noun} has already ended, its record is answered unchanged. Takes no body.`,
        params: jobParams(resource),
        response: { 200: successEnvelope(record), ...errorResponses(400, 404) },
      },
    },
    async (request, reply) => {
      const { id } = await ownJobOf(request.params[idName] ?? '', callerOf(request).key.id);
      const job = await jobs.cancel(id);
      return envelopes.sendText(request, reply, await recordJson(jobKind, job));
    },
  );

  app.post(
    `${path}/:${idName}/retry`,
    {
      config: { scope },
      schema: {
        operationId: `retry${operation}`,
        tags: [tag],
        summary: `Run a failed or cancelled ${noun} again`,
        description: `Submits a new ${noun} with the same request and seed; the answer is that of a submission. The new record names the old one in \`retry_of\`. Takes no body.`,
        params: jobParams(resource),
        headers,
        response: { 201: successEnvelope(record), ...errorResponses(400, 404, 503) },
      },
    },
    async (request, answer) => {
      const reply: FastifyReply = answer;
      const job = await ownJobOf(request.params[idName] ?? '', callerOf(request).key.id);
      if (job.status !== 'failed' && job.status !== 'cancelled') {
        throw new JobNotRetriableError(job.id, job.status);
      }
      return submissions.submitAgain(request, reply, job);
    },
  );

  app.delete(
    `${path}/:${idName}`,
    {
      config: { scope },
      schema: {
        operationId: `delete${operation}`,
        tags: [tag],
        summary: `Delete a ${noun} that has ended, and its result`,
        description: `Cancel a waiting or running one first. A later request with its Idempotency-Key runs nothing and answers 404.`,
        params: jobParams(resource),
        response: { 204: z.undefined().describe('Deleted'), ...errorResponses(400, 404) },
      },
    },
    async (request, answer) => {
      const reply: FastifyReply = answer;
      const { key } = callerOf(request);
      const job = await ownJobOf(request.params[idName] ?? '', key.id);
      checkEnded(job);
      const { parent, parts } = relatives(job);
      const whole = parent === undefined ? undefined : await ownJobOrNone(parent, key.id);
      if (whole !== undefined) checkEnded(whole, job.id);
      for (const part of parts) {
        if ((await ownJobOrNone(part, key.id)) === undefined) continue;
        // The tasks of a plan that was just cancelled are about to be cancelled.
        await jobs.cancel(part);
        await jobs.remove(part);
      }
      await jobs.remove(job.id);
      return reply.code(204).send();
    },
  );
}

/**
 * Result of `look` for a job of the key.
 *
 * @param keyIdOf - Owner of the found value.
 * @throws {JobNotFoundError} if the key has no such job of that kind.
 * @throws {JobDamagedError} if the job cannot be read.
 */
export async function ownJob<Found>(
  { id, kind, keyId }: { readonly id: string; readonly kind: JobKind; readonly keyId: string },
  look: (id: JobId) => Promise<Found | undefined>,
  keyIdOf: (found: Found) => string,
): Promise<Found> {
  const notFound = new JobNotFoundError(id.slice(0, 100));
  if (!isJobId(id, kind)) throw notFound;
  const found = await look(id).catch((error: unknown) => {
    throw error instanceof JobDamagedError && error.keyId !== keyId ? notFound : error;
  });
  if (found === undefined || keyIdOf(found) !== keyId) throw notFound;
  return found;
}

const DESCRIPTION = `Server-Sent Events: \`status\` for every status, \`progress\` while it runs, and a last \`done\`, after which the stream ends. A reader that lost its connection comes back with the id of the last event it saw in Last-Event-ID and gets all that came after it; with that of \`done\` it is answered 204. docs/jobs.md has the fields of each event.`;

/** Registers `/events` below the records of every kind of job. */
export function jobEventRoutes(app: ServiceApp, context: RouteContext, streams: OpenStreams): void {
  app.addHook('preClose', async () => streams.close());
  for (const resource of JOB_RESOURCES) registerKind(app, context, resource, streams);
}

function registerKind(
  app: ServiceApp,
  { deps }: RouteContext,
  resource: JobResource,
  streams: OpenStreams,
): void {
  const { jobs } = deps;
  const { kind, path, idName, scope, operation, tag, noun } = resource;
  app.get(
    `${path}/:${idName}/events`,
    {
      config: { scope },
      // The answer to HEAD would be a stream that nobody reads.
      exposeHeadRoute: false,
      schema: {
        operationId: `watch${operation}`,
        tags: [tag],
        summary: `Watch a ${noun}`,
        description: DESCRIPTION,
        params: jobParams(resource),
        headers: eventHeaders,
        response: {
          200: {
            description: 'The events',
            content: { 'text/event-stream': { schema: eventStream } },
          },
          204: z.undefined().describe('The client has received the event `done`; nothing follows'),
          ...errorResponses(404),
        },
      },
    },
    async (request, answer) => {
      const reply: FastifyReply = answer;
      const { key, keyText } = callerOf(request);
      const id = request.params[idName] ?? '';
      using unlessStreamed = new DisposableStack();
      const watch = await ownJob(
        { id, kind, keyId: key.id },
        async (each) => unlessStreamed.use(await jobs.watch(each)),
        ({ state }) => state.record.keyId,
      );
      const since = parsePosition(request.headers['last-event-id'] ?? '');
      if (isDone(since, watch.state.record)) return reply.code(204).send();
      streams.admit(key.id);
      const stream = new JobEventStream({
        watch,
        since,
        location: locationOf(resource, id),
        live: jobs,
        progressFields: (deps.kinds[kind] as ServedJobKind).followProgress?.(id),
      });
      streams.add({ keyId: key.id, keyText, scope }, stream, reply.raw);
      unlessStreamed.move();
      // Last answer of its connection, so that the connection ends with the stream, also when the service
      // stops.
      reply.headers({
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        connection: 'close',
      });
      return reply.type('text/event-stream').send(stream);
    },
  );
}
