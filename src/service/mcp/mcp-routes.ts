/** `/mcp`: the Model Context Protocol over HTTP (Streamable HTTP), without sessions. */
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions } from 'fastify';
import { QcsClient } from '../../client/client.ts';
import { DRAWING_READING } from '../circuits/read-circuit.ts';
import { targetsOf } from '../circuits/targets.ts';
import { callerOf } from '../http/authentication.ts';
import { readingCaller } from '../http/connections.ts';
import { MCP_PATH } from '../http/not-found.ts';
import { readInProcess } from '../http/reading/reading.ts';
import type { ServiceDeps } from '../service-deps.ts';
import type { ToolHost } from './mcp-tools.ts';

/** Registers the path. Tools ask this application, with the caller's key, so that each has its scope, limits and answers. */
export function mcpRoutes(
  app: FastifyInstance,
  { readers, fleet }: Pick<ServiceDeps, 'readers' | 'fleet'>,
): void {
  const hostOf = (request: FastifyRequest, reply: FastifyReply): ToolHost => ({
    client: new QcsClient({
      baseUrl: 'http://localhost',
      key: callerOf(request).keyText,
      fetch: (url, init) => injected(app, String(url), init ?? {}, request.ip),
      // A model is told at once that it has to wait.
      retry: { maxRetries: 0 },
    }),
    draw: (fields) => {
      const context = { targets: targetsOf(fleet) };
      const caller = readingCaller(request, reply);
      return readInProcess(readers, DRAWING_READING, { value: fields }, context, caller);
    },
  });
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: MCP_PATH,
    config: { scope: 'read' },
    schema: { hide: true },
    handler: async (request, reply) => {
      // Nobody else waits for the protocol's code to be loaded.
      const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
        import('@modelcontextprotocol/server'),
        import('./mcp-server.ts'),
      ]);
      const handler = createMcpHandler(() => createMcpServer(hostOf(request, reply)));
      const response = await handler.fetch(
        new Request(`http://localhost${request.url}`, {
          method: request.method,
          headers: headersOf(request),
          ...(request.method === 'POST' && { body: '' }),
        }),
        { parsedBody: request.body },
      );
      reply.code(response.status);
      reply.headers(Object.fromEntries(response.headers));
      // The cast is safe: Node's streams are those of the web.
      return reply.send(response.body && Readable.fromWeb(response.body as ReadableStream));
    },
  });
}

function headersOf({ headers }: FastifyRequest): Headers {
  const known = Object.entries(headers).filter(([name]) => name !== 'content-length');
  return new Headers(known.map(([name, value]): [string, string] => [name, String(value)]));
}

/** A request to the application itself. */
async function injected(
  app: FastifyInstance,
  url: string,
  { method = 'GET', headers, body, signal }: RequestInit,
  remoteAddress: string,
): Promise<Response> {
  const { pathname, search } = new URL(url);
  const answer = await app.inject({
    // The cast is safe: the client uses no other methods.
    method: method as NonNullable<InjectOptions['method']>,
    url: pathname + search,
    headers: Object.fromEntries(new Headers(headers)),
    ...(typeof body === 'string' && { payload: body }),
    ...(signal && { signal }),
    remoteAddress,
  });
  const { statusCode: status } = answer;
  const content = status === 204 ? null : answer.rawPayload;
  const kept = Object.entries(answer.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return new Response(content, { status, headers: kept });
}
