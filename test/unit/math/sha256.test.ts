import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/math/sha256.ts';

const bytes = (length: number) => Uint8Array.from({ length }, (_, i) => (i * i + 7 * length) >> 2);

describe('SHA-256', () => {
  test('gives the digest that the standard’s example has', () => {
    expect(sha256(new TextEncoder().encode('abc'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  // Around one and two blocks, with and without room for the length.
  test.each([0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 1000, 100_003])(
    'agrees with Node’s on %i bytes',
    (length) => {
      const message = bytes(length);
      expect(sha256(message)).toBe(createHash('sha256').update(message).digest('hex'));
    },
  );

  test('reads only its part of a buffer', () => {
    const message = bytes(300).subarray(3, 203);
    expect(sha256(message)).toBe(createHash('sha256').update(message).digest('hex'));
  });
});
