/** Calls that are made again and again while the page is looked at. */
import { ApiError } from '../../client/client.ts';

/** A call that is repeated. */
export interface Poll {
  /** Calls now. */
  readonly now: () => void;
  readonly end: () => void;
}

/**
 * Calls at once, and again after as many milliseconds as the call gives; undefined is never again. A hidden page waits
 * until it is visible, and calls then.
 */
export function poll(call: () => Promise<number | undefined>): Poll {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRepeated = false;
  let isOver = false;
  const now = async () => {
    clearTimeout(timer);
    const waitMs = await call();
    // Another call may have ended meanwhile.
    clearTimeout(timer);
    isRepeated = waitMs !== undefined;
    if (waitMs !== undefined && !document.hidden && !isOver) timer = setTimeout(now, waitMs);
  };
  const onVisible = () => {
    clearTimeout(timer);
    if (!document.hidden && isRepeated) void now();
  };
  document.addEventListener('visibilitychange', onVisible);
  void now();
  return {
    now: () => void now(),
    end: () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    },
  };
}

/** Milliseconds that the service asks to wait after an error; undefined if it does not. */
export function retryMs(error: unknown): number | undefined {
  return error instanceof ApiError ? error.retryAfterMs : undefined;
}
