import { describe, expect, test } from 'vitest';
import { verdict } from '../../../src/console/verdict.ts';

describe('a margin of', () => {
  test.each([
    [7.42, 'clear', 'Virginica', '7.4 shot noises from the threshold: a clear call.'],
    [3, 'clear', 'Virginica', '3.0 shot noises from the threshold: a clear call.'],
    [
      2.9,
      'close',
      'Virginica',
      '2.9 shot noises from the threshold: a close call. Another run may say otherwise.',
    ],
    [
      1,
      'close',
      'Virginica',
      '1.0 shot noises from the threshold: a close call. Another run may say otherwise.',
    ],
    [
      0.4,
      'open',
      'Virginica?',
      '0.4 shot noises from the threshold: too close to call at 1,024 shots.',
    ],
    [
      0,
      'open',
      'Virginica?',
      '0.0 shot noises from the threshold: too close to call at 1,024 shots.',
    ],
  ])('%d is %s', (margin, certainty, title, sentence) => {
    expect(verdict('virginica', margin, 1024)).toEqual({ certainty, title, sentence });
  });
});
