/** How a request ended: with a result, or with a reason why there is none. */
import { ApiError, RateLimitError, ServiceUnavailableError } from '../../client/client.ts';
import type { DemoAnswer } from './demo-answer.ts';

/** How a request ended. */
export type Outcome =
  | { readonly kind: 'answer'; readonly answer: DemoAnswer }
  | { readonly kind: 'limited'; readonly retryAfterS: number }
  | { readonly kind: 'unavailable'; readonly reason: string; readonly retryAfterS?: number }
  | { readonly kind: 'failed'; readonly message: string };

/** Seconds of the rate limit's window; the wait if the service names none. */
const WINDOW_S = 60;

/** The outcome that a visitor is shown for an error of the client. */
export function outcomeOfError(error: unknown): Outcome {
  if (!(error instanceof ApiError)) {
    return { kind: 'failed', message: 'The service did not answer. Is the network there?' };
  }
  const { message, retryAfterMs } = error;
  const retryAfterS = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000);
  if (error instanceof RateLimitError) {
    return { kind: 'limited', retryAfterS: retryAfterS ?? WINDOW_S };
  }
  if (error instanceof ServiceUnavailableError) {
    return {
      kind: 'unavailable',
      reason: message,
      ...(retryAfterS !== undefined && { retryAfterS }),
    };
  }
  return { kind: 'failed', message };
}
