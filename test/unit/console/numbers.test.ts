import { describe, expect, test } from 'vitest';
import {
  between,
  capitalized,
  duration,
  grouped,
  listed,
  percent,
  plain,
  signed,
} from '../../../src/console/numbers.ts';

describe('the page writes', () => {
  test.each([
    [grouped(1024), '1,024'],
    [grouped(0), '0'],
    [signed(0.5859, 3), '+0.586'],
    [signed(-0.3117, 3), '−0.312'],
    [signed(-0.0004, 3), '0.000'],
    [signed(1, 0), '+1'],
    [signed(-1, 0), '−1'],
    [plain(1.349, 2), '1.35'],
    [plain(-0.4, 2), '−0.40'],
    [percent(0.94), '94.0%'],
    [percent(0.9625, 2), '96.25%'],
    [duration(0), '0 µs'],
    [duration(0.0402), '40 µs'],
    [duration(0.84), '0.8 ms'],
    [duration(999.7), '1.0 s'],
    [duration(185_400), '3 min 5 s'],
    [duration(179_600), '3 min 0 s'],
    [between('2026-01-02T00:00:00.001Z', '2026-01-02T00:00:00.001Z'), 'under 1 ms'],
    [between('2026-01-02T00:00:00.001Z', '2026-01-02T00:00:00.004Z'), '3 ms'],
    [duration(12.4), '12 ms'],
    [duration(1430), '1.4 s'],
    [listed([]), ''],
    [listed(['a']), 'a'],
    [listed(['a', 'b']), 'a and b'],
    [listed(['a', 'b', 'c']), 'a, b and c'],
    [capitalized('virginica'), 'Virginica'],
    [capitalized(''), ''],
  ])('%s', (text, expected) => {
    expect(text).toBe(expected);
  });
});
