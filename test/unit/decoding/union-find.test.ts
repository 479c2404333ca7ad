/** Union-find: errors that have the events, and few enough of them are the ones that happened. */
import { expect, test } from 'vitest';
import type { DecodingModel } from '../../../src/decoding/decoder.ts';
import {
  decoderOf,
  errorsOf,
  modelOfEdges,
  oddOnes,
  predict,
  randomEdges,
} from '../../support/decoding-models.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { seeds, testSeeds } from '../../support/seeds.ts';

testSeeds('finds errors that have the events', seeds(100), (seed) => {
  const stream = new RandomStream(seed);
  const numDetectors = 3 + stream.below(60);
  const edges = randomEdges(stream, numDetectors, numDetectors * (1 + stream.below(3)), {
    toBoundary: stream.pick([0, 0.1, 0.4]),
    most: stream.pick([0.05, 0.45, 0.9]),
  });
  const model = modelOfEdges(numDetectors, edges);
  const decoder = decoderOf('union_find', model);
  for (let shot = 0; shot < 10; shot++) {
    const flipped = edges.filter(({ probability }) => stream.uniform() < probability);
    const events = oddOnes(flipped.map(({ detectors }) => detectors));
    const found = predict(decoder, model, events).map((edge) => edges[edge]!.detectors);
    expect(oddOnes(found)).toEqual(events);
  }
});

test('corrects every error of fewer than half the qubits of a repetition code', () => {
  // Detector i compares the qubits i and i + 1; an error of qubit 0 flips the observable.
  const errors = Array.from({ length: 7 }, (_, qubit) =>
    [qubit - 1, qubit].filter((detector) => detector >= 0 && detector < 6),
  );
  const text = errors.map(
    (detectors, i) => `0.1 ${[...detectors, ...(i === 0 ? [6] : [])].join(' ')}`,
  );
  const model: DecodingModel = {
    numDetectors: 6,
    numObservables: 1,
    errors: errorsOf(text.join('; ')),
  };
  const decoder = decoderOf('union_find', model);
  for (let set = 0; set < 2 ** 7; set++) {
    const flipped = errors.filter((_, qubit) => ((set >> qubit) & 1) === 1);
    if (flipped.length > 3) continue;
    expect(predict(decoder, model, oddOnes(flipped))).toEqual((set & 1) === 1 ? [0] : []);
  }
});

test('prefers likely errors to few ones', () => {
  const model: DecodingModel = {
    numDetectors: 3,
    numObservables: 1,
    errors: errorsOf('0.001 0 3; 0.3 0 1; 0.3 1 2; 0.3 2'),
  };
  expect(predict(decoderOf('union_find', model), model, [0])).toEqual([]);
});

test('lets a cluster go on from the radii that its parts had grown to', () => {
  const error = (weight: number, symptoms: string) => `${1 / (1 + Math.exp(weight))} ${symptoms}`;
  // 0 and 1 meet at 1. 2 meets them at 9, and all grow on: 2 needs 3 more to the boundary, 0 needs 5 more.
  const errors = [error(2, '0 1'), error(10, '1 2'), error(6, '0'), error(12, '2 3')];
  const model: DecodingModel = {
    numDetectors: 3,
    numObservables: 1,
    errors: errorsOf(errors.join('; ')),
  };
  expect(predict(decoderOf('union_find', model), model, [0, 1, 2])).toEqual([0]);
});
