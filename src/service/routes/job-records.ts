/** The records of jobs, for every kind alike: the caller's own, one of them, and cancelling it. */
import type { z } from 'zod';
import { JobNotFoundError } from '../../jobs/errors.ts';
import type { Job } from '../../jobs/job.ts';
import { isJobId } from '../../jobs/job-id.ts';
import type { JsonText } from '../envelope.ts';
import type { JobResource } from '../jobs/job-resources.ts';
import type { LiveFacts } from '../jobs/job-view.ts';
import { callerOf } from '../plugins/authentication.ts';
import { errorResponses, successEnvelope } from '../schemas/envelope.ts';
import { jobPage, jobParams, jobQuery } from '../schemas/jobs.ts';
import type { RouteContext, ServiceApp } from './route-context.ts';

const DEFAULT_LIMIT = 20;

/** How jobs of one kind are shown. */
export interface JobPresentation {
  readonly summary: z.ZodType;
  readonly record: z.ZodType;
  /** Without the result; of the request no more is there than a brief listing gives. */
  readonly summarize: (job: Job, live: LiveFacts) => object;
  readonly recordJson: (job: Job, live: LiveFacts) => JsonText | Promise<JsonText>;
}

/** Registers the listing, the record, and cancelling. */
export function jobRecordRoutes(
  app: ServiceApp,
  { deps, envelopes }: RouteContext,
  resource: JobResource,
  { summary, record, summarize, recordJson }: JobPresentation,
): void {
  const { jobs } = deps;
  const { kind, path, idName, listName, scope, operation, tag, noun, plural } = resource;

  /** The caller's own job; another key's does not exist for it. */
  const ownJob = async (id: string, keyId: string): Promise<Job> => {
    const job = isJobId(id, kind) ? await jobs.get(id) : undefined;
    if (job === undefined || job.keyId !== keyId) throw new JobNotFoundError(id.slice(0, 100));
    return job;
  };

  app.get(
    path,
    {
      config: { scope },
      schema: {
        operationId: `list${operation}s`,
        tags: [tag],
        summary: `List the caller's ${plural}, newest first`,
        description: `Results are left out; they are in the record of each ${noun}.`,
        querystring: jobQuery(resource),
        response: { 200: successEnvelope(jobPage(resource, summary)), ...errorResponses(400) },
      },
    },
    async (request, reply) => {
      const { limit: asked, cursor } = request.query;
      const limit = asked === undefined ? DEFAULT_LIMIT : Number(asked);
      const found = await jobs.list({
        kind,
        keyId: callerOf(request).key.id,
        ...(cursor === undefined ? {} : { before: cursor }),
        isBrief: true,
        // One more than asked for tells whether there is another page.
        limit: limit + 1,
      });
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      return envelopes.send(request, reply, {
        [listName]: page.map((job) => summarize(job, jobs)),
        next_cursor: last?.id ?? null,
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
        response: { 200: successEnvelope(record), ...errorResponses(404) },
      },
    },
    async (request, reply) => {
      const job = await ownJob(request.params[idName] ?? '', callerOf(request).key.id);
      return envelopes.sendText(request, reply, await recordJson(job, jobs));
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
        description: `A ${noun} that is already final is answered unchanged. Takes no body.`,
        params: jobParams(resource),
        response: { 200: successEnvelope(record), ...errorResponses(400, 404) },
      },
    },
    async (request, reply) => {
      const { id } = await ownJob(request.params[idName] ?? '', callerOf(request).key.id);
      const job = await jobs.cancel(id);
      return envelopes.sendText(request, reply, await recordJson(job, jobs));
    },
  );
}
