import { describe, expect, test } from 'vitest';
import { BitImages } from '../../../src/math/bit-images.ts';
import { RandomStream } from '../../support/random-stream.ts';

describe('the image of an index', () => {
  test('is the OR of the images of its set bits', () => {
    const images = new BitImages([0b100, 0b001, 0b001, 0]);
    expect(images.at(0b0000)).toBe(0);
    expect(images.at(0b0001)).toBe(0b100);
    expect(images.at(0b0110)).toBe(0b001);
    expect(images.at(0b1111)).toBe(0b101);
  });

  test('uses all 32 bits of a word', () => {
    expect(new BitImages([1 << 31, 1]).at(0b11) >>> 0).toBe(0x80000001);
  });

  test.each([31, 32, 33, 34, 40])('of %i bits has all of them', (numBits) => {
    const random = new RandomStream(numBits);
    const bits = Array.from({ length: numBits }, () => 1 << random.below(32));
    const images = new BitImages(bits);
    for (let i = 0; i < 200; i++) {
      const index = random.below(2 ** numBits);
      const set = [...index.toString(2)].reverse();
      const image = bits.reduce((all, bit, q) => (set[q] === '1' ? all | bit : all), 0);
      expect(images.atWide(index)).toBe(image);
      if (numBits <= 32) expect(images.at(index)).toBe(image);
    }
  });

  test('is the index itself where there are no bits', () => {
    expect(new BitImages([]).at(0)).toBe(0);
  });

  test.each([1, 2, 7, 12])('moves every bit of %i where a permutation sends it', (numBits) => {
    const places = new RandomStream(numBits).distinct(numBits, numBits);
    const images = new BitImages(places.map((place) => 2 ** place));
    for (let index = 0; index < 2 ** numBits; index++) {
      const moved = places.reduce((sum, place, q) => sum + ((index >> q) & 1) * 2 ** place, 0);
      expect(images.at(index)).toBe(moved);
    }
  });
});
