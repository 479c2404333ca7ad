/** Sends measurements to the service. */
import {
  ApiError,
  QcsClient,
  RateLimitError,
  ServiceUnavailableError,
} from '../../client/client.ts';
import { type DemoAnswer, readAnswer } from './demo-answer.ts';

/** Longer than the service's own time limit. */
const TIMEOUT_MS = 60_000;

/**
 * Runs the circuit once; never rejects. A refused run is not repeated: the visitor is told, and decides.
 *
 * @param fetch - Sends the request in place of the browser.
 */
export async function askService(
  input: readonly number[],
  fetch?: typeof globalThis.fetch,
): Promise<Outcome> {
  const retry = { maxRetries: 0 };
  const client = new QcsClient({ baseUrl: '', retry, ...(fetch !== undefined && { fetch }) });
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const data = await client.request('POST /demo/qnn-hybrid', { body: { input }, signal });
    const answer = readAnswer({ data });
    if (answer !== undefined) return { kind: 'answer', answer };
    const other = 'The service answered in a form that this page cannot read. Reloading may help.';
    return { kind: 'failed', message: other };
  } catch (error) {
    return outcomeOfError(error);
  }
}

/** How a request ended: with a result, or with a reason why there is none. */
export type Outcome =
  | { readonly kind: 'answer'; readonly answer: DemoAnswer }
  | { readonly kind: 'limited'; readonly retryAfterS: number }
  | { readonly kind: 'unavailable'; readonly reason: string; readonly retryAfterS?: number }
  | { readonly kind: 'failed'; readonly message: string };

/** Seconds of the rate limit's window; the wait if the service names none. */
const WINDOW_S = 60;

/** The outcome that a visitor is shown for an error of the client. */
function outcomeOfError(error: unknown): Outcome {
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
