/** Schemas that jobs of all kinds share: their records, pages of them, and how one is submitted. */
import { z } from 'zod';
import { IDEMPOTENCY_KEY } from '../../jobs/idempotency.ts';
import { JOB_PRIORITIES, JOB_STATUSES, type JobPlace, jobIdPrefix } from '../../jobs/job.ts';
import { isoTimestamp, jsonObject } from '../http/envelope.ts';
import type { JobResource } from './job-resources.ts';

/** A level, of which `high` takes effect for Enterprise keys. */
export const priority = z.enum(JOB_PRIORITIES);

const MAX_NAME_LENGTH = 100;
const MAX_TAGS = 10;
const MAX_TAG_LENGTH = 40;
const status = z.enum(JOB_STATUSES);

const text = (maxLength: number) =>
  z.string().regex(new RegExp(`^\\P{C}{1,${maxLength}}$`, 'u'), {
    error: `Must be 1 to ${maxLength} printable characters`,
  });
const name = text(MAX_NAME_LENGTH);
const tag = text(MAX_TAG_LENGTH);

/** Fields that every submission may have. */
export const labelFields = {
  name: name.optional().describe('Your name for the job; it need not be unique'),
  tags: z
    .array(tag)
    .max(MAX_TAGS)
    .superRefine((tags, context) => {
      for (const [i, each] of tags.entries()) {
        if (tags.indexOf(each) === i) continue;
        const message = `The tag ${JSON.stringify(each)} is given twice; give it once.`;
        context.addIssue({ code: 'custom', path: [i], message });
      }
    })
    .meta({ uniqueItems: true })
    .optional()
    .describe('Labels for finding the job in listings'),
};

/** Meaning of `waiting_for`. */
export const WAITING_FOR =
  'Present while no node of the cluster that is up can run the queued job: why, in a sentence. Its place and start are not known then';

/** The fields that every record has, by name. */
export const jobFields = {
  status,
  name: z.string().optional().describe('The name that was submitted'),
  tags: z.array(z.string()).optional().describe('The tags that were submitted'),
  priority: priority.describe(
    'Priority that took effect; that of the request may not be allowed to the key',
  ),
  created_at: isoTimestamp,
  retry_of: z.string().optional().describe('Id of the job that this one repeats'),
  started_at: isoTimestamp.optional(),
  finished_at: isoTimestamp.optional(),
  queue_position: z
    .int()
    .optional()
    .describe('While queued: number of jobs that start before this one'),
  expected_start_at: isoTimestamp
    .optional()
    .describe('While queued: planned start, estimated from measured run times'),
  waiting_for: z.string().optional().describe(WAITING_FOR),
  progress: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Completed part of the work, 0 to 1, while the job runs'),
  error: z
    .strictObject({ code: z.string(), message: z.string() })
    .optional()
    .describe('Present if the job failed'),
};
const fields = z.strictObject(jobFields);
export type JobFields = z.output<typeof fields>;

/** Greatest size of a request that is shown without being asked for, bytes of JSON. */
export const SHOWN_REQUEST_BYTES = 65_536;

/** Further fields of the answer to GET of a record. */
export const requestFields = {
  request: jsonObject
    .optional()
    .describe(
      `The submitted body, in the answer to GET. A body of more than ${SHOWN_REQUEST_BYTES} bytes is included only with \`include=request\``,
    ),
  request_bytes: z
    .int()
    .optional()
    .describe(
      'Size of a larger request as JSON, in bytes. It replaces `request` in the answer to GET',
    ),
};

/** Query of a record. */
export const recordQuery = z.strictObject({
  include: z
    .enum(['request'])
    .optional()
    .describe(
      `\`request\` includes the request even if it has more than ${SHOWN_REQUEST_BYTES} bytes`,
    ),
});

/** Cursor of the next page of a listing. */
export const nextCursor = z
  .string()
  .nullable()
  .describe('Pass it as `cursor` for the next, older page; null on the last page');

