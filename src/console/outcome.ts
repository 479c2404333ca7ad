/** Classifies the end of a request: a result, or a reason why there is none. */
import { type DemoAnswer, fieldsOf, readAnswer } from './demo-answer.ts';

/** How a request ended. */
export type Outcome =
  | { readonly kind: 'answer'; readonly answer: DemoAnswer }
  | { readonly kind: 'limited'; readonly retryAfterS: number }
  | { readonly kind: 'unavailable'; readonly reason: string; readonly retryAfterS?: number }
  | { readonly kind: 'failed'; readonly message: string };

/** The parts of an HTTP answer that decide the outcome. */
export interface Reply {
  readonly status: number;
  /** The header Retry-After. */
  readonly retryAfter: string | null;
  /** Parsed JSON; undefined if the body is not JSON. */
  readonly body: unknown;
}

/** Seconds of the rate limit's window; the wait if the service names none. */
const WINDOW_S = 60;

/** Reads what the service answered. */
export function readOutcome({ status, retryAfter, body }: Reply): Outcome {
  const retryAfterS = readSeconds(retryAfter);
  const said = fieldsOf(fieldsOf(body)['error'])['message'];
  const message = typeof said === 'string' ? said : undefined;
  if (status === 429) return { kind: 'limited', retryAfterS: retryAfterS ?? WINDOW_S };
  if (status === 503) {
    const reason = message ?? 'The model cannot run at the moment.';
    return { kind: 'unavailable', reason, ...(retryAfterS !== undefined && { retryAfterS }) };
  }
  if (status !== 200) {
    return { kind: 'failed', message: message ?? `The service answered with status ${status}.` };
  }
  const answer = readAnswer(body);
  if (answer !== undefined) return { kind: 'answer', answer };
  const other = 'The service answered in a form that this page cannot read. Reloading may help.';
  return { kind: 'failed', message: other };
}

/** Whole seconds of Retry-After; this service never sends a date. */
function readSeconds(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
