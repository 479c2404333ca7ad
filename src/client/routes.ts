/** Requests to any route of the API, typed by its method and path. */
import type { Routes } from './api-types.ts';
import type { RetryOptions } from './transport.ts';

/** Method and path of a route, such as `GET /quantum/processors/{processor_id}`. */
export type Route = keyof Routes;

/** Options of every request. */
export interface RequestOptions {
  /** Ends the request with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the client's options for this request. */
  readonly retry?: RetryOptions | undefined;
}

/** Path parameters, query and body of a route, with the options of every request. */
export type RouteOptions<R extends Route> = Omit<Routes[R], 'data'> & RequestOptions;

/** Arguments after the route; they may be left out where the route needs none. */
export type RouteArguments<R extends Route> =
  Record<never, never> extends Omit<Routes[R], 'data'>
    ? [options?: RouteOptions<R>]
    : [options: RouteOptions<R>];

/** Values of a query; an array repeats its name. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly (string | number)[] | undefined>
>;

/** The one kind of request that does something twice if it is sent twice. */
const CREATES_KEY = /^POST \/admin\/keys/;
/** Submissions of jobs, all of which take an Idempotency-Key. */
const CREATES_JOB =
  /^POST (\/quantum\/(circuits|batches|experiments)|\/agents\/[^/]+\/execute|\/systems\/asi\/plans|\/tpu\/jobs|.*\/retry)$/;

/** Whether the route submits a job, and so takes an Idempotency-Key. */
export function createsJob(route: string): boolean {
  return CREATES_JOB.test(route);
}

/** Whether a request that got no answer may be sent again; a submission only with an Idempotency-Key. */
export function isRepeatable(route: string): boolean {
  return !CREATES_KEY.test(route);
}

/** Method and path of a request. @throws {TypeError} if a parameter of the path has no value. */
export function methodAndPath(
  route: string,
  parameters: Readonly<Record<string, unknown>> = {},
  query: Query = {},
): { readonly method: string; readonly path: string } {
  const space = route.indexOf(' ');
  const path = route.slice(space + 1).replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    if (value === undefined || value === '') throw new TypeError(`${route} needs ${name}.`);
    return encodeURIComponent(String(value));
  });
  return { method: route.slice(0, space), path: pathWithQuery(path, query) };
}

/** The path with those values of the query that are defined. */
export function pathWithQuery(path: string, query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined) search.append(name, String(each));
    }
  }
  return search.size === 0 ? path : `${path}?${search}`;
}
