/**
 * Envelope of every answer, as text.
 *
 * A job's result is stored as JSON text and may be megabytes long. The envelope includes it unchanged instead
 * of parsing and writing it again.
 */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorEnvelope, Meta, ProblemDetails } from './schemas/envelope.ts';

/** Headers of every answer: browsers do not guess its type and load nothing for it. Pages set more. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** Values for every `meta`. */
interface EnvelopeSettings {
  readonly version: string;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** JSON text that is already serialized. */
export interface JsonText {
  readonly json: string;
  /** Text that follows `json`, for an answer that is too long to be in memory as a whole. */
  readonly rest?: AsyncIterable<string>;
}

/** Builds envelopes for one service. */
export interface Envelopes {
  /** Sends `data` (an object, or its JSON text) with the status of the reply. */
  send(request: FastifyRequest, reply: FastifyReply, data: object): FastifyReply;
  sendText(request: FastifyRequest, reply: FastifyReply, data: JsonText): FastifyReply;
  meta(requestId: string): Meta;
}

/** Media type of JSON envelopes. */
export const JSON_TYPE = 'application/json; charset=utf-8';
/** Media type of problem details (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** Creates envelopes with the service's version and clock. */
export function createEnvelopes({ version, now }: EnvelopeSettings): Envelopes {
  const meta = (requestId: string): Meta => ({
    version,
    timestamp: isoTime(now()),
    request_id: requestId,
  });
  const sendText: Envelopes['sendText'] = (request, reply, { json, rest }) => {
    const head = `{"success":true,"data":${json}`;
    const end = `,"meta":${JSON.stringify(meta(request.id))}}`;
    reply.type(JSON_TYPE);
    if (rest === undefined) return reply.send(head + end);
    return reply.send(Readable.from(inOrder(head, rest, end), { objectMode: false }));
  };
  return {
    meta,
    sendText,
    send: (request, reply, data) => sendText(request, reply, { json: JSON.stringify(data) }),
  };
}

async function* inOrder(
  head: string,
  rest: AsyncIterable<string>,
  end: string,
): AsyncGenerator<string, void, undefined> {
  yield head;
  yield* rest;
  yield end;
}

/** Formats a time as ISO 8601 UTC with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Converts an error envelope to problem details (RFC 9457); `instance` is the requested path. */
export function toProblemDetails(body: ErrorEnvelope, title: string, path: string): ProblemDetails {
  const { code, message, status, details } = body.error;
  return {
    type: 'about:blank',
    title,
    status,
    detail: message,
    instance: path,
    code,
    ...(details === undefined ? {} : { details }),
    ...body.meta,
  };
}

/**
 * True if an Accept header asks for problem details: it names that type (a wildcard does not count) and does
 * not prefer plain JSON.
 */
export function asksForProblemDetails(accept: string | undefined): boolean {
  if (!accept?.toLowerCase().includes('application/problem+json')) return false;
  let problem = 0;
  let json = 0;
  for (const entry of accept.split(',')) {
    const [type, ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const quality = weight === undefined ? 1 : Number(weight) || 0;
    if (type === 'application/problem+json') problem = quality;
    if (type === 'application/json') json = quality;
  }
  return problem > 0 && problem >= json;
}
