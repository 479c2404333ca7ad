/** Paths that nothing is at, and paths that exist with other methods. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MethodNotFoundError, RouteNotFoundError } from '../errors.ts';

/** Where the interface lives. */
export const API_PREFIX = '/api/v1';

/** Whether a URL is below the interface's prefix. */
export function isApiPath(url: string): boolean {
  const path = pathOf(url);
  return path === API_PREFIX || path.startsWith(`${API_PREFIX}/`);
}

/** The path of a URL, without its query, which may hold what does not belong into logs. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/** Answers unknown paths; to be registered before the routes, which it takes note of. */
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
      ? new RouteNotFoundError(request.method, path)
      : new MethodNotFoundError(request.method, path, [...allowed].sort());
  };
  // Before the body is read: a body of the wrong type does not matter where nothing would take it.
  app.addHook('onRequest', async (request) => {
    if (request.is404) refuse(request);
  });
  app.setNotFoundHandler(refuse);
}

/** A route's URL as a pattern for whole paths; a slash at the end does not matter. */
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
