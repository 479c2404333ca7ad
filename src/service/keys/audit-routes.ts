/** Routes of the audit log, with their schemas. */
import { z } from 'zod';
import { AUDIT_ACTIONS } from '../audit/audit-log.ts';
import { errorResponses, isoTime, isoTimestamp, successEnvelope } from '../http/envelope.ts';
import type { RouteContext, ServiceApp } from '../http/route-context.ts';
import { DEFAULT_LIMIT, pageLimit } from '../jobs/job-schema.ts';

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
    at: isoTimestamp,
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
const auditPage = z.strictObject({
  entries: z.array(auditEntry),
  next_cursor: z
    .string()
    .nullable()
    .describe('Pass it as `cursor` for the next, older page; null on the last page'),
});

/** Registers `/admin/audit`. */
export function auditRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  app.get(
    '/admin/audit',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'listAuditLog',
        tags: ['administration'],
        summary: 'Who administered what, newest first',
        description:
          'Keys that were created, changed, rotated or revoked, over HTTP or with `qcs keys`; maintenance; and admin calls of keys without the scope: the first is logged at once, later ones are counted per hour. Entries are never changed or deleted.',
        querystring: auditQuery,
        response: { 200: successEnvelope(auditPage), ...errorResponses(400) },
      },
    },
    async (request, reply) => {
      const { limit: asked, cursor } = request.query;
      const limit = asked === undefined ? DEFAULT_LIMIT : Number(asked);
      const found = await deps.audit.list({
        ...(cursor !== undefined && { before: Number(cursor) }),
        // One entry more than requested shows whether there is another page.
        limit: limit + 1,
      });
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      const entries = page.map(
        ({ at, actor, action, subject, details }): AuditEntryView => ({
          at: isoTime(at),
          actor,
          action,
          subject,
          details: { ...details },
        }),
      );
      return envelopes.send(request, reply, {
        entries,
        next_cursor: last === undefined ? null : String(last.id),
      });
    },
  );
}
