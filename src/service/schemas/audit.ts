/** Schemas of GET /admin/audit. */
import { z } from 'zod';
import { AUDIT_ACTIONS } from '../audit/audit-log.ts';
import { isoTime } from './envelope.ts';
import { pageLimit } from './jobs.ts';

/** Query of the log. */
export const auditQuery = z.strictObject({
  limit: pageLimit,
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, { error: 'Must be a next_cursor of an earlier page' })
    .optional()
    .describe('`next_cursor` of the previous page'),
});

const auditEntry = z
  .strictObject({
    at: isoTime,
    actor: z.string().describe('Id of the key, `command line` or `service`'),
    action: z.enum(AUDIT_ACTIONS),
    subject: z.string().describe('Id of the key, processor or device, or name of the node'),
    details: z
      .record(z.string(), z.unknown())
      .describe('New values, or the old and the new ones; never a secret'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntryView = z.output<typeof auditEntry>;

/** A page of the log. */
export const auditPage = z.strictObject({
  entries: z.array(auditEntry),
  next_cursor: z
    .string()
    .nullable()
    .describe('Pass it as `cursor` for the next, older page; null on the last page'),
});
