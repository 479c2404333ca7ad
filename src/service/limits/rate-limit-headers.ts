/** The headers that tell a caller its rate limit. */
import type { WindowState } from './fixed-windows.ts';

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
