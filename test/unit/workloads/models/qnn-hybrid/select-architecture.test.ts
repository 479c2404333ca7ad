import { expect, test } from 'vitest';
import {
  type Architecture,
  type Candidate,
  chooseCandidate,
  circuitOf,
} from '../../../../../src/workloads/models/qnn-hybrid/select-architecture.ts';

function candidate(
  ansatz: Architecture['ansatz'],
  layers: number,
  mean: number,
  spread: number,
): Candidate {
  return { ansatz, layers, circuit: circuitOf({ ansatz, layers }), accuracy: { mean, spread } };
}

/** 8, 12, 16 and 24 parameters; two of them 24. */
const RING_1 = candidate('ring-reuploading', 1, 0.9, 0.04);
const GHZ_1 = candidate('ghz-reuploading', 1, 0.94, 0.08);
const RING_2 = candidate('ring-reuploading', 2, 0.96, 0.08);
const GHZ_2 = candidate('ghz-reuploading', 2, 0.95, 0.08);
const RING_3 = candidate('ring-reuploading', 3, 0.955, 0.08);

test.each<[string, readonly Candidate[], number, Candidate]>([
  // The bar is 0.96 − 0.08/√16 = 0.94, which GHZ_1 just reaches.
  ['the smallest within a standard error of the best', [RING_1, GHZ_1, RING_2, GHZ_2], 16, GHZ_1],
  ['the best where the others are further off', [RING_1, GHZ_1, RING_2, GHZ_2], 100, RING_2],
  ['the smallest of all where the error is large', [RING_2, GHZ_1, RING_1], 1, RING_1],
  ['of two that are as small the better one', [GHZ_2, RING_3], 4, RING_3],
  ['the same whatever their order', [RING_3, GHZ_2], 4, RING_3],
  ['the only one', [RING_1], 20, RING_1],
])('chooses %s', (_, candidates, numFolds, chosen) => {
  expect(chooseCandidate(candidates, numFolds)).toBe(chosen);
});

test('goes by the spread of the best, not by that of the candidate', () => {
  const certain = candidate('ghz-reuploading', 2, 0.96, 0);
  const vague = candidate('ghz-reuploading', 1, 0.95, 0.5);
  expect(chooseCandidate([vague, certain], 20)).toBe(certain);
});
