/** Matching: what it predicts is a minimum, by exhaustive search on small graphs and by PyMatching on codes. */
import { expect, test } from 'vitest';
import type { DecodingModel } from '../../../src/decoding/decoder.ts';
import { openDecoder } from '../../../src/decoding/open-decoder.ts';
import {
  decoderOf,
  errorsOf,
  modelOfEdges,
  oddOnes,
  packed,
  predict,
  type RandomEdge,
  randomEdges,
} from '../../support/decoding-models.ts';
import { distances, leastSum, weightOf } from '../../support/least-matching.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { numCases, seeds, testSeeds } from '../../support/seeds.ts';
import predicted from './pymatching-predictions.json' with { type: 'json' };

/** Edges that errors of these probabilities flip, drawn. */
function drawn(stream: RandomStream, edges: readonly RandomEdge[]): readonly RandomEdge[] {
  return edges.filter(({ probability }) => stream.uniform() < probability);
}

testSeeds('finds errors of the least weight that have the events', seeds(200), (seed) => {
  const stream = new RandomStream(seed);
  const numDetectors = 4 + stream.below(24);
  const toBoundary = stream.pick([0, 0.1, 0.4]);
  const edges = randomEdges(stream, numDetectors, numDetectors * (1 + stream.below(3)), {
    toBoundary,
    most: stream.pick([0.05, 0.45]),
  });
  const model = modelOfEdges(numDetectors, edges);
  const decoder = decoderOf('matching', model);
  const between = distances(numDetectors, edges);
  for (let shot = 0; shot < 10; shot++) {
    const events = oddOnes(drawn(stream, edges).map(({ detectors }) => detectors));
    if (events.length > 9) continue;
    const found = predict(decoder, model, events).map((edge) => edges[edge]!);
    expect(oddOnes(found.map(({ detectors }) => detectors))).toEqual(events);
    const sum = found.reduce((all, edge) => all + weightOf(edge), 0);
    expect(sum).toBeCloseTo(leastSum(between, events), 4);
  }
});

testSeeds('finds likeliest errors where some are likelier than not', seeds(50), (seed) => {
  const stream = new RandomStream(seed);
  const numDetectors = 3 + stream.below(4);
  const edges = randomEdges(stream, numDetectors, 10, { toBoundary: 0.3, most: 0.99 });
  const model = modelOfEdges(numDetectors, edges);
  const decoder = decoderOf('matching', model);
  // Of each syndrome, the greatest probability of a set of errors.
  const most = new Map<string, number>();
  for (let set = 0; set < 2 ** edges.length; set++) {
    const [syndrome, probability] = ofSet(edges, (i) => ((set >> i) & 1) === 1);
    most.set(syndrome, Math.max(most.get(syndrome) ?? 0, probability));
  }
  for (const [syndrome, probability] of most) {
    const events = syndrome === '' ? [] : syndrome.split(',').map(Number);
    const found = new Set(predict(decoder, model, events));
    const [itsSyndrome, itsProbability] = ofSet(edges, (i) => found.has(i));
    expect(itsSyndrome).toBe(syndrome);
    expect(itsProbability / probability).toBeCloseTo(1, 5);
  }
});

/** Syndrome and probability of a set of errors. */
function ofSet(
  edges: readonly RandomEdge[],
  has: (edge: number) => boolean,
): readonly [string, number] {
  const probability = edges.reduce(
    (product, edge, i) => product * (has(i) ? edge.probability : 1 - edge.probability),
    1,
  );
  const flipped = edges.filter((_, i) => has(i)).map(({ detectors }) => detectors);
  return [oddOnes(flipped).join(), probability];
}

test.each(predicted)('predicts what PyMatching does: $name', ({ errors, ...rest }) => {
  const model: DecodingModel = { ...rest, errors: errorsOf(errors) };
  const events = new Uint8Array(Buffer.from(rest.events, 'hex'));
  const expected = new Uint8Array(Buffer.from(rest.predictions, 'hex'));
  const numShots = events.length / Math.ceil(model.numDetectors / 8);
  const predictions = new Uint8Array(expected.length);
  decoderOf('matching', model).decode(events, numShots, predictions);
  expect(predictions).toEqual(expected);
});

test('predicts the same of a shot whatever shots come before it', () => {
  const stream = new RandomStream(3);
  const edges = randomEdges(stream, 40, 120, { toBoundary: 0.1, most: 0.3 });
  const model = modelOfEdges(40, edges);
  const shots = Array.from({ length: numCases(100) }, () =>
    oddOnes(drawn(stream, edges).map(({ detectors }) => detectors)),
  );
  const together = decoderOf('matching', model);
  for (const events of shots) {
    expect(predict(together, model, events)).toEqual(
      predict(decoderOf('matching', model), model, events),
    );
  }
});

