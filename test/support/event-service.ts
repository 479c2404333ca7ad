/** A service on a port of its own that answers as a test says, and streams events over lines that break. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

/** A request that came. */
export interface Asked {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** Answers one request. */
export type Answer = (asked: Asked, response: ServerResponse) => unknown;

/** The running service. */
export interface EventService extends AsyncDisposable {
  readonly origin: string;
  /** All that came, in order. */
  readonly asked: readonly Asked[];
  /** From now on. */
  answer: Answer;
}

/** Starts one on a free port. */
export async function openEventService(answer: Answer): Promise<EventService> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    asked.push({ method, url, headers });
    service.answer({ method, url, headers }, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const service: EventService = {
    origin: `http://127.0.0.1:${port}`,
    asked,
    answer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
  return service;
}

/** Sends JSON, in the envelope of a success or of an error. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const envelope =
    status < 400
      ? { success: true, data: body, meta: {} }
      : { success: false, error: { status, message: String(body) }, meta: {} };
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(envelope));
}

/** An event as a service tells it. */
export interface ToldEvent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

/** Form in which a stream is sent. */
export interface Delivery {
  /** Ends of lines. */
  readonly end?: '\n' | '\r\n' | '\r';
  /** Bytes after which the line breaks; by default it does not. */
  readonly cutAfter?: number;
  /** Bytes of each chunk. */
  readonly chunkBytes?: number;
  /** Sent first. */
  readonly retryMs?: number;
}

/** Streams the events after the one that the request names, as far as the line holds. */
export function sendEvents(
  { headers }: Asked,
  response: ServerResponse,
  events: readonly ToldEvent[],
  { end = '\n', cutAfter, chunkBytes = 64, retryMs }: Delivery = {},
): void {
  const last = headers['last-event-id'];
  const from = events.findIndex(({ id }) => id === last) + 1;
  const lines = retryMs === undefined ? [] : [`retry: ${retryMs}`, ''];
  for (const { id, event, data } of events.slice(from)) {
    lines.push(': a comment', `id: ${id}`, `event: ${event}`, `data: ${JSON.stringify(data)}`, '');
  }
  const bytes = Buffer.from([...lines, ''].join(end));
  const sent = bytes.subarray(0, cutAfter ?? bytes.length);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  for (let at = 0; at < sent.length; at += chunkBytes)
    response.write(sent.subarray(at, at + chunkBytes));
  if (cutAfter === undefined) response.end();
  // Once they have left, the connection goes without a word.
  else response.write('', () => response.destroy());
}
