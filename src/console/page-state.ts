/**
 * What the page shows, as data: the sliders' input, the last result with the input that it is of, and
 * what the page is doing. A result stays until the next one, and is stale while the input differs.
 */
import { type DemoAnswer, readAnswer } from './demo-answer.ts';
import type { DemoFacts } from './demo-facts.ts';
import type { Outcome } from './outcome.ts';

/** What the page is doing; times are milliseconds of the page's clock. */
export type Phase =
  | { readonly kind: 'ready' }
  | { readonly kind: 'running' }
  | { readonly kind: 'limited'; readonly until: number }
  | { readonly kind: 'unavailable'; readonly reason: string; readonly until?: number }
  | { readonly kind: 'failed'; readonly message: string };

/** All that is shown. */
export interface PageState {
  readonly input: readonly number[];
  readonly result?: {
    readonly input: readonly number[];
    readonly answer: DemoAnswer;
    /** Run by the service before the page was opened. */
    readonly isSelfTest?: boolean;
  };
  readonly phase: Phase;
}

/** As the page opens: on the first example, with what the service's self-test found for it. */
export function openingState(facts: DemoFacts): PageState {
  const { availability, examples, features, selfTest } = facts;
  // An example is a clear call where the middle of all data is a close one.
  const input = examples[0]?.input ?? features.map(({ typical }) => typical);
  if (!availability.available) {
    const reason = availability.reason ?? 'The model did not pass its last self-test.';
    return { input, phase: { kind: 'unavailable', reason } };
  }
  const answer = readAnswer(selfTest);
  const phase = { kind: 'ready' } as const;
  return { input, phase, ...(answer && { result: { input, answer, isSelfTest: true } }) };
}

/** With other measurements. */
export function withInput(state: PageState, input: readonly number[]): PageState {
  return { ...state, input };
}

/** With the end of a run of `input`. */
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

/** As time passes: a limit that is over is gone. */
export function atTime(state: PageState, now: number): PageState {
  const { phase } = state;
  const isOver = phase.kind === 'limited' && secondsLeft(phase, now) === 0;
  return isOver ? { ...state, phase: { kind: 'ready' } } : state;
}

/** Whole seconds until a run may be asked for; 0 when it may be now. */
export function secondsLeft(phase: Phase, now: number): number {
  const until = 'until' in phase ? (phase.until ?? now) : now;
  return Math.max(0, Math.ceil((until - now) / 1000));
}

/** Whether a run may be asked for. */
export function mayRun({ phase }: PageState, now: number): boolean {
  return phase.kind !== 'running' && secondsLeft(phase, now) === 0;
}

/** Whether the result is of other measurements than those that are set. */
export function isStale({ input, result }: PageState): boolean {
  return result?.input.some((value, index) => value !== input[index]) ?? false;
}
