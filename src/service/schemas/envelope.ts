/** Schemas of the envelope, and of what is common to several resources. */
import { z } from 'zod';
import { SPEC_CODES } from '../error-table.ts';

/** An ISO 8601 UTC time with milliseconds. */
export const isoTime = z.iso
  .datetime({ precision: 3 })
  .describe('ISO 8601 UTC time with milliseconds');

/** JSON object whose schema depends on the resource that it belongs to. */
export const jsonObject = z.record(z.string(), z.unknown());

/** `meta` of every envelope. */
export const meta = z
  .strictObject({
    version: z.string().describe('Version of the service'),
    timestamp: isoTime,
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
    timestamp: isoTime,
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
