/** Answers of the service that a page shows, asked for again and again while the page is looked at. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Routes } from '../../client/api-types.ts';
import type { Route, RouteOptions } from '../../client/client.ts';
import type { RouteArguments } from '../../client/routes.ts';
import { poll, retryMs } from './poll.ts';
import { client } from './session.ts';

/** A fetched resource: its last answer, error and progress. */
export interface Resource<T> {
  /** The last answer; it stays while a later request fails. */
  readonly data: T | undefined;
  /** Why the last request failed; undefined if it did not. */
  readonly error: unknown;
  /** True until the first answer or error. */
  readonly isLoading: boolean;
  /** Asks again now. */
  readonly reload: () => void;
}

/** Options of `useResource`. */
export interface ResourceOptions {
  /** Milliseconds between requests while the page is visible; by default it is asked for once. */
  readonly everyMs?: number | undefined;
  /** Asks for nothing while it is true. */
  readonly isOff?: boolean;
}

const AFTER_ERROR_MS = 5000;

/**
 * Asks the service for something, once or again and again, and again when the route's options or the key change.
 *
 * @param options - Path parameters and query of the route.
 */
export function useResource<R extends Route>(
  route: R,
  options: Omit<RouteOptions<R>, 'signal' | 'retry'>,
  { everyMs, isOff = false }: ResourceOptions = {},
): Resource<Routes[R]['data']> {
  const [state, setState] = useState<Omit<Resource<Routes[R]['data']>, 'reload'>>(LOADING);
  const askNow = useRef(() => {});
  const own = client.value;
  const asked = JSON.stringify([route, options]);
  useEffect(() => {
    setState(LOADING);
    if (isOff) return;
    const end = new AbortController();
    const polled = poll(async () => {
      try {
        const all: unknown = [{ ...options, signal: end.signal }];
        // The cast is safe: the caller has given the route's parameters.
        const data = await own.request(route, ...(all as RouteArguments<R>));
        if (!end.signal.aborted) setState({ data, error: undefined, isLoading: false });
        return everyMs;
      } catch (error) {
        if (!end.signal.aborted) setState(({ data }) => ({ data, error, isLoading: false }));
        return everyMs && Math.max(everyMs, retryMs(error) ?? AFTER_ERROR_MS);
      }
    });
    askNow.current = polled.now;
    return () => {
      end.abort();
      polled.end();
    };
  }, [asked, own, everyMs, isOff]);
  const reload = useCallback(() => askNow.current(), []);
  return { ...state, reload };
}

const LOADING = { data: undefined, error: undefined, isLoading: true } as const;
