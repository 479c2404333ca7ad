/** The jobs of the key, as a page looks at them: read on demand, and renewed while the page is visible. */

import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { QcsClient } from '../../client/client.ts';
import { poll, retryMs } from '../shell/poll.ts';
import { client } from '../shell/session.ts';
import { JobFeed, type JobPage, type JobSource } from './job-feed.ts';
import {
  type Filters,
  isActive,
  type JobRow,
  LISTS,
  rowOf,
  type Sorting,
  type Status,
  sorted,
  withSweeps,
} from './job-row.ts';

const PAGE = 100;
/** A key of the tier standard has 100 requests a minute, and a renewal of everything takes five. */
const ACTIVE_MS = 3000;
const ALL_MS = 15_000;
/** Time after an error, unless the service states another. */
const AFTER_ERROR_MS = 10_000;
/** Time without a key stroke after which a text is searched. */
const TYPED_MS = 300;

/** Contents of the list. */
export interface Jobs {
  readonly rows: readonly JobRow[];
  readonly places: readonly string[];
  readonly numRead: number;
  readonly isComplete: boolean;
  /** True until the first pages have arrived. */
  readonly isLoading: boolean;
  readonly error: unknown;
  /** Reads the next page, unless one is being read. */
  readonly readMore: () => void;
}

/** The feed that was shown last: who comes back to the list finds it as it was. */
let shownLast:
  | { readonly own: QcsClient; readonly asked: string; readonly feed: JobFeed }
  | undefined;
/** Places of all jobs of the key that this page has read. */
let known: { readonly own: QcsClient; readonly places: Set<string> } | undefined;

/** Takes a job that was deleted out of the list that was shown last. */
export function forgetJob(id: string): void {
  shownLast?.feed.forget(id);
}

/** Follows the jobs that pass the filters. */
export function useJobs(filters: Filters, sorting: Sorting): Jobs {
  const own = client.value;
  const asked = JSON.stringify(filters);
  const feed = useMemo(() => {
    if (shownLast?.own === own && shownLast.asked === asked) return shownLast.feed;
    return new JobFeed(sourceOf(own), filters);
  }, [own, asked]);
  const [state, setState] = useState(() => stateOf(feed));
  const shown = useRef(feed);
  const isReading = useRef(false);

  const act = useCallback(
    async (work: () => Promise<void>) => {
      if (isReading.current) return undefined;
      isReading.current = true;
      let error: unknown;
      try {
        await work();
      } catch (thrown) {
        error = thrown;
      }
      if (shown.current !== feed) return undefined;
      isReading.current = false;
      setState(stateOf(feed, error));
      return error;
    },
    [feed],
  );

  useEffect(() => {
    // A text that is being typed is a filter for a moment only.
    const isTyped = shownLast !== undefined && shownLast.feed !== feed && filters.text !== '';
    shown.current = feed;
    isReading.current = false;
    setState(stateOf(feed));
    let allAt = performance.now();
    let isFirst = true;
    let end = () => {};
    const begin = () => {
      shownLast = { own, asked, feed };
      ({ end } = poll(async () => {
        const isAll = isFirst || performance.now() >= allAt + ALL_MS;
        if (isAll) allAt = performance.now();
        const error = await act(() => (feed.isNew ? feed.readMore() : feed.renew(!isAll)));
        isFirst = false;
        if (error !== undefined) return retryMs(error) ?? AFTER_ERROR_MS;
        const isActiveNow = feed.rows().some(isActive);
        return isActiveNow ? ACTIVE_MS : Math.max(ACTIVE_MS, allAt + ALL_MS - performance.now());
      }));
    };
    const timer = setTimeout(begin, isTyped ? TYPED_MS : 0);
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [feed]);
  const readMore = useCallback(() => void act(() => feed.readMore()), [act]);
  const { column, isTurned } = sorting;
  const rows = useMemo(
    () => sorted(withSweeps(state.rows), { column, isTurned }),
    [state.rows, column, isTurned],
  );
  if (known?.own !== own) known = { own, places: new Set() };
  for (const { where } of state.rows) known.places.add(where);
  return { ...state, rows, places: [...known.places].sort(), readMore };
}

function stateOf(feed: JobFeed, error?: unknown): Omit<Jobs, 'readMore' | 'places'> {
  return {
    rows: feed.rows(),
    numRead: feed.numRead,
    isComplete: feed.isComplete,
    isLoading: feed.isNew && error === undefined,
    error,
  };
}

function sourceOf(own: QcsClient): JobSource {
  return {
    page: async (list, { cursor, status, tag, search }): Promise<JobPage> => {
      const query = {
        limit: PAGE,
        ...(cursor !== undefined && { cursor }),
        // The filters come from `filtersOf`, which lets only statuses through.
        ...(status !== undefined && { status: [status as Status] }),
        ...(tag !== undefined && { tag: [tag] }),
        ...(search !== undefined && { search }),
      };
      const { route, items } = LISTS[list];
      const page = await own.request(route, { query });
      // The cast is safe: the table has the field of each route's answer.
      const jobs = Reflect.get(page, items) as Parameters<typeof rowOf>[0][];
      return { rows: jobs.map(rowOf), next: page.next_cursor };
    },
    // The records of all kinds have the fields of their summaries.
    one: async (id) => rowOf((await own.jobsOf(id).get(id)) as Parameters<typeof rowOf>[0]),
  };
}
