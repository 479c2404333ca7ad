/** A circuit that is sent, followed by its events, and kept when it has ended, to be compared with later ones. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Circuit, CircuitSubmissionInput } from '../../client/api-types.ts';
import { ConnectionError, JobCancelledError, JobFailedError } from '../../client/errors.ts';
import type { Progress } from '../../client/job-events.ts';
import { idempotencyKey } from '../../client/jobs.ts';
import { client, LAST_RUN } from '../shell/session.ts';

/** A run that has completed. */
export interface EndedRun {
  /** 1 for the first run of the panel. */
  readonly number: number;
  readonly circuit: Circuit;
  readonly request: CircuitSubmissionInput;
  /** Exact probabilities of the circuit that was sent, if they were known. */
  readonly exact: ReadonlyMap<string, number> | undefined;
}

/** The run that goes on. */
export interface ActiveRun {
  /** Undefined until the service has answered. */
  readonly id: string | undefined;
  readonly progress: Progress;
  /** Planned start, if the service has said one. */
  readonly expectedStartAt: string | undefined;
}

/** Outcomes of the last run and those before it. */
export interface Runs {
  readonly active: ActiveRun | undefined;
  /** Why the last run has no result; undefined if it has one. */
  readonly error: unknown;
  /** Record of the last run if it failed or was cancelled. */
  readonly unfinished: Circuit | undefined;
  /** Completed runs, the last one first. */
  readonly ended: readonly EndedRun[];
  readonly start: (
    request: CircuitSubmissionInput,
    exact: ReadonlyMap<string, number> | undefined,
  ) => void;
  readonly cancel: () => void;
}

/** Runs kept for comparison. */
const MAX_KEPT = 20;

/** The last run, kept for this tab: after a reload of the page it is followed, or shown. */
interface KeptRun {
  /** Sent once more with this key, it is the same job. */
  readonly idempotencyKey: string;
  /** Undefined until the service has answered. */
  readonly id?: string;
  readonly number: number;
  readonly request: CircuitSubmissionInput;
  readonly exact: readonly (readonly [string, number])[] | undefined;
}

/** Milliseconds after which a page that was left is gone. */
const LEAVING_MS = 1000;

function forgetRun(key: string): void {
  const kept = sessionStorage.getItem(LAST_RUN);
  if (kept !== null && JSON.parse(kept).idempotencyKey === key) sessionStorage.removeItem(LAST_RUN);
}

function keepRun(run: KeptRun): void {
  try {
    sessionStorage.setItem(LAST_RUN, JSON.stringify(run));
  } catch {
    // It is too large to be kept. It goes on, and is on the page Jobs.
    sessionStorage.removeItem(LAST_RUN);
  }
}

/** Sends circuits one at a time. A job goes on if the panel is closed, and is followed by the next panel of the tab. */
export function useRuns(): Runs {
  const [state, setState] = useState<Omit<Runs, 'start' | 'cancel'>>({
    active: undefined,
    error: undefined,
    unfinished: undefined,
    ended: [],
  });
  const end = useRef(new AbortController());
  const numStarted = useRef(0);
  useEffect(() => {
    const own = new AbortController();
    end.current = own;
    const kept = sessionStorage.getItem(LAST_RUN);
    if (kept !== null) void follow(JSON.parse(kept));
    return () => own.abort();
  }, []);

  const follow = async (run: KeptRun) => {
    const { signal } = end.current;
    const { circuits } = client.peek();
    const { number, request, idempotencyKey: key } = run;
    numStarted.current = number;
    const show = (active: ActiveRun | undefined) => {
      if (!signal.aborted) setState((old) => ({ ...old, active, error: undefined }));
    };
    let { id } = run;
    try {
      keepRun(run);
      let expectedStartAt: string | undefined;
      show({ id, progress: { status: 'queued' }, expectedStartAt });
      setState((old) => ({ ...old, unfinished: undefined }));
      if (id === undefined) {
        const sent = await circuits.submit(request, { signal, idempotencyKey: key });
        id = sent.circuit_id;
        keepRun({ ...run, id });
        expectedStartAt = sent.expected_start_at;
        show({ id, progress: { status: sent.status }, expectedStartAt });
      }
      const onProgress = (progress: Progress) => show({ id, progress, expectedStartAt });
      const circuit = await circuits.wait(id, { signal, onProgress });
      if (signal.aborted) return;
      const exact = run.exact && new Map(run.exact);
      setState(({ ended }) => ({
        active: undefined,
        error: undefined,
        unfinished: undefined,
        ended: [{ number, circuit, request, exact }, ...ended].slice(0, MAX_KEPT),
      }));
    } catch (error) {
      if (signal.aborted) return;
      // A page that is left loses its connections; the next one finds the run. One that stays has shown the failure: what
      // was not sent is not sent later, without being asked.
      if (!(error instanceof ConnectionError)) sessionStorage.removeItem(LAST_RUN);
      else if (id === undefined) setTimeout(() => forgetRun(key), LEAVING_MS);
      const hasEnded = error instanceof JobFailedError || error instanceof JobCancelledError;
      const unfinished = hasEnded ? (error.job as Circuit) : undefined;
      setState((old) => ({ ...old, active: undefined, error, unfinished }));
    }
  };

  const cancel = async () => {
    const id = state.active?.id;
    if (id === undefined) return;
    try {
      await client.peek().circuits.cancel(id);
    } catch (error) {
      setState((old) => ({ ...old, error }));
    }
  };

  return {
    ...state,
    start: (request, exact) =>
      void follow({
        idempotencyKey: idempotencyKey(),
        number: numStarted.current + 1,
        request,
        exact: exact && [...exact],
      }),
    cancel: () => void cancel(),
  };
}
