/** What becomes of a request: a result, or one of the ways in which there is none. */
import { type DemoAnswer, fieldsOf, readAnswer } from './demo-answer.ts';

/** How a request ended. */
export type Outcome =
  | { readonly kind: 'answer'; readonly answer: DemoAnswer }
  | { readonly kind: 'limited'; readonly retryAfterS: number }
  | { readonly kind: 'unavailable'; readonly reason: string; readonly retryAfterS?: number }
  | { readonly kind: 'failed'; readonly message: string };

/** What of an HTTP answer tells them apart. */
export interface Reply {
  readonly status: number;
  /** The header Retry-After. */
  readonly retryAfter: string | null;
  /** Parsed JSON; undefined where it is none. */
  readonly body: unknown;
}

/** Of the window that the limit counts in: what to wait where the service does not say. */
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

/** Whole seconds; a date is not one of the forms that this service sends. */
function readSeconds(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
