/** Event streams of jobs of every kind, as Server-Sent Events. */
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { isDone, parsePosition } from '../../jobs/job-events.ts';
import { callerOf } from '../http/authentication.ts';
import { errorResponses } from '../http/envelope.ts';
import type { RouteContext, ServiceApp } from '../http/route-context.ts';
import { eventHeaders, eventStream, JobEventStream, type OpenStreams } from './job-event-stream.ts';
import { JOB_RESOURCES, type JobResource, locationOf } from './job-resources.ts';
import { jobParams } from './job-schema.ts';
import { ownJob } from './own-job.ts';

const DESCRIPTION = `Server-Sent Events: \`status\` for every status, \`progress\` while it runs, and a last \`done\`, after which the stream ends. A reader that lost its connection comes back with the id of the last event it saw in Last-Event-ID and is told all that came after it; with that of \`done\` it is answered 204. docs/jobs.md has the fields of each event.`;

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
