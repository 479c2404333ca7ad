/** Suggestions in place of values of a wrong type. */
import { describe, expect, test } from 'vitest';
import { insteadOf } from '../../../src/errors/wrong-values.ts';

describe('instead of a text where a number belongs', () => {
  test.each([
    ['10', '; write 10 without quotation marks'],
    ['pi/2', `; write pi/2 as a number in radians, ${Math.PI / 2}`],
    ['-3*np.pi/4', `; write -3*np.pi/4 as a number in radians, ${(-3 * Math.PI) / 4}`],
    ['90 deg', `; angles are in radians, and 90 degrees are ${Math.PI / 2}`],
    ['theta', ''],
  ])('%s', (text, advice) => {
    expect(insteadOf(text, 'a number')).toBe(advice);
  });

  test('a long text gets no suggestion, because searching it would take minutes', () => {
    for (const text of ['1'.repeat(4_000_000), `${'1'.repeat(4_000_000)} pi`]) {
      expect(insteadOf(text, 'a number')).toBe('');
    }
  });
});
