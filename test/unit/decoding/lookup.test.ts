/** The table of the likeliest observables, against sums over all sets of errors. */
import { expect, test } from 'vitest';
import type { DecodingModel } from '../../../src/decoding/decoder.ts';
import { DECODER_NAMES, openDecoder } from '../../../src/decoding/open-decoder.ts';
import { decoderOf, errorsOf, oddOnes, packed, predict } from '../../support/decoding-models.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { seeds, testSeeds } from '../../support/seeds.ts';

testSeeds('predicts the likeliest observables of every syndrome', seeds(40), (seed) => {
  const stream = new RandomStream(seed);
  const numDetectors = 1 + stream.below(5);
  const numObservables = 1 + stream.below(3);
  const size = numDetectors + numObservables;
  const errors = Array.from({ length: 10 }, () => ({
    symptoms: stream.distinct(1 + stream.below(size), size).toSorted((a, b) => a - b),
    probability: stream.uniform(),
  }));
  const model: DecodingModel = { numDetectors, numObservables, errors };
  const sums = new Map<string, Map<string, number>>();
  for (let set = 0; set < 2 ** errors.length; set++) {
    const happened = errors.filter((_, i) => ((set >> i) & 1) === 1);
    const flipped = oddOnes(happened.map(({ symptoms }) => symptoms));
    const probability = errors.reduce(
      (product, error, i) =>
        product * (((set >> i) & 1) === 1 ? error.probability : 1 - error.probability),
      1,
    );
    const syndrome = flipped.filter((each) => each < numDetectors).join();
    const observables = flipped.filter((each) => each >= numDetectors).join();
    const known = sums.get(syndrome) ?? new Map<string, number>();
    known.set(observables, (known.get(observables) ?? 0) + probability);
    sums.set(syndrome, known);
  }
  const decoder = decoderOf('lookup', model);
  for (const [syndrome, byObservables] of sums) {
    const events = syndrome === '' ? [] : syndrome.split(',').map(Number);
    const found = predict(decoder, model, events).map((each) => each + numDetectors);
    const likeliest = Math.max(...byObservables.values());
    expect(byObservables.get(found.join())! / likeliest).toBeCloseTo(1, 9);
  }
});

test('keeps the digits of rare syndromes', () => {
  // Both detectors are flipped by two errors of 1e-9 with the observable, or by one of 1e-19 without it.
  const model: DecodingModel = {
    numDetectors: 2,
    numObservables: 1,
    errors: errorsOf('1e-9 0 2; 1e-9 1; 1e-19 0 1'),
  };
  expect(predict(decoderOf('lookup', model), model, [0, 1])).toEqual([0]);
});

test('takes the parts of an error that is split together', () => {
  const model: DecodingModel = {
    numDetectors: 3,
    numObservables: 1,
    errors: errorsOf('0.1 0 3 ^ 1 2; 0.2 0; 0.01 1 2'),
  };
  expect(predict(decoderOf('lookup', model), model, [0, 1, 2])).toEqual([0]);
});

test('refuses a model of more than 20 detectors and observables', () => {
  expect(openDecoder('lookup', { numDetectors: 20, numObservables: 1, errors: [] })).toEqual({
    reason: '20 detectors and 1 observables are more than the 20 together that a table is made for',
  });
});

test('names the shot whose events no errors have', () => {
  const model: DecodingModel = { numDetectors: 2, numObservables: 0, errors: errorsOf('0.1 0 1') };
  const decoder = decoderOf('lookup', model);
  const shots = Uint8Array.from([...packed(2, [0, 1]), ...packed(2, [1])]);
  expect(() => decoder.decode(shots, 2, new Uint8Array(0))).toThrow(
    expect.objectContaining({
      code: 'DECODING_IMPOSSIBLE_EVENTS',
      message: expect.stringContaining('shot 1'),
    }),
  );
});

test.each(DECODER_NAMES)('%s keeps 40 observables apart', (name) => {
  // Detector i is flipped by errors of the observables i and i + 20; the first is the likelier one.
  const few = name === 'lookup' ? 5 : 40;
  const numDetectors = few / 5;
  const errors = Array.from(
    { length: numDetectors },
    (_, i) => `0.1 ${i} ${numDetectors + i} ${numDetectors + few - 1 - i}`,
  );
  const model: DecodingModel = {
    numDetectors,
    numObservables: few,
    errors: errorsOf(errors.join('; ')),
  };
  const decoder = decoderOf(name, model);
  for (let i = 0; i < numDetectors; i++) {
    const flipped = oddOnes([[i], [few - 1 - i]]);
    expect(predict(decoder, model, [i])).toEqual(flipped);
  }
});
