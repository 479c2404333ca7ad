/** The envelope of every answer: its schemas, and how answers are put in it. */

import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { SPEC_CODES } from './error-table.ts';

/** An ISO 8601 UTC time with milliseconds. */
export const isoTimestamp = z.iso
  .datetime({ precision: 3 })
  .describe('ISO 8601 UTC time with milliseconds');

/** JSON object whose schema depends on the resource that it belongs to. */
export const jsonObject = z.record(z.string(), z.unknown());

/** `meta` of every envelope. */
export const meta = z
  .strictObject({
    version: z.string().describe('Version of the service'),
    timestamp: isoTimestamp,
    request_id: z.string().describe('Also in the header X-Request-Id'),
  })
  .meta({ id: 'Meta' });
export type Meta = z.output<typeof meta>;

const detail = z
  .strictObject({
    path: z
      .string()
      .describe(
        'Path of the faulty field, such as `circuit[3].qubit`; empty for the whole request',
      ),
    message: z.string(),
    code: z.string().describe('Code of the exact condition; docs/errors.md lists all codes'),
  })
  .meta({ id: 'ErrorDetail' });

const specCode = z.enum(Object.keys(SPEC_CODES));

/** An error in the envelope. */
export const errorEnvelope = z
  .strictObject({
    success: z.literal(false),
    error: z.strictObject({
      code: specCode,
      message: z.string().describe('One sentence that explains the error'),
      status: z.int(),
      details: z.array(detail).max(20).optional(),
    }),
    meta,
  })
  .meta({ id: 'Error' });
export type ErrorEnvelope = z.output<typeof errorEnvelope>;

/** RFC 9457's form of the same, for callers whose Accept header asks for it. */
export const problemDetails = z
  .strictObject({
    type: z.literal('about:blank'),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: specCode,
    details: z.array(detail).max(20).optional(),
    version: z.string(),
    timestamp: isoTimestamp,
    request_id: z.string(),
  })
  .meta({ id: 'Problem' });
export type ProblemDetails = z.output<typeof problemDetails>;

/** The envelope of a success. */
export function successEnvelope<T extends z.ZodType>(data: T) {
  return z.strictObject({ success: z.literal(true), data, meta });
}

/** The response schemas of the errors that a route can answer. */
export function errorResponses<const Status extends number>(
  ...statuses: readonly Status[]
): Record<Status, typeof errorEnvelope> {
  const responses = Object.fromEntries(statuses.map((status) => [status, errorEnvelope]));
  // The cast is safe: the line above makes one entry per status.
  return responses as Record<Status, typeof errorEnvelope>;
}

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
