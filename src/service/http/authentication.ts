/**
 * Authentication: key, rate limit and scope, in this order and before a body is read.
 *
 * The key is looked up first, and only a missing or wrong key counts against its address. So nobody can lock
 * out a valid key by sending wrong ones from the same address, such as that of a proxy. The limit is not
 * needed against guessing: a secret has 256 random bits.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RefusedCalls, type RefusedCallsOptions } from '../audit/audit-log.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { type ApiKey, isValidAt, type Scope } from './api-key.ts';
import { isoTime } from './envelope.ts';
import {
  KeyExpiredError,
  KeyInvalidError,
  KeyMissingError,
  PublicRateLimitError,
  RateLimitError,
  ScopeMissingError,
  TooManyAttemptsError,
} from './errors.ts';
import {
  ClientWindows,
  rateLimitHeaders,
  secondsLeft,
  unnamedClientOf,
  WINDOW_S,
  type WindowState,
} from './limits.ts';
import { isApiPath, isIonqPath, MCP_PATH, pathOf } from './not-found.ts';

/** Requests per minute that one address may send without a valid key. */
export const MAX_FAILED_ATTEMPTS = 60;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Scope that the route needs; a route without one is public. */
    readonly scope?: Scope;
    /** Tests for client addresses that need no key on a route with a scope; a key that is sent is checked. */
    readonly isOpenTo?: (address: string) => boolean;
    /** True if the route needs no key and does not count against the limit of requests without one. */
    readonly isUncounted?: boolean;
    /** True if the route receives large bodies unread, and has them read in a process. */
    readonly readsLargeBodies?: boolean;
  }
  interface FastifyRequest {
    /** Caller of the request; undefined on public routes. */
    caller: Caller | undefined;
  }
}

/** Key of a request, with its rate-limit window on the clock of `elapsedMs`, including this request. */
interface Caller {
  readonly key: ApiKey;
  /** Text of the key, for streams and jobs that outlive the request. */
  readonly keyText: string;
  readonly limit: number;
  readonly window: WindowState;
}

/** Requires a key on every route with a scope. */
export function registerAuthentication(app: FastifyInstance, deps: ServiceDeps): void {
  const gate = new KeyGate(deps);
  const refused = watchRefusedCalls(app, deps);
  warnOfUnnamedProxy(app, deps.settings.trustedProxies);
  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', async (request, reply) => {
    const { scope, isOpenTo } = request.routeOptions.config;
    if (isOpenTo?.(request.ip) === true && keyText(request) === undefined) return;
    // Anyone may ask for an unknown path and gets 404; with a key the request counts as the key's.
    const isOfApi = isApiPath(request.url) || isIonqPath(request.url);
    const isUnknownPath = request.is404 && isOfApi;
    if (scope === undefined && !(isUnknownPath && keyText(request) !== undefined)) {
      if (request.routeOptions.config.isUncounted !== true) gate.countPublic(request);
      return;
    }
    request.caller = await gate.admit(request, reply);
    const { id, scopes } = request.caller.key;
    if (scope === undefined || scopes.includes(scope)) return;
    if (scope === 'admin') refused.note(id, `${request.method} ${request.routeOptions.url}`);
    throw new ScopeMissingError(scope, scopes);
  });
}

/** Warns once if requests seem to come through a proxy that the operator has not named. */
function warnOfUnnamedProxy(app: FastifyInstance, trustedProxies: readonly string[]): void {
  const unnamedClient = unnamedClientOf(trustedProxies);
  let hasWarned = false;
  app.addHook('onRequest', async (request) => {
    if (hasWarned || unnamedClient(request) === undefined) return;
    hasWarned = true;
    app.log.warn(
      { address: request.socket.remoteAddress },
      'A request from this address names another client in X-Forwarded-For or Forwarded. If it is your proxy, name it in QCS_TRUSTED_PROXIES: until then its clients share its limits. If it is not, leave it: the header is not believed.',
    );
  });
}

