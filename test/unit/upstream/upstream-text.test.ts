import { describe, expect, test } from 'vitest';
import { printable, retryAfterSeconds } from '../../../src/upstream/upstream-text.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('Retry-After', () => {
  test.each([
    [null, undefined],
    ['', undefined],
    ['soon', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['yesterday GMT', undefined],
    ['7', 7],
    [' 7 ', 7],
    ['0', 1],
    ['86400', 600],
    ['Thu, 01 Jan 2026 00:00:20 GMT', 20],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 1],
    ['Fri, 02 Jan 2026 00:00:00 GMT', 600],
  ])('of %j asks for %j seconds', (header, seconds) => {
    expect(retryAfterSeconds(header, NOW)).toBe(seconds);
  });
});

describe('a text made printable', () => {
  test.each([
    ['plain text', 'as it is', 'as it is'],
    ['line breaks, controls and marks of direction', 'a\r\n\tb\u0000c\u202ed', 'a b c d'],
    ['half of a character', 'a\ud83d b', 'a b'],
    ['nothing visible', ' \n\u200b', ''],
    ['exactly the length', '1234567890', '1234567890'],
    ['more than the length', '12345678901', '1234567890…'],
    ['characters of two units', '😀'.repeat(11), `${'😀'.repeat(10)}…`],
    ['very much', 'x'.repeat(1_000_000), 'xxxxxxxxxx…'],
    ['much that is invisible before it', `${' '.repeat(30)}x`, '…'],
  ])('has %s', (_, text, shown) => {
    expect(printable(text, 10)).toBe(shown);
  });
});
