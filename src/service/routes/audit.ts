/** Route of the audit log, for operators. */
import { isoTime } from '../envelope.ts';
import { type AuditEntryView, auditPage, auditQuery } from '../schemas/audit.ts';
import { errorResponses, successEnvelope } from '../schemas/envelope.ts';
import { DEFAULT_LIMIT } from '../schemas/jobs.ts';
import type { RouteContext, ServiceApp } from './route-context.ts';

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
