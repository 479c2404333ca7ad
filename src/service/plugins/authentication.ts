/**
 * Who calls, and whether it may: key, rate limit, scope, in this order and before a body is read.
 *
 * A key is only looked up while its address has budget left: guesses beyond 60 a minute learn
 * nothing. A key that was valid from that address before is still served then, so that one
 * misconfigured client does not lock out the others behind the same address.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  KeyInvalidError,
  KeyMissingError,
  RateLimitError,
  ScopeMissingError,
  TooManyAttemptsError,
} from '../errors.ts';
import { type ApiKey, parseKeyText, type Scope } from '../keys/api-key.ts';
import { budgetAddress } from '../limits/client-address.ts';
import { FixedWindows, type WindowState } from '../limits/fixed-windows.ts';
import { rateLimitHeaders, secondsLeft, WINDOW_S } from '../limits/rate-limit-headers.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { isApiPath } from './not-found.ts';

/** Requests without a valid key that one address may send in a minute. */
export const MAX_FAILED_ATTEMPTS = 60;
/** Pairs of address and key that are remembered as valid. */
const MAX_REMEMBERED = 10_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route needs; a route without is public. */
    readonly scope?: Scope;
    /** Client addresses that need no key for a route with a scope; a key that is sent is checked. */
    readonly isOpenTo?: (address: string) => boolean;
    /** The route gets a large body as it came, and reads it elsewhere. */
    readonly readsLargeBodies?: boolean;
  }
  interface FastifyRequest {
    /** The caller; undefined on public routes. */
    caller: Caller | undefined;
  }
}

/** Who sent a request, and its rate-limit window with this request counted. */
export interface Caller {
  readonly key: ApiKey;
  readonly limit: number;
  readonly window: WindowState;
}

/** Makes every route with a scope ask for a key. */
export function registerAuthentication(app: FastifyInstance, deps: ServiceDeps): void {
  const gate = new KeyGate(deps);
  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', async (request, reply) => {
    const { scope, isOpenTo } = request.routeOptions.config;
    if (isOpenTo?.(request.ip) === true && keyText(request) === undefined) return;
    // An unknown path answers 404 to anyone; with a key it counts as that key's request.
    const isUnknownPath = request.is404 && isApiPath(request.url);
    if (scope === undefined && !(isUnknownPath && keyText(request) !== undefined)) return;
    request.caller = await gate.admit(request, reply);
    const { scopes } = request.caller.key;
    if (scope !== undefined && !scopes.includes(scope)) throw new ScopeMissingError(scope, scopes);
  });
}

/** The caller of a route that has a scope. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === undefined) throw new Error('unreachable: a keyed route without a caller');
  return request.caller;
}

function keyText(request: FastifyRequest): string | undefined {
  const header = request.headers['x-api-key'];
  return typeof header === 'string' && header !== '' ? header : undefined;
}

class KeyGate {
  readonly #deps: ServiceDeps;
  readonly #requests = new FixedWindows(WINDOW_S * 1000);
  readonly #failures = new FixedWindows(WINDOW_S * 1000);
  readonly #remembered = new Set<string>();

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
  }

  /** Identifies the caller and counts its request. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    const now = this.#deps.now();
    const key = await this.#identify(request, now);
    const limit = this.#deps.settings.rateLimits[key.tier];
    const window = this.#requests.hit(key.id, limit, now);
    reply.headers(rateLimitHeaders(key.tier, limit, window, now));
    if (!window.allowed) throw new RateLimitError(key.tier, limit, secondsLeft(window, now));
    return { key, limit, window };
  }

  async #identify(request: FastifyRequest, now: number): Promise<ApiKey> {
    const address = budgetAddress(request.ip);
    const text = keyText(request);
    const pair = `${address} ${parseKeyText(text ?? '')?.id}`;
    const failed = this.#failures.peek(address, now);
    if (failed !== undefined && failed.used >= MAX_FAILED_ATTEMPTS && !this.#remembered.has(pair)) {
      throw new TooManyAttemptsError(MAX_FAILED_ATTEMPTS, secondsLeft(failed, now));
    }
    const key = text === undefined ? undefined : await this.#deps.keys.find(text);
    if (key === undefined) {
      const attempt = this.#failures.hit(address, MAX_FAILED_ATTEMPTS, now);
      if (!attempt.allowed) {
        throw new TooManyAttemptsError(MAX_FAILED_ATTEMPTS, secondsLeft(attempt, now));
      }
      throw text === undefined ? new KeyMissingError() : new KeyInvalidError();
    }
    this.#remember(pair);
    return key;
  }

  #remember(pair: string): void {
    if (this.#remembered.has(pair)) return;
    this.#remembered.add(pair);
    if (this.#remembered.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#remembered;
    if (oldest !== undefined) this.#remembered.delete(oldest);
  }
}
