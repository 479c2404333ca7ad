/** Answers for unknown paths, and for known paths with other methods. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { nearestNames } from '../../errors/nearest-names.ts';
import { MethodNotFoundError, RouteNotFoundError } from './errors.ts';

/** Path prefix of the API. */
export const API_PREFIX = '/api/v1';

/** Path prefix of IonQ's interface. */
export const IONQ_PREFIX = '/v0.4';

/** Path of the Model Context Protocol. */
export const MCP_PATH = '/mcp';

/** True if a URL is below the API's prefix. */
export function isApiPath(url: string): boolean {
  return isBelow(API_PREFIX, url);
}

/** True if a URL is below the prefix of IonQ's interface. */
export function isIonqPath(url: string): boolean {
  return isBelow(IONQ_PREFIX, url);
}

function isBelow(prefix: string, url: string): boolean {
  const path = pathOf(url);
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** Path of a URL without its query, which may hold values that must not be logged. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/** Answers unknown paths. Call it before the routes are registered, because it records them. */
export function registerNotFound(app: FastifyInstance): void {
  const known = new Map<string, KnownPath>();
  app.addHook('onRoute', ({ url, method }) => {
    let entry = known.get(url);
    if (entry === undefined) {
      entry = { pattern: pathPattern(url), methods: new Set() };
      known.set(url, entry);
    }
    for (const name of [method].flat()) entry.methods.add(name);
  });

  const refuse = (request: FastifyRequest): never => {
    const path = pathOf(request.url);
    const allowed = [...known.values()].find(({ pattern }) => pattern.test(path))?.methods;
    throw allowed === undefined || allowed.has(request.method)
      ? new RouteNotFoundError(request.method, path, nearPath(path, known.keys()))
      : new MethodNotFoundError(request.method, path, [...allowed].sort());
  };
  // Runs before the body is read: the type of a body does not matter if no route takes it.
  app.addHook('onRequest', async (request) => {
    if (request.is404) refuse(request);
  });
  app.setNotFoundHandler(refuse);
}

/** Parts of the prefix that callers may omit or shorten. */
const PREFIX_WORDS: ReadonlySet<string> = new Set(['api', 'v1', 'v2']);
/** Greatest number of segments of a path that is compared. */
const MAX_SEGMENTS = 8;

/**
 * Finds the route that is most similar to an unknown path: each segment is equal or nearly so. A missing or
 * incomplete prefix does not matter.
 *
 * @param urls - Patterns of the routes.
 */
function nearPath(path: string, urls: Iterable<string>): string | undefined {
  const words = path.split('/').filter((word) => word !== '');
  const given = words.slice(words.findIndex((word) => !PREFIX_WORDS.has(word)));
  if (given.length === 0 || given.length > MAX_SEGMENTS) return undefined;
  let nearest: { readonly words: readonly string[]; readonly numChanged: number } | undefined;
  for (const url of urls) {
    if (!url.startsWith(`${API_PREFIX}/`)) continue;
    const route = url.slice(API_PREFIX.length + 1).split('/');
    if (route.length !== given.length) continue;
    const isNear = route.every(
      (word, i) =>
        word.startsWith(':') ||
        word === given[i] ||
        nearestNames(given[i] ?? '', [word]).length > 0,
    );
    if (!isNear) continue;
    const meant = route.map((word, i) => (word.startsWith(':') ? (given[i] ?? '') : word));
    const numChanged = meant.filter((word, i) => word !== given[i]).length;
    if (nearest === undefined || numChanged < nearest.numChanged) {
      nearest = { words: meant, numChanged };
    }
  }
  return nearest && [API_PREFIX, ...nearest.words].join('/');
}

/** Converts a route's URL to a pattern for whole paths; a trailing slash does not matter. */
function pathPattern(url: string): RegExp {
  const parts = url
    .replace(/\/$/, '')
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : escapeForRegExp(part)));
  return new RegExp(`^${parts.join('/')}/?$`);
}

function escapeForRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
