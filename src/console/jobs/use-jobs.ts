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
  passes,
  rowOf,
  type Status,
} from './job-row.ts';

const PAGE = 100;
/** A key of the tier standard has 100 requests a minute, and a renewal of everything takes four. */
const ACTIVE_MS = 3000;
const ALL_MS = 15_000;
/** Time after an error, unless the service states another. */
const AFTER_ERROR_MS = 10_000;

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

/** Follows the jobs that pass the filters. */
export function useJobs(filters: Filters): Jobs {
  const own = client.value;
  // Places and texts are searched in the jobs read so far: typing sends no requests.
  const { kind, status, tag } = filters;
  const feed = useMemo(
    () => new JobFeed(sourceOf(own), { kind, status, tag, where: '', text: '' }),
    [own, kind, status, tag],
  );
  const [state, setState] = useState<Omit<Jobs, 'readMore'>>(LOADING);
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
      setState({
        rows: feed.rows(),
        places: feed.places(),
        numRead: feed.numRead,
        isComplete: feed.isComplete,
        isLoading: false,
        error,
      });
      return error;
    },
    [feed],
  );

  useEffect(() => {
    shown.current = feed;
    isReading.current = false;
    setState(LOADING);
    let allAt = performance.now();
    let isFirst = true;
    const { end } = poll(async () => {
      const isAll = performance.now() >= allAt + ALL_MS;
      if (isAll) allAt = performance.now();
      const error = await act(() => (isFirst ? feed.readMore() : feed.renew(!isAll)));
      isFirst = false;
      if (error !== undefined) return retryMs(error) ?? AFTER_ERROR_MS;
      const isActiveNow = feed.rows().some(isActive);
      return isActiveNow ? ACTIVE_MS : Math.max(ACTIVE_MS, allAt + ALL_MS - performance.now());
    });
    return end;
  }, [feed]);
  const readMore = useCallback(() => void act(() => feed.readMore()), [act]);
  const rows = useMemo(
    () => state.rows.filter((row) => passes(row, filters)),
    [state.rows, filters],
  );
  return { ...state, rows, readMore };
}

const LOADING = {
  rows: [],
  places: [],
  numRead: 0,
  isComplete: false,
  isLoading: true,
  error: undefined,
} as const;

function sourceOf(own: QcsClient): JobSource {
  return {
    page: async (list, { cursor, status, tag }): Promise<JobPage> => {
      const query = {
        limit: PAGE,
        ...(cursor !== undefined && { cursor }),
        // The filters come from `filtersOf`, which lets only statuses through.
        ...(status !== undefined && { status: [status as Status] }),
        ...(tag !== undefined && { tag: [tag] }),
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
