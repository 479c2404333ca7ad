/**
 * Rate limits: hits per subject in windows of fixed length, each opened by the subject's first hit, and the
 * headers that tell callers of them.
 *
 * A Map keeps its entries in the order in which their windows opened, and all windows are equally
 * long, so that those that have ended are at its front: each hit clears them away in constant
 * amortised time, and memory holds only the subjects of the last window's length.
 */

/** A subject's window after a hit, or as it stands. */
export interface WindowState {
  readonly openedAt: number;
  readonly endsAt: number;
  /** Hits that were within the limit. */
  readonly used: number;
}

/** A hit's outcome. */
export interface HitOutcome extends WindowState {
  readonly allowed: boolean;
}

/** Windows of one length for any number of subjects. Times are milliseconds. */
export class FixedWindows {
  readonly #lengthMs: number;
  readonly #maxSubjects: number;
  readonly #windows = new Map<string, { openedAt: number; used: number }>();

  /** @param maxSubjects - Beyond it the window that opened first is forgotten. */
  constructor(lengthMs: number, maxSubjects = 100_000) {
    this.#lengthMs = lengthMs;
    this.#maxSubjects = maxSubjects;
  }

  /** Subjects with a window in memory. */
  get size(): number {
    return this.#windows.size;
  }

  /**
   * Counts one hit; one above the limit is not counted and not allowed.
   *
   * @param within - A subject that the hit counts for, too, and whose limit holds as well.
   */
  hit(
    subject: string,
    limit: number,
    now: number,
    within?: { readonly subject: string; readonly limit: number },
  ): HitOutcome {
    this.#forgetEnded(now);
    const wider = within && this.#open(within.subject, now);
    // Looked at first: where it is used up, no window is opened for one more subject.
    if (within && wider && wider.used >= within.limit) {
      return { allowed: false, ...this.#state(wider) };
    }
    const window = this.#open(subject, now);
    const allowed = window.used < limit;
    if (allowed) {
      window.used++;
      if (wider !== undefined) wider.used++;
    }
    return { allowed, ...this.#state(window) };
  }

  #open(subject: string, now: number): { openedAt: number; used: number } {
    let window = this.#windows.get(subject);
    if (window === undefined) {
      window = { openedAt: now, used: 0 };
      this.#windows.set(subject, window);
    }
    return window;
  }

  #state(window: { openedAt: number; used: number }): WindowState {
    return {
      openedAt: window.openedAt,
      endsAt: window.openedAt + this.#lengthMs,
      used: window.used,
    };
  }

  #forgetEnded(now: number): void {
    for (const [subject, window] of this.#windows) {
      const open = now < window.openedAt + this.#lengthMs;
      if (open && this.#windows.size <= this.#maxSubjects) return;
      this.#windows.delete(subject);
    }
  }
}

/** Length of a rate-limit window. */
export const WINDOW_S = 60;

/** Whole seconds until the window ends, at least 1 while it is open. */
export function secondsLeft(window: WindowState, now: number): number {
  return Math.max(0, Math.ceil((window.endsAt - now) / 1000));
}

/**
 * RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers), and the older X- headers;
 * X-RateLimit-Reset is in seconds from now, as `t` of RateLimit is.
 */
export function rateLimitHeaders(
  policy: string,
  limit: number,
  window: WindowState,
  now: number,
): Record<string, string | number> {
  const remaining = Math.max(0, limit - window.used);
  const reset = secondsLeft(window, now);
  return {
    'ratelimit-policy': `"${policy}";q=${limit};w=${WINDOW_S}`,
    ratelimit: `"${policy}";r=${remaining};t=${reset}`,
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': reset,
  };
}
