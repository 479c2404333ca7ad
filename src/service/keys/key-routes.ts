/** Routes of the caller's key, of the administration of all keys, and of the log of administration. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AUDIT_ACTIONS } from '../audit/audit-log.ts';
import { DEFAULT_SCOPES } from '../http/api-key.ts';
import { callerOf } from '../http/authentication.ts';
import { errorResponses, isoTime, isoTimestamp, successEnvelope } from '../http/envelope.ts';
import { KeyExpiryInPastError } from '../http/errors.ts';
import { WINDOW_S } from '../http/limits.ts';
import { type RouteContext, type ServiceApp, showRoute } from '../http/route-context.ts';
import { DEFAULT_LIMIT, nextCursor, pageLimit } from '../jobs/job-schema.ts';
import {
  type KeyInfoView,
  keyChangesBody,
  keyInfo,
  keyList,
  keyParams,
  keyView,
  keyWithText,
  newKeyBody,
  rotationBody,
  viewKey,
  viewKeyFields,
} from './key-schema.ts';
import type { KeyChanges, KeyOrder } from './key-store.ts';
import type { KeyWatch } from './key-watch.ts';

/** Registers `/keys/info` and `/admin/keys`. */
export function keyRoutes(app: ServiceApp, context: RouteContext, keyWatch: KeyWatch): void {
  const { deps, envelopes } = context;
  const { places, keys, settings, usage, now, elapsedMs } = deps;
  const orderOf = (request: FastifyRequest): KeyOrder => ({
    actor: callerOf(request).key.id,
    at: now(),
    keepsAdmin: true,
  });
  /** Parses an expiry time, which must be in the future, to milliseconds since 1970 UTC. */
  const expiryOf = (text: string): number => {
    const expiresAt = Date.parse(text);
    if (expiresAt <= now()) throw new KeyExpiryInPastError(isoTime(expiresAt), isoTime(now()));
    return expiresAt;
  };
  /** Converts a time on the clock of `elapsedMs` to a time of day. */
  const timeOf = (elapsed: number) => isoTime(now() + elapsed - elapsedMs());
  showRoute(app, context, {
    path: '/keys/info',
    operationId: 'getKeyInfo',
    tag: 'keys',
    summary: 'Tier, limits and current usage of the key',
    answer: keyInfo,
    view: async (_, request) => {
      const { key, limit, window } = callerOf(request);
      return {
        ...viewKeyFields(key),
        limits: {
          requests: limit,
          window_s: WINDOW_S,
          in_flight: settings.inFlightLimits[key.tier],
        },
        usage: {
          window_started_at: timeOf(window.openedAt),
          requests: window.used,
          remaining: limit - window.used,
          resets_at: timeOf(window.endsAt),
          in_flight: await places.inFlight('circuit', key.id),
        },
        storage_bytes: usage.bytesOf(key.id),
        storage_limit_bytes: settings.storageLimits[key.tier],
        priority_queue: key.tier === 'enterprise',
      } satisfies KeyInfoView;
    },
  });

  app.get(
    '/admin/keys',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'listKeys',
        tags: ['administration'],
        summary: 'List API keys, expired and revoked ones too',
        response: { 200: successEnvelope(keyList) },
      },
    },
    async (request, reply) =>
      envelopes.send(request, reply, { keys: (await keys.list()).map(viewKey) }),
  );

  app.post(
    '/admin/keys',
    {
      config: { scope: 'admin', holdsSecret: true },
      schema: {
        operationId: 'createKey',
        tags: ['administration'],
        summary: 'Make an API key',
        description: 'Only this answer shows the key; the service stores its hash.',
        body: newKeyBody,
        response: { 201: successEnvelope(keyWithText), ...errorResponses(400) },
      },
    },
    async (request, reply) => {
      const { name, tier, scopes = DEFAULT_SCOPES, expires_at } = request.body;
      const { actor, at } = orderOf(request);
      const newKey = {
        name,
        tier,
        scopes: [...new Set(scopes)],
        createdAt: at,
        ...(expires_at !== undefined && { expiresAt: expiryOf(expires_at) }),
      };
      const { key, text } = await keys.create(newKey, actor);
      reply.code(201).header('cache-control', 'no-store');
      return envelopes.send(request, reply, { key: text, ...viewKey(key) });
    },
  );

  app.patch(
    '/admin/keys/:key_id',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'changeKey',
        tags: ['administration'],
        summary: 'Change name, tier, scopes or expiry of an API key',
        description:
          'Fields that are left out stay as they are. The change takes effect with the next request; event streams that the key may no longer read end. The last valid key with the scope `admin` cannot lose it.',
        params: keyParams,
        body: keyChangesBody,
        response: { 200: successEnvelope(keyView), ...errorResponses(400, 404) },
      },
    },
    async (request, reply) => {
      const { name, tier, scopes, expires_at } = request.body;
      const changes: KeyChanges = {
        ...(name !== undefined && { name }),
        ...(tier !== undefined && { tier }),
        ...(scopes !== undefined && { scopes: [...new Set(scopes)] }),
        ...(expires_at !== undefined && {
          expiresAt: expires_at === null ? null : expiryOf(expires_at),
        }),
      };
      const key = await keys.change(request.params.key_id, changes, orderOf(request));
      await keyWatch.look();
      return envelopes.send(request, reply, viewKey(key));
    },
  );

  app.post(
    '/admin/keys/:key_id/rotate',
    {
      config: { scope: 'admin', holdsSecret: true },
      schema: {
        operationId: 'rotateKey',
        tags: ['administration'],
        summary: 'Give an API key a new secret',
        description:
          'The key keeps its id, jobs and limits. Its present secret is accepted for another `grace_s` seconds; older secrets are refused. Only this answer shows the new key.',
        params: keyParams,
        body: rotationBody,
        response: { 200: successEnvelope(keyWithText), ...errorResponses(400, 404) },
      },
    },
    async (request, reply) => {
      const order = orderOf(request);
      const oldUntil = order.at + request.body.grace_s * 1000;
      const { key, text } = await keys.rotate(request.params.key_id, oldUntil, order);
      await keyWatch.look();
      reply.header('cache-control', 'no-store');
      return envelopes.send(request, reply, { key: text, ...viewKey(key) });
    },
  );

  app.delete(
    '/admin/keys/:key_id',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'revokeKey',
        tags: ['administration'],
        summary: 'Revoke an API key',
        description:
          'The key is refused from the next request on, and its event streams end. Its running jobs continue; QCS_REVOKED_KEY_JOBS decides whether its waiting jobs run or are cancelled. The last valid key with the scope `admin` cannot be revoked. A revoked key stays listed.',
        params: keyParams,
        response: { 200: successEnvelope(keyView), ...errorResponses(400, 404) },
      },
    },
    async (request, reply) => {
      const key = await keys.revoke(request.params.key_id, orderOf(request));
      await keyWatch.look();
      return envelopes.send(request, reply, viewKey(key));
    },
  );
}

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
  next_cursor: nextCursor,
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
