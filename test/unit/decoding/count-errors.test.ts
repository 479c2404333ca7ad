import { describe, expect, test } from 'vitest';
import { countErrors } from '../../../src/decoding/count-errors.ts';

/** Four shots of nine detectors and two observables: events, then flips. */
const shots = () => ({
  numShots: 4,
  events: Uint8Array.of(0, 0, 1, 0, 0, 1, 1, 1),
  flips: Uint8Array.of(0b01, 0b01, 0b10, 0b00),
});

/** Predicts for each shot that detector 8 flipped observable 1. */
const decoder = {
  decode: (events: Uint8Array, numShots: number, predictions: Uint8Array) => {
    for (let shot = 0; shot < numShots; shot++) predictions[shot] = 2 * events[2 * shot + 1]!;
  },
};

describe('countErrors', () => {
  test('counts shots in which any observable flipped, where nothing is predicted', () => {
    expect(countErrors(shots(), undefined, {})).toEqual({
      errors: 3,
      discards: 0,
      errorProbability: 0,
    });
  });

  test('counts shots in which an observable is not as predicted', () => {
    // Predictions are 0, 0, 2, 2: wrong in all shots but the third.
    expect(countErrors(shots(), decoder, {})).toEqual({
      errors: 3,
      discards: 0,
      errorProbability: 0,
    });
  });

  test('leaves out the shots in which a post-selected detector fired', () => {
    const ofDetector0 = { detectors: Uint8Array.of(1, 0) };
    expect(countErrors(shots(), undefined, ofDetector0)).toEqual({
      errors: 2,
      discards: 2,
      errorProbability: 0,
    });
    const ofDetector8 = { detectors: Uint8Array.of(0, 1) };
    expect(countErrors(shots(), decoder, ofDetector8)).toEqual({
      errors: 2,
      discards: 2,
      errorProbability: 0,
    });
  });

  test('discards the shots in which a post-selected observable is mispredicted', () => {
    expect(countErrors(shots(), decoder, { observables: Uint8Array.of(2) })).toEqual({
      errors: 2,
      discards: 1,
      errorProbability: 0,
    });
  });

  test('takes shots without detectors', () => {
    const none = { numShots: 3, events: new Uint8Array(), flips: Uint8Array.of(1, 0, 1) };
    expect(countErrors(none, undefined, {})).toEqual({
      errors: 2,
      discards: 0,
      errorProbability: 0,
    });
  });

  test('adds up the probabilities of shots with errors', () => {
    const probabilities = Float64Array.of(0.5, 0.25, 0.125);
    const flips = Uint8Array.of(1, 0, 3);
    const cases = { numShots: 3, events: new Uint8Array(), flips, probabilities };
    const { errors, errorProbability } = countErrors(cases, undefined, {});
    expect([errors, errorProbability]).toEqual([2, 0.625]);
  });
});
