/**
 * Decoding by a table: for every syndrome, the likeliest of the observables that may have been flipped, by the sum of the
 * probabilities of all errors that have the syndrome. No decoder of the same model errs less often. The table has
 * 2^detectors entries, so it is for small codes; errors may flip any number of detectors.
 */
import { whole } from '../compiler/clifford/symptoms.ts';
import type { Decoder, DecodingModel, NoDecoder } from './decoder.ts';
import { ImpossibleEventsError } from './errors.ts';

/** Most detectors and observables together: the probabilities of 2^20 cases take 8 MiB. */
export const MAX_TABLE_BITS = 20;
/** Stands for a syndrome that no errors have. */
const IMPOSSIBLE = -1;

/** A decoder of a model by a table, or why the model has none. */
export function openLookup(model: DecodingModel): Decoder | NoDecoder {
  const { numDetectors, numObservables } = model;
  if (numDetectors + numObservables > MAX_TABLE_BITS) {
    return {
      reason: `${numDetectors} detectors and ${numObservables} observables are more than the ${MAX_TABLE_BITS} together that a table is made for`,
    };
  }
  // Made for the first shot, so that it costs nothing to ask whether a model has a decoder.
  let likeliest: Int32Array | undefined;
  const [eventBytes, bytes] = [Math.ceil(numDetectors / 8), Math.ceil(numObservables / 8)];
  const last = 2 ** numDetectors - 1;
  return {
    decode: (events, numShots, predictions) => {
      likeliest ??= likeliestObservables(model);
      for (let shot = 0; shot < numShots; shot++) {
        let syndrome = 0;
        for (let i = 0; i < eventBytes; i++) syndrome |= events[shot * eventBytes + i]! << (8 * i);
        const flipped = likeliest[syndrome & last]!;
        if (flipped === IMPOSSIBLE) throw new ImpossibleEventsError(shot);
        for (let i = 0; i < bytes; i++) predictions[shot * bytes + i] = flipped >> (8 * i);
      }
    },
  };
}

/** By syndrome: the likeliest observables, of equally likely ones the least number. */
function likeliestObservables(model: DecodingModel): Int32Array {
  const { numDetectors, numObservables } = model;
  const probabilities = probabilitiesOfCases(model);
  const numSyndromes = 2 ** numDetectors;
  const likeliest = new Int32Array(numSyndromes).fill(IMPOSSIBLE);
  for (let syndrome = 0; syndrome < numSyndromes; syndrome++) {
    let most = 0;
    for (let flipped = 0; flipped < 2 ** numObservables; flipped++) {
      const probability = probabilities[syndrome + numSyndromes * flipped]!;
      if (probability <= most) continue;
      most = probability;
      likeliest[syndrome] = flipped;
    }
  }
  return likeliest;
}

/**
 * Probability of each case: of detectors, then observables, as the bits of a number. Errors come in one by one, so that
 * only positive numbers are added, and rare cases keep their digits; those of a transform would drown in rounding.
 */
function probabilitiesOfCases({
  numDetectors,
  numObservables,
  errors,
}: DecodingModel): Float64Array {
  const probabilities = new Float64Array(2 ** (numDetectors + numObservables));
  probabilities[0] = 1;
  for (const [flips, p] of flipsOf(errors)) {
    const highest = 1 << (31 - Math.clz32(flips));
    for (let i = 0; i < probabilities.length; i++) {
      if ((i & highest) !== 0) continue;
      const [without, withIt] = [probabilities[i]!, probabilities[i ^ flips]!];
      probabilities[i] = (1 - p) * without + p * withIt;
      probabilities[i ^ flips] = (1 - p) * withIt + p * without;
    }
  }
  return probabilities;
}

/** Probability by what an error flips, as the bits of a number: errors that flip the same are one. */
function flipsOf(errors: DecodingModel['errors']): ReadonlyMap<number, number> {
  const byFlips = new Map<number, number>();
  for (const { symptoms, probability } of errors) {
    const flips = whole(symptoms).reduce((bits, each) => bits | (1 << each), 0);
    if (flips === 0) continue;
    const before = byFlips.get(flips) ?? 0;
    byFlips.set(flips, before * (1 - probability) + probability * (1 - before));
  }
  return byFlips;
}