/** Writes refused admin calls to the audit log. A failed write changes no answer. */
function watchRefusedCalls(app: FastifyInstance, deps: ServiceDeps): RefusedCalls {
  const audit: RefusedCallsOptions['audit'] = {
    append: (entry) => {
      try {
        deps.audit.append(entry);
      } catch (error) {
        app.log.error({ err: error, entry }, 'an entry of the audit log could not be written');
      }
    },
  };
  const refused = new RefusedCalls({ audit, now: deps.now, elapsedMs: deps.elapsedMs });
  const writing = setInterval(() => refused.writeEnded(), 60_000).unref();
  app.addHook('onClose', async () => {
    clearInterval(writing);
    refused.writeAll();
  });
  return refused;
}

/** Caller of a route with a scope. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === undefined) throw new Error('unreachable: a keyed route without a caller');
  return request.caller;
}

/** The key of a request. Where another interface is spoken, it may be in `Authorization`, as that interface has it. */
function keyText({ headers, url }: FastifyRequest): string | undefined {
  const header = headers['x-api-key'];
  if (typeof header === 'string' && header !== '') return header;
  const scheme = authorizationScheme(url);
  if (scheme === undefined) return undefined;
  const [, name, key] = /^(\S+) +(\S+) *$/.exec(headers.authorization ?? '') ?? [];
  return name?.toLowerCase() === scheme.toLowerCase() ? key : undefined;
}

/** Scheme of the header Authorization at a path; undefined where that header is not read. */
function authorizationScheme(url: string): string | undefined {
  if (isIonqPath(url)) return 'apiKey';
  return pathOf(url) === MCP_PATH ? 'Bearer' : undefined;
}

class KeyGate {
  readonly #deps: ServiceDeps;
  readonly #failures: ClientWindows;
  readonly #public: ClientWindows;

  constructor(deps: ServiceDeps) {
    const { trustedProxies } = deps.settings;
    this.#deps = deps;
    this.#failures = new ClientWindows(WINDOW_S * 1000, trustedProxies);
    this.#public = new ClientWindows(WINDOW_S * 1000, trustedProxies);
  }

  /** Identifies the caller and counts its request. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    const { elapsedMs, requestWindows, settings } = this.#deps;
    const text = keyText(request);
    const key = await this.#identify(request, text, elapsedMs());
    const limit = settings.rateLimits[key.tier];
    const hit = requestWindows.hit(key.id, limit, elapsedMs());
    const window = hit instanceof Promise ? await hit : hit;
    const now = elapsedMs();
    reply.headers(rateLimitHeaders(key.tier, limit, window, now));
    if (!window.allowed) throw new RateLimitError(key.tier, limit, secondsLeft(window, now));
    return { key, keyText: text ?? '', limit, window };
  }

  /** Counts a request without a key against its address. */
  countPublic(request: FastifyRequest): void {
    const now = this.#deps.elapsedMs();
    const limit = this.#deps.settings.publicRateLimit;
    const window = this.#public.hit(request, limit, now);
    if (!window.allowed) throw new PublicRateLimitError(limit, secondsLeft(window, now));
  }

  async #identify(request: FastifyRequest, text: string | undefined, now: number): Promise<ApiKey> {
    const key = text === undefined ? undefined : await this.#deps.keys.find(text);
    const timeOfDay = this.#deps.now();
    if (key !== undefined && isValidAt(key, timeOfDay)) return key;
    const attempt = this.#failures.hit(request, MAX_FAILED_ATTEMPTS, now);
    if (!attempt.allowed) {
      throw new TooManyAttemptsError(MAX_FAILED_ATTEMPTS, secondsLeft(attempt, now));
    }
    if (key?.expiresAt !== undefined) throw new KeyExpiredError(isoTime(key.expiresAt));
    throw text === undefined
      ? new KeyMissingError(
          request.headers.authorization !== undefined,
          authorizationScheme(request.url),
        )
      : new KeyInvalidError(text);
  }
}
