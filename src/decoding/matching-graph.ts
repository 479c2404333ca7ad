/**
 * The graph of matching decoders: detectors, and one more vertex, the boundary. An error that flips two detectors is an
 * edge between them; one that flips one detector is an edge to the boundary. Each part of an error that is split is an
 * edge of the error's probability.
 *
 * Errors between the same detectors are one edge, which happens if an odd number of them does. Where they flip different
 * observables, which only codes of distance 2 have, the edge flips those of the first, as in PyMatching.
 *
 * @see Higgott & Gidney, "Sparse Blossom: correcting a million errors per core second with minimum-weight matching",
 *   2023, section 2.
 */
import {
  type ErrorMechanism,
  either,
  SEPARATOR,
  type Symptoms,
} from '../compiler/clifford/symptoms.ts';
import { BOUNDARY } from './adjacency.ts';
import type { DecodingModel, NoDecoder } from './decoder.ts';
import { wholeWeights } from './whole-weights.ts';

/** Detectors and weighted edges. Edges have the order in which the model first has them. */
export interface MatchingGraph {
  readonly numDetectors: number;
  readonly numObservables: number;
  /** Ends of each edge, two numbers: a detector, and another one or `BOUNDARY`. */
  readonly ends: Int32Array;
  /** Weight of each edge: the logarithm of (1 − p)/p without its sign, as an even number (`wholeWeights`). */
  readonly weights: Int32Array;
  /** Observables that each edge flips. */
  readonly observables: readonly Symptoms[];
  /**
   * What errors flip that are likelier than not. A decoder starts from these: with an edge of p > 1/2 taken, to take it
   * back costs what an edge of 1 − p does. Bits as in a shot, detectors and observables.
   */
  readonly likelyEvents: Uint8Array;
  readonly likelyObservables: Uint8Array;
}

/** Errors between the same detectors. */
interface Edge {
  readonly from: number;
  readonly to: number;
  readonly observables: Symptoms;
  probability: number;
}

/** The graph of a model, or why it has none. */
export function matchingGraph(model: DecodingModel): MatchingGraph | NoDecoder {
  const { numDetectors, numObservables, errors } = model;
  const merged = mergedParts(errors, numDetectors);
  if ('reason' in merged) return merged;
  const likelyEvents = new Uint8Array(Math.ceil(numDetectors / 8));
  const likelyObservables = new Uint8Array(Math.ceil(numObservables / 8));
  for (const { from, to, observables, probability } of merged) {
    if (probability <= 1 / 2) continue;
    for (const end of [from, to]) if (end !== BOUNDARY) flip(likelyEvents, end);
    for (const each of observables) flip(likelyObservables, each);
  }
  // Errors without detectors are done with, and those that never or always happen are no choice.
  const edges = merged.filter(
    ({ from, probability }) => from !== BOUNDARY && probability > 0 && probability < 1,
  );
  const ends = Int32Array.from(edges.flatMap(({ from, to }) => [from, to]));
  const weights = edges.map(({ probability: p }) => Math.abs(Math.log((1 - p) / p)));
  return {
    numDetectors,
    numObservables,
    ends,
    weights: wholeWeights(numDetectors, ends, weights),
    observables: edges.map(({ observables }) => observables),
    likelyEvents,
    likelyObservables,
  };
}

/** The parts of all errors, those between the same detectors as one; of those without detectors, by observables. */
function mergedParts(
  errors: readonly ErrorMechanism[],
  numDetectors: number,
): readonly Edge[] | NoDecoder {
  const edges = new Map<number | string, Edge>();
  for (const { symptoms, probability } of errors) {
    // Parts are looked at in their place: a list for each takes longer than everything else.
    for (let start = 0; start <= symptoms.length; ) {
      let end = start;
      while (end < symptoms.length && symptoms[end] !== SEPARATOR) end++;
      let first = start;
      while (first < end && symptoms[first]! < numDetectors) first++;
      const count = first - start;
      if (count > 2) {
        const flipped = symptoms.slice(start, first).join(', ');
        return {
          reason: `an error flips the detectors ${flipped} and is not split into errors that flip one or two`,
        };
      }
      const from = count === 0 ? BOUNDARY : symptoms[start]!;
      const to = count < 2 ? BOUNDARY : symptoms[start + 1]!;
      const flips = () => symptoms.slice(first, end).map((each) => each - numDetectors);
      const key = count === 0 ? flips().join() : from * (numDetectors + 1) + to + 1;
      const known = edges.get(key);
      if (known === undefined) edges.set(key, { from, to, observables: flips(), probability });
      else known.probability = either(known.probability, probability);
      start = end + 1;
    }
  }
  return [...edges.values()];
}

function flip(bits: Uint8Array, index: number): void {
  bits[index >> 3]! ^= 1 << (index & 7);
}

/** Observables from `first` on, 32 at most, that each edge flips: bit i is observable `first` + i. */
export function observableMasks(graph: MatchingGraph, first: number): Int32Array {
  return Int32Array.from(graph.observables, (observables) =>
    observables.reduce(
      (mask, each) => (each >= first && each < first + 32 ? mask | (1 << (each - first)) : mask),
      0,
    ),
  );
}
