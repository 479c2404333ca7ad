/**
 * Counts the shots that a decoder got wrong, as Sinter does: shots in which a post-selected detector fired are discarded
 * before they are decoded, those whose post-selected observables the decoder mispredicts after it; an error is any other
 * shot of which an observable is not as predicted.
 */
import type { Decoder } from './decoder.ts';

/** Detectors and observables that discard a shot, as bits of a row of events or flips. */
export interface Postselection {
  readonly detectors?: Uint8Array;
  readonly observables?: Uint8Array;
}

/** Shots with their detection events and flips of observables, as `Decoder.decode` has them. */
export interface DetectedShots {
  readonly numShots: number;
  readonly events: Uint8Array;
  readonly flips: Uint8Array;
  /** By shot, where shots are cases of which each is looked at once. */
  readonly probabilities?: Float64Array | undefined;
}

/** Numbers of shots. */
export interface ErrorCounts {
  /** Among the shots that are kept. */
  readonly errors: number;
  readonly discards: number;
  /** Probabilities of the shots with errors, added up, where shots have some. */
  readonly errorProbability: number;
}

/** @param decoder - Without one, no flips are predicted. */
export function countErrors(
  shots: DetectedShots,
  decoder: Decoder | undefined,
  { detectors, observables }: Postselection,
): ErrorCounts {
  const { numShots, events, flips, probabilities } = keptShots(shots, detectors);
  const width = flips.length / Math.max(1, numShots);
  if (decoder !== undefined) {
    const predictions = new Uint8Array(flips.length);
    decoder.decode(events, numShots, predictions);
    for (let i = 0; i < flips.length; i++) flips[i]! ^= predictions[i]!;
  }
  let [errors, discards, errorProbability] = [0, shots.numShots - numShots, 0];
  for (let shot = 0; shot < numShots; shot++) {
    let [isWrong, isDiscarded] = [false, false];
    for (let byte = 0; byte < width; byte++) {
      const wrong = flips[shot * width + byte]!;
      if (wrong === 0) continue;
      isWrong = true;
      if ((wrong & (observables?.[byte] ?? 0)) !== 0) isDiscarded = true;
    }
    if (isDiscarded) discards++;
    else if (isWrong) {
      errors++;
      errorProbability += probabilities?.[shot] ?? 0;
    }
  }
  return { errors, discards, errorProbability };
}

/** The shots in which none of some detectors fired. */
function keptShots(shots: DetectedShots, detectors: Uint8Array | undefined): DetectedShots {
  if (detectors === undefined) return shots;
  const { numShots, events, flips } = shots;
  const [width, ofFlips] = [events.length / numShots, flips.length / numShots];
  let kept = 0;
  for (let shot = 0; shot < numShots; shot++) {
    const from = shot * width;
    if (detectors.some((mask, byte) => (events[from + byte]! & mask) !== 0)) continue;
    events.copyWithin(kept * width, from, from + width);
    flips.copyWithin(kept * ofFlips, shot * ofFlips, (shot + 1) * ofFlips);
    kept++;
  }
  return {
    numShots: kept,
    events: events.subarray(0, kept * width),
    flips: flips.subarray(0, kept * ofFlips),
  };
}
