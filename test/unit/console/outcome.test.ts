import { describe, expect, test } from 'vitest';
import { readOutcome } from '../../../src/console/outcome.ts';
import { demoBody, demoErrorBody } from '../../support/demo-facts.ts';

const NONE = { retryAfter: null };

/** A good body with one field of its data replaced. */
function bodyWith(field: string, value: unknown): object {
  const body = structuredClone(demoBody('virginica'));
  Reflect.set(Object(Reflect.get(body, 'data')), field, value);
  return body;
}

describe('an answer of status', () => {
  test('200 is a result', () => {
    const outcome = readOutcome({ status: 200, ...NONE, body: demoBody('virginica') });
    expect(outcome).toMatchObject({
      kind: 'answer',
      answer: {
        label: 'virginica',
        prediction: 1,
        shots: 1024,
        threshold: 0.062,
        backend: 'statevector-sim (cpu, f64)',
        outOfRange: [],
        executionMs: 1.84,
        queueMs: 0.21,
      },
    });
    expect(outcome.kind === 'answer' && outcome.answer.counts.get('0000')).toBe(214);
  });

  test('429 names the seconds to wait', () => {
    const body = demoErrorBody('RATE_LIMIT_EXCEEDED', 429, 'Too many.');
    const outcome = readOutcome({ status: 429, retryAfter: '42', body });
    expect(outcome).toEqual({ kind: 'limited', retryAfterS: 42 });
  });

  test.each([null, '', 'Sat, 02 Jan 2027 00:00:00 GMT', '-3'])(
    '429 that names none (%j) waits a whole window',
    (retryAfter) => {
      const outcome = readOutcome({ status: 429, retryAfter, body: undefined });
      expect(outcome).toEqual({ kind: 'limited', retryAfterS: 60 });
    },
  );

  test('503 gives the reason, with the seconds where they are known', () => {
    const body = demoErrorBody('SERVICE_UNAVAILABLE', 503, 'In maintenance.');
    expect(readOutcome({ status: 503, ...NONE, body })).toEqual({
      kind: 'unavailable',
      reason: 'In maintenance.',
    });
    expect(readOutcome({ status: 503, retryAfter: '5', body })).toMatchObject({ retryAfterS: 5 });
  });

  test('503 of something before the service is told as well', () => {
    const outcome = readOutcome({ status: 503, ...NONE, body: undefined });
    expect(outcome).toMatchObject({ kind: 'unavailable', reason: expect.stringMatching(/\w/) });
  });

  test('400 gives what the service says of it', () => {
    const body = demoErrorBody('BAD_REQUEST', 400, 'input[0] must be a number.');
    expect(readOutcome({ status: 400, ...NONE, body })).toEqual({
      kind: 'failed',
      message: 'input[0] must be a number.',
    });
  });

  test('502 without a body names the status', () => {
    const outcome = readOutcome({ status: 502, ...NONE, body: undefined });
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('502') });
  });

  test.each([
    ['no body', undefined],
    ['a text', 'hello'],
    ['no data', { success: true }],
    ['no label', bodyWith('prediction_label', undefined)],
    ['an expectation that is no number', bodyWith('expectation', '0.5')],
    ['an expectation that is not finite', bodyWith('expectation', Number.NaN)],
    ['no threshold', bodyWith('threshold', null)],
    ['no margin', bodyWith('margin_in_shot_noise', undefined)],
    ['no shots', bodyWith('shots_per_circuit', undefined)],
    ['no counts', bodyWith('counts', undefined)],
    ['counts of nothing', bodyWith('counts', {})],
    ['counts that are no numbers', bodyWith('counts', { '0000': '1' })],
    ['outcomes that are no bit strings', bodyWith('counts', { abcd: 1 })],
  ])('200 with %s is no result', (_, body) => {
    expect(readOutcome({ status: 200, ...NONE, body })).toMatchObject({ kind: 'failed' });
  });

  test('200 of a service that says less in passing is still a result', () => {
    const body = bodyWith('timing', undefined);
    const outcome = readOutcome({ status: 200, ...NONE, body });
    expect(outcome).toMatchObject({ kind: 'answer', answer: { executionMs: 0, queueMs: 0 } });
  });

  test('200 names the features that were clipped', () => {
    const body = bodyWith('out_of_range', ['petal length']);
    const outcome = readOutcome({ status: 200, ...NONE, body });
    expect(outcome).toMatchObject({ answer: { outOfRange: ['petal length'] } });
  });
});
