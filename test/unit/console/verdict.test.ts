import { describe, expect, test } from 'vitest';
import { verdict } from '../../../src/console/demo/decision.ts';

describe('a measured value', () => {
  test.each([
    [0.602, 7.42, 'clear', 'Virginica', '0.200 ± 0.027 from the threshold: a clear call.'],
    [0.1, 3, 'clear', 'Virginica', '0.302 ± 0.101 from the threshold: a clear call.'],
    [-0.934, 44.3, 'clear', 'Virginica', '1.336 ± 0.030 from the threshold: a clear call.'],
    [
      0.46,
      2.9,
      'close',
      'Virginica',
      '0.058 ± 0.020 from the threshold: a close call. Another run may say otherwise.',
    ],
    [
      0.43,
      1,
      'close',
      'Virginica',
      '0.028 ± 0.028 from the threshold: a close call. Another run may say otherwise.',
    ],
    [
      0.41,
      0.4,
      'open',
      'Virginica?',
      '0.008 ± 0.020 from the threshold: too close to call at 1,024 shots.',
    ],
    [0.402, 0, 'open', 'Virginica?', 'On the threshold: too close to call at 1,024 shots.'],
  ])(
    'of %d, %d shot noises from the threshold',
    (expectation, margin, certainty, title, sentence) => {
      const answer = { label: 'virginica', expectation, threshold: 0.402, margin, shots: 1024 };
      expect(verdict(answer)).toEqual({ certainty, title, sentence });
    },
  );
});
