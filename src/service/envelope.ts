/**
 * The envelope that every answer stands in, as text.
 *
 * Text rather than objects: a job's result is stored as JSON text and may be megabytes long, so it
 * is put in place as it is instead of being parsed and written again.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorEnvelope, Meta, ProblemDetails } from './schemas/envelope.ts';

/** On every answer: a browser takes it for what it says it is, and loads nothing for it. Pages say more. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** Source of every `meta`. */
export interface EnvelopeSettings {
  readonly version: string;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** JSON text that is already written. */
export interface JsonText {
  readonly json: string;
}

/** Builds envelopes for one service. */
export interface Envelopes {
  /** Sends `data` (an object, or its JSON text) with the status the reply has. */
  send(request: FastifyRequest, reply: FastifyReply, data: object): FastifyReply;
  sendText(request: FastifyRequest, reply: FastifyReply, data: JsonText): FastifyReply;
  meta(requestId: string): Meta;
}

/** The JSON media type of every envelope. */
export const JSON_TYPE = 'application/json; charset=utf-8';
/** The media type of RFC 9457. */
export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** Envelopes with the service's version and clock. */
export function createEnvelopes({ version, now }: EnvelopeSettings): Envelopes {
  const meta = (requestId: string): Meta => ({
    version,
    timestamp: isoTime(now()),
    request_id: requestId,
  });
  const sendText: Envelopes['sendText'] = (request, reply, data) =>
    reply
      .type(JSON_TYPE)
      .send(`{"success":true,"data":${data.json},"meta":${JSON.stringify(meta(request.id))}}`);
  return {
    meta,
    sendText,
    send: (request, reply, data) => sendText(request, reply, { json: JSON.stringify(data) }),
  };
}

/** ISO 8601 UTC with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** RFC 9457's form of an error envelope; `instance` is the path that was asked for. */
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
 * Whether an Accept header asks for problem details: it names the type itself (a wildcard does
 * not), and does not prefer plain JSON.
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
