import { describe, expect, test } from 'vitest';
import { CodedError } from '../../../../../src/errors/coded-error.ts';
import {
  checkTextRequest,
  type TextRequest,
} from '../../../../../src/workloads/models/text-generation/text-request.ts';

function faultsOf(request: TextRequest): readonly string[] {
  try {
    checkTextRequest('llma-text', request, 1024);
    return [];
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    expect(error.code).toBe('WORKLOADS_INFERENCE_INVALID');
    return error.faults.map(({ path, message }) => `${path} ${message}`);
  }
}

const tooFew = 'input must have 1 to 32768 characters, not 0.';
const tooMany = 'input must have 1 to 32768 characters, not 32769.';
const tokens = 'parameters.max_tokens must be a whole number from 1 to 1024, not';
const temperature = 'parameters.temperature must be from 0 to 2, not';

describe('a request for text is refused', () => {
  test.each<[string, TextRequest, string]>([
    ['empty', { input: '' }, tooFew],
    ['longer than 32,768 characters', { input: 'x'.repeat(32_769) }, tooMany],
    [
      'with half of a character',
      { input: 'a\ud83d' },
      'input must be well-formed Unicode: it has a lone surrogate.',
    ],
    ['for no tokens', { input: 'x', maxTokens: 0 }, `${tokens} 0.`],
    ['for more tokens than the bound', { input: 'x', maxTokens: 1025 }, `${tokens} 1025.`],
    ['for parts of tokens', { input: 'x', maxTokens: 1.5 }, `${tokens} 1.5.`],
    ['with a temperature below 0', { input: 'x', temperature: -0.1 }, `${temperature} -0.1.`],
    ['with a temperature above 2', { input: 'x', temperature: 2.1 }, `${temperature} 2.1.`],
    ['with a temperature that is none', { input: 'x', temperature: NaN }, `${temperature} NaN.`],
  ])('%s', (_, request, fault) => {
    expect(faultsOf(request)).toEqual([fault]);
  });

  test('with all its faults listed', () => {
    expect(faultsOf({ input: '', maxTokens: 0, temperature: 3 })).toEqual([
      tooFew,
      `${tokens} 0.`,
      `${temperature} 3.`,
    ]);
  });
});

test.each<[TextRequest]>([
  [{ input: 'x', maxTokens: 1, temperature: 0 }],
  [{ input: 'x'.repeat(32_768), maxTokens: 1024, temperature: 2 }],
  [{ input: '\ud83d\ude00' }],
])('a request at the limits is taken', (request) => {
  expect(faultsOf(request)).toEqual([]);
});
