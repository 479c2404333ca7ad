import { describe, expect, test } from 'vitest';
import {
  atTime,
  isStale,
  mayRun,
  type Outcome,
  openingState,
  type PageState,
  readAnswer,
  secondsLeft,
  withInput,
  withOutcome,
} from '../../../src/console/demo/demo-state.ts';
import { DEMO_FACTS, demoBody } from '../../support/demo-facts.ts';

const FIRST = [6, 3, 5, 2];
const OTHER = [6, 3, 4.9, 2];
const NOW = 10_000;
const READY: PageState = { input: FIRST, phase: { kind: 'ready' } };

const firstInput = () => DEMO_FACTS.examples[0]?.input;

function answered(): Outcome {
  const answer = readAnswer(demoBody('virginica'));
  if (answer === undefined) throw new Error('not read');
  return { kind: 'answer', answer };
}

describe('a page that opens', () => {
  test('shows the first example and what the self-test found for it, ready for a run', () => {
    const state = openingState(DEMO_FACTS);
    expect(state).toMatchObject({
      input: DEMO_FACTS.examples[0]?.input,
      phase: { kind: 'ready' },
      result: { isSelfTest: true, answer: { label: 'virginica' } },
    });
    expect(isStale(state)).toBe(false);
    const next = withOutcome(state, state.input, answered(), NOW);
    expect(next.result?.isSelfTest).toBeUndefined();
  });

  test('shows no result before the first self-test, nor one that it cannot read', () => {
    const { selfTest: _, ...facts } = DEMO_FACTS;
    expect(openingState(facts)).toEqual({ input: firstInput(), phase: { kind: 'ready' } });
    expect(openingState({ ...facts, selfTest: { data: {} } }).result).toBeUndefined();
  });

  test('shows no result of a model that is unavailable, but the reason', () => {
    const availability = { available: false, reason: 'Off.' };
    expect(openingState({ ...DEMO_FACTS, availability })).toEqual({
      input: firstInput(),
      phase: { kind: 'unavailable', reason: 'Off.' },
    });
  });
});

describe('a result', () => {
  test('is of the input that was sent, and fresh while that is set', () => {
    const state = withOutcome(READY, FIRST, answered(), NOW);
    expect(state.result?.input).toEqual(FIRST);
    expect(state.phase).toEqual({ kind: 'ready' });
    expect(isStale(state)).toBe(false);
  });

  test.each([[[6, 3, 4.9, 2]], [[6, 3, 5.1, 2]], [[6.1, 3, 5, 2]], [[6, 3, 5, 1.9]]])(
    'is stale with a slider elsewhere, as in %j, and fresh again where it was',
    (moved) => {
      const state = withOutcome(READY, FIRST, answered(), NOW);
      expect(isStale(withInput(state, moved))).toBe(true);
      expect(isStale(withInput(withInput(state, moved), [...FIRST]))).toBe(false);
    },
  );

  test('of an input that was changed while it ran is stale when it comes', () => {
    const running = withInput({ ...READY, phase: { kind: 'running' } }, OTHER);
    expect(isStale(withOutcome(running, FIRST, answered(), NOW))).toBe(true);
  });

  test('stays when the next run fails', () => {
    const state = withOutcome(READY, FIRST, answered(), NOW);
    const failed = withOutcome(state, FIRST, { kind: 'failed', message: 'No network.' }, NOW);
    expect(failed.result).toEqual(state.result);
    expect(failed.phase).toEqual({ kind: 'failed', message: 'No network.' });
    expect(mayRun(failed, NOW)).toBe(true);
  });

  test('that never was is not stale', () => {
    expect(isStale(READY)).toBe(false);
  });
});

describe('a limit', () => {
  const limited = withOutcome(READY, FIRST, { kind: 'limited', retryAfterS: 42 }, NOW);

  test.each([
    [NOW, 42],
    [NOW + 1, 42],
    [NOW + 1000, 41],
    [NOW + 41_999, 1],
    [NOW + 42_000, 0],
    [NOW + 60_000, 0],
  ])('at %i ms leaves %i s', (now, seconds) => {
    expect(secondsLeft(limited.phase, now)).toBe(seconds);
    expect(mayRun(limited, now)).toBe(seconds === 0);
    expect(atTime(limited, now).phase.kind).toBe(seconds === 0 ? 'ready' : 'limited');
  });
});

describe('an unavailable model', () => {
  test('may be tried again at once where the service does not say when', () => {
    const state = withOutcome(READY, FIRST, { kind: 'unavailable', reason: 'Off.' }, NOW);
    expect(state.phase).toEqual({ kind: 'unavailable', reason: 'Off.' });
    expect(mayRun(state, NOW)).toBe(true);
  });

  test('is waited for where it does, and is not called available afterwards', () => {
    const outcome: Outcome = { kind: 'unavailable', reason: 'Off.', retryAfterS: 5 };
    const state = withOutcome(READY, FIRST, outcome, NOW);
    expect(mayRun(state, NOW + 4999)).toBe(false);
    expect(mayRun(state, NOW + 5000)).toBe(true);
    expect(atTime(state, NOW + 5000).phase.kind).toBe('unavailable');
  });
});

test('nothing is asked for while a run is under way', () => {
  expect(mayRun({ ...READY, phase: { kind: 'running' } }, NOW)).toBe(false);
  expect(mayRun(READY, NOW)).toBe(true);
});
