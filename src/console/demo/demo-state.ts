/**
 * State of the demo: the input of the sliders, the last result with its input, and the outcome of a run of the service.
 * A result stays until the next one, and is stale while the input differs.
 */

import {
  ApiError,
  QcsClient,
  RateLimitError,
  ServiceUnavailableError,
} from '../../client/client.ts';
import { fieldsOf } from '../../client/json.ts';
import type { DemoFacts } from './demo-facts.ts';

/** Activity of the page; times are milliseconds of the page's clock. */
export type Phase =
  | { readonly kind: 'ready' }
  | { readonly kind: 'running' }
  | { readonly kind: 'limited'; readonly until: number }
  | { readonly kind: 'unavailable'; readonly reason: string; readonly until?: number }
  | { readonly kind: 'failed'; readonly message: string };

/** Everything that the page shows. */
export interface PageState {
  readonly input: readonly number[];
  readonly result?: {
    readonly input: readonly number[];
    readonly answer: DemoAnswer;
    /** Whether the service ran it before the page was opened. */
    readonly isSelfTest?: boolean;
  };
  readonly phase: Phase;
}

/** Initial state: the first example, with the result of the service's self-test for it. */
export function openingState(facts: DemoFacts): PageState {
  const { availability, examples, features, selfTest } = facts;
  // An example gives a clear decision; the middle of all data gives a close one.
  const input = examples[0]?.input ?? features.map(({ typical }) => typical);
  if (!availability.available) {
    const reason = availability.reason ?? 'The model did not pass its last self-test.';
    return { input, phase: { kind: 'unavailable', reason } };
  }
  const answer = readAnswer(selfTest);
  const phase = { kind: 'ready' } as const;
  return { input, phase, ...(answer && { result: { input, answer, isSelfTest: true } }) };
}

/** The state after the input changed. */
export function withInput(state: PageState, input: readonly number[]): PageState {
  return { ...state, input };
}

/** The state after a run of `input` has ended. */
export function withOutcome(
  state: PageState,
  input: readonly number[],
  outcome: Outcome,
  now: number,
): PageState {
  switch (outcome.kind) {
    case 'answer':
      return { ...state, result: { input, answer: outcome.answer }, phase: { kind: 'ready' } };
    case 'limited':
      return { ...state, phase: { kind: 'limited', until: now + outcome.retryAfterS * 1000 } };
    case 'unavailable': {
      const { reason, retryAfterS } = outcome;
      const until = retryAfterS === undefined ? {} : { until: now + retryAfterS * 1000 };
      return { ...state, phase: { kind: 'unavailable', reason, ...until } };
    }
    case 'failed':
      return { ...state, phase: { kind: 'failed', message: outcome.message } };
  }
}

/** The state at a time: an expired rate limit is gone. */
export function atTime(state: PageState, now: number): PageState {
  const { phase } = state;
  const isOver = phase.kind === 'limited' && secondsLeft(phase, now) === 0;
  return isOver ? { ...state, phase: { kind: 'ready' } } : state;
}

/** Whole seconds until a run may be requested; 0 if now. */
export function secondsLeft(phase: Phase, now: number): number {
  const until = 'until' in phase ? (phase.until ?? now) : now;
  return Math.max(0, Math.ceil((until - now) / 1000));
}

/** Whether a run may be requested. */
export function mayRun({ phase }: PageState, now: number): boolean {
  return phase.kind !== 'running' && secondsLeft(phase, now) === 0;
}

/** Whether the result belongs to other measurements than the current ones. */
export function isStale({ input, result }: PageState): boolean {
  return result?.input.some((value, index) => value !== input[index]) ?? false;
}

/** Longer than the service's own time limit. */
const TIMEOUT_MS = 60_000;

/**
 * Runs the circuit once; never rejects. A refused run is not repeated: the page says so, and the visitor decides.
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

/** Outcome of a request: a result, or the reason why there is none. */
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

/** Result of a run. */
export interface DemoAnswer {
  readonly label: string;
  readonly prediction: number;
  readonly expectation: number;
  readonly threshold: number;
  /** Distance of the expectation from the threshold, in shot noises. */
  readonly margin: number;
  readonly shots: number;
  /** Backend that ran the circuit. */
  readonly backend: string;
  readonly seed: number;
  /** Names of features that were outside the range of the training rows, and were clipped. */
  readonly outOfRange: readonly string[];
  /** Counts by bit string, qubit 0 rightmost. */
  readonly counts: ReadonlyMap<string, number>;
  readonly queueMs: number;
  readonly executionMs: number;
}

/** Reads an answer with its `data`; undefined if it is not a result. */
export function readAnswer(answer: unknown): DemoAnswer | undefined {
  const data = fieldsOf(fieldsOf(answer)?.['data']) ?? {};
  const timing = fieldsOf(data['timing']) ?? {};
  const counts = readCounts(data['counts']);
  const label = data['prediction_label'];
  const expectation = finite(data['expectation']);
  const threshold = finite(data['threshold']);
  const margin = finite(data['margin_in_shot_noise']);
  const shots = finite(data['shots_per_circuit']);
  if (typeof label !== 'string' || counts === undefined) return undefined;
  if (expectation === undefined || threshold === undefined) return undefined;
  if (margin === undefined || shots === undefined) return undefined;
  const outOfRange = data['out_of_range'];
  return {
    label,
    prediction: finite(data['prediction']) ?? 0,
    expectation,
    threshold,
    margin,
    shots,
    backend: typeof data['backend'] === 'string' ? data['backend'] : 'a backend it did not name',
    seed: finite(data['seed']) ?? 0,
    outOfRange: Array.isArray(outOfRange) ? outOfRange.map(String) : [],
    counts,
    queueMs: finite(timing['queue_ms']) ?? 0,
    executionMs: finite(timing['execution_ms']) ?? 0,
  };
}

function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function readCounts(value: unknown): ReadonlyMap<string, number> | undefined {
  const counts = new Map<string, number>();
  for (const [outcome, count] of Object.entries(fieldsOf(value) ?? {})) {
    if (typeof count !== 'number' || !/^[01]+$/.test(outcome)) return undefined;
    counts.set(outcome, count);
  }
  return counts.size === 0 ? undefined : counts;
}