/** Page of the caller's own jobs. */
export function jobPage<Summary extends z.ZodType>({ listName }: JobResource, summary: Summary) {
  return z.strictObject({
    [listName]: z.array(summary),
    next_cursor: nextCursor,
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

/**
 * Converts fields that may be repeated in a query to lists, also if they occur once. Call it before the query
 * is validated.
 */
export function listRepeated(query: unknown): void {
  const fields: Record<string, unknown> = Object(query);
  for (const name of ['status', 'tag']) {
    if (Object.hasOwn(fields, name)) fields[name] = [fields[name]].flat();
  }
}

const time = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);
const queryTime = z
  .string()
  .refine((given) => time.safeParse(withPlus(given)).success, {
    error: 'Must be an ISO 8601 time with its zone, such as 2026-01-02T03:04:05Z, or a date',
  })
  .meta({ examples: ['2026-01-02T03:04:05Z'] })
  .optional();

/** Restores `+`, which a query contains as a space unless it was written as %2B. */
function withPlus(time: string): string {
  return time.replace(/ (?=\d\d:\d\d$)/, '+');
}

/** Converts a time in a query to milliseconds since 1970 UTC; a date means its midnight in UTC. */
export function queryTimeMs(time: string): number {
  return Date.parse(withPlus(time));
}

const MAX_SEARCH_LENGTH = 100;
/** Jobs that one request of a search looks through, about; a chunk of them takes a millisecond or two. */
export const MAX_SEARCHED = 10_000;

/** Words of a search, with small letters A to Z. */
export function wordsOf(search: string): readonly string[] {
  const small = search.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return small.split(/\s+/).filter((word) => word !== '');
}

/** Query of a listing. */
export function jobQuery({ kind, targetFields }: JobResource) {
  return z.strictObject({
    limit: pageLimit,
    cursor: z
      .string()
      .regex(new RegExp(`^${jobIdPrefix(kind)}[0-9a-f]{32}_[0-9a-z]{1,11}$`), {
        error: 'Must be a next_cursor of an earlier page',
      })
      .optional()
      .describe('`next_cursor` of the previous page; keep the filters unchanged'),
    status: z
      .array(status)
      .max(JOB_STATUSES.length)
      .optional()
      .describe('Only jobs in this status; if repeated, in any of the statuses'),
    name: name.optional().describe('Only jobs with exactly this name'),
    tag: z
      .array(tag)
      .max(MAX_TAGS)
      .optional()
      .describe('Only jobs with this tag; if repeated, with all of the tags'),
    search: text(MAX_SEARCH_LENGTH)
      .refine((given) => wordsOf(given).length > 0, { error: 'Must have a word to look for' })
      .optional()
      .describe(
        `Only jobs that have each word of this text: as the beginning of the id, in the name, in the ${targetFields[0]}, or as the status or kind (\`${kind}\`). A to Z match in either case. One request looks through ${MAX_SEARCHED} jobs at most: a page with fewer jobs than \`limit\`, or none, has a \`next_cursor\` while there are more to look through`,
      ),
    created_after: queryTime.describe(
      'Only jobs created at this time or later: an ISO 8601 time with its zone, or a date',
    ),
    created_before: queryTime.describe('Only jobs created before this time'),
  });
}

/** Formats the end of a page as `next_cursor`. */
export function cursorText({ id, createdAt }: JobPlace): string {
  return `${id}_${createdAt.toString(36)}`;
}

/** Parses a `next_cursor`. */
export function cursorPlace(text: string): JobPlace {
  const end = text.lastIndexOf('_');
  return { id: text.slice(0, end), createdAt: Number.parseInt(text.slice(end + 1), 36) };
}

/** Path of one record. */
export function jobParams({ idName }: JobResource) {
  return z.strictObject({ [idName]: z.string() });
}

/** Header that identifies a repeated request. */
export const idempotencyHeaders = z.looseObject({
  'idempotency-key': z
    .string()
    .regex(IDEMPOTENCY_KEY, { error: 'Must be 1 to 255 printable characters' })
    .optional()
    .describe('Makes a repeat safe: the same key and body within 24 h return the stored answer'),
});
