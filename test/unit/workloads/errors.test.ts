import { expect, test } from 'vitest';
import { presentError } from '../../../src/service/http/error-answers.ts';
import { UpstreamError, UpstreamRefusedError } from '../../../src/upstream/errors.ts';
import { InvalidInferenceError, ModelUnavailableError } from '../../../src/workloads/errors.ts';

const FACTS = { method: 'POST', path: '/', contentType: 'application/json', maxBodyBytes: 1 };
const FAULT = { kind: 'status', status: 429 } as const;

test.each([
  ['an unavailable model', new ModelUnavailableError('m', 'no.', 7), 503, '7'],
  ['one that nobody knows the end of', new ModelUnavailableError('m', 'no.'), 503, undefined],
  ['a full upstream', new UpstreamError(FAULT, 9), 503, '9'],
  ['a failing upstream', new UpstreamError({ kind: 'not-json' }), 503, undefined],
  ['a request that it refuses', new UpstreamRefusedError(400, 'no'), 400, undefined],
  [
    'a request with faults',
    new InvalidInferenceError('m', [{ path: 'input', message: 'is missing.' }]),
    400,
    undefined,
  ],
])('%s answers with its status and when to come back', (_, error, status, retryAfter) => {
  const presented = presentError(error, FACTS);
  expect(presented.error.status).toBe(status);
  expect(presented.headers['retry-after']?.toString()).toBe(retryAfter);
});

test('an inference with one fault says it, with several their number and the first', () => {
  const faults = [
    { path: 'input', message: 'is missing.' },
    { path: '', message: 'No.' },
  ];
  expect(new InvalidInferenceError('m', faults.slice(0, 1)).message).toBe(
    'The request to m has a fault: input is missing.',
  );
  expect(new InvalidInferenceError('m', faults).message).toBe(
    'The request to m has 2 faults; the first: input is missing.',
  );
});