test.each(['matching', 'union_find'] as const)('%s tells near from far on long paths', (name) => {
  // Detectors in a row, with errors at both ends; the one at the left flips the observable.
  const length = 5001;
  const errors = Array.from({ length: length - 1 }, (_, i) => `0.01 ${i} ${i + 1}`);
  const model: DecodingModel = {
    numDetectors: length,
    numObservables: 1,
    errors: errorsOf([`0.01 0 ${length}`, ...errors, `0.01 ${length - 1}`].join('; ')),
  };
  const decoder = decoderOf(name, model);
  expect(predict(decoder, model, [2499])).toEqual([0]);
  expect(predict(decoder, model, [2501])).toEqual([]);
  expect(predict(decoder, model, [1000, 3502])).toEqual([0]);
  expect(predict(decoder, model, [1000, 3500])).toEqual([]);
});

test('merges errors between the same detectors, and keeps the observables of the first', () => {
  // One of two errors of 0.3 happens with 0.42, and is likelier than those of 0.4 and 0.45 together, which 0.3 is not.
  const model: DecodingModel = {
    numDetectors: 2,
    numObservables: 3,
    errors: errorsOf('0.3 0 1 2; 0.3 0 1 3; 0.4 0; 0.45 1 4'),
  };
  expect(predict(decoderOf('matching', model), model, [0, 1])).toEqual([0]);
});

test('takes the parts of an error that is split as errors of its probability', () => {
  const model: DecodingModel = {
    numDetectors: 4,
    numObservables: 2,
    errors: errorsOf('0.1 0 1 4 ^ 2 3; 0.01 0; 0.01 1; 0.01 2 5; 0.01 3'),
  };
  const decoder = decoderOf('matching', model);
  expect(predict(decoder, model, [0, 1])).toEqual([0]);
  expect(predict(decoder, model, [2])).toEqual([1]);
});

test('matches more events than its memory has room for at first', () => {
  // A line of pairs, with a light edge in each pair and heavy ones between them; every event starts at the same time.
  const numDetectors = 40_000;
  const errors = Array.from({ length: numDetectors - 1 }, (_, i) => ({
    symptoms: i === 20_000 ? [i, i + 1, numDetectors] : [i, i + 1],
    probability: i % 2 === 0 ? 0.1 : 0.001,
  }));
  const model: DecodingModel = { numDetectors, numObservables: 1, errors };
  const decoder = decoderOf('matching', model);
  const all = Array.from({ length: numDetectors }, (_, i) => i);
  for (const events of [all, all, [20_000, 20_001], [19_999, 20_000]]) {
    expect(predict(decoder, model, events)).toEqual(events[0] === 19_999 ? [] : [0]);
  }
});

test('predicts observables that a likely error without detectors flips', () => {
  const model: DecodingModel = {
    numDetectors: 1,
    numObservables: 2,
    errors: errorsOf('0.7 1; 0.4 2; 0.1 0'),
  };
  expect(predict(decoderOf('matching', model), model, [])).toEqual([0]);
});

test('counts an error that always happens as having happened', () => {
  const model: DecodingModel = {
    numDetectors: 2,
    numObservables: 1,
    errors: errorsOf('1 0 1 2; 0.1 0; 0.1 1'),
  };
  expect(predict(decoderOf('matching', model), model, [0, 1])).toEqual([0]);
  expect(predict(decoderOf('matching', model), model, [0])).toEqual([0]);
});

test.each(['matching', 'union_find'] as const)(
  '%s refuses an error that flips three detectors',
  (name) => {
    const model: DecodingModel = {
      numDetectors: 3,
      numObservables: 0,
      errors: errorsOf('0.1 0 1 2'),
    };
    expect(openDecoder(name, model)).toEqual({
      reason:
        'an error flips the detectors 0, 1, 2 and is not split into errors that flip one or two',
    });
  },
);

test.each(['matching', 'union_find'] as const)(
  '%s names the shot whose events no errors have',
  (name) => {
    // A ring of three detectors without a boundary, and a detector that nothing flips.
    const model: DecodingModel = {
      numDetectors: 4,
      numObservables: 0,
      errors: errorsOf('0.1 0 1; 0.1 1 2; 0.1 0 2'),
    };
    const decoder = decoderOf(name, model);
    const shots = (...events: number[][]) =>
      Uint8Array.from(events.flatMap((each) => [...packed(4, each)]));
    decoder.decode(shots([0, 2]), 1, new Uint8Array(0));
    for (const impossible of [[0], [3], [0, 1, 2], [0, 3]]) {
      expect(() => decoder.decode(shots([0, 1], impossible), 2, new Uint8Array(0))).toThrow(
        expect.objectContaining({
          code: 'DECODING_IMPOSSIBLE_EVENTS',
          message: expect.stringContaining('shot 1'),
        }),
      );
    }
  },
);
