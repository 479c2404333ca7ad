/**
 * State of the page: the input of the sliders, the last result with its input, and the page's
 * activity. A result stays until the next one, and is stale while the input differs.
 */

import type { Outcome } from './ask-service.ts';
import { type DemoAnswer, readAnswer } from './demo-answer.ts';
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
