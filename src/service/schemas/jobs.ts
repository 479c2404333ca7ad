/** Schemas that jobs of all kinds share: their records, pages of them, and how one is submitted. */
import { z } from 'zod';
import { IDEMPOTENCY_KEY } from '../../jobs/idempotency.ts';
import { JOB_PRIORITIES, JOB_STATUSES } from '../../jobs/job.ts';
import { jobIdPrefix } from '../../jobs/job-id.ts';
import type { JobResource } from '../jobs/job-resources.ts';
import { isoTime } from './envelope.ts';

/** A level, of which `high` takes effect for Enterprise keys. */
export const priority = z.enum(JOB_PRIORITIES);

/** The fields that every record has, by name. */
export const jobFields = {
  status: z.enum(JOB_STATUSES),
  priority: priority.describe('The level that took effect'),
  created_at: isoTime,
  retry_of: z.string().optional().describe('The job that it runs again'),
  started_at: isoTime.optional(),
  finished_at: isoTime.optional(),
  queue_position: z.int().optional().describe('While queued: those that start before this one'),
  expected_start_at: isoTime
    .optional()
    .describe('While queued: when it would start as planned now, from measured run times'),
  progress: z.number().min(0).max(1).optional().describe('While running'),
  error: z
    .strictObject({ code: z.string(), message: z.string() })
    .optional()
    .describe('Once failed'),
};
const fields = z.strictObject(jobFields);
/** Those fields, as they are written. */
export type JobFields = z.output<typeof fields>;

/** A page of the caller's own. */
export function jobPage<Summary extends z.ZodType>({ listName }: JobResource, summary: Summary) {
  return z.strictObject({
    [listName]: z.array(summary),
    next_cursor: z.string().nullable().describe('Pass as `cursor` for older ones; null at the end'),
  });
}

/** Entries of a page where the query names no number. */
export const DEFAULT_LIMIT = 20;

/** Entries of a page, in a query. */
export const pageLimit = z
  .string()
  .regex(/^([1-9]\d?|100)$/, { error: 'Must be a whole number from 1 to 100' })
  .optional()
  .describe(`1 to 100, default ${DEFAULT_LIMIT}`)
  .meta({ type: 'integer', minimum: 1, maximum: 100, default: DEFAULT_LIMIT });

/** Query of a listing. */
export function jobQuery({ kind }: JobResource) {
  return z.strictObject({
    limit: pageLimit,
    cursor: z
      .string()
      .regex(new RegExp(`^${jobIdPrefix(kind)}[0-9a-z]{1,64}$`), {
        error: 'Must be a next_cursor of an earlier page',
      })
      .optional()
      .describe('`next_cursor` of the page before'),
  });
}

/** Path of one record. */
export function jobParams({ idName }: JobResource) {
  return z.strictObject({ [idName]: z.string() });
}

/** The header by which a repeat is known. */
export const idempotencyHeaders = z.looseObject({
  'idempotency-key': z
    .string()
    .regex(IDEMPOTENCY_KEY, { error: 'Must be 1 to 255 printable characters' })
    .optional()
    .describe('A repeat with the same body within 24 h returns the stored answer'),
});
