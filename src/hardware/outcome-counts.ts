/** Counts of a run from a vendor's outcomes. */
import { wordsFor } from '../engine/classical-bits.ts';
import { CountsBuilder } from '../engine/counts-builder.ts';
import type { Counts } from '../engine/engine.ts';
import { TimeSlicer } from '../engine/time-slicer.ts';
import { VendorResultError } from './errors.ts';

/**
 * Counts outcomes.
 *
 * @param occurrences - Number of shots of each outcome; bit i of the number is classical bit i.
 * @param numBits - Length of the register; all outcomes are less than 2^numBits.
 */
export function outcomeCounts(
  occurrences: Iterable<readonly [bigint, number]>,
  numBits: number,
  signal: AbortSignal,
): Promise<Counts> {
  const builder = new CountsBuilder(numBits);
  const words = new Uint32Array(wordsFor(numBits));
  for (const [outcome, count] of occurrences) {
    for (let i = 0; i < words.length; i++) {
      words[i] = Number((outcome >> BigInt(32 * i)) & 0xffffffffn);
    }
    builder.add(words, count);
  }
  return builder.finish(new TimeSlicer(signal, () => {}));
}

/** @throws {VendorResultError} unless a job has a result for each of its circuits. */
export function checkNumResults(
  found: number,
  wanted: number,
  vendor: string,
  vendorJobId: string,
): void {
  if (found === wanted) return;
  const what = `it has results of ${found} circuits instead of ${wanted}`;
  throw new VendorResultError(vendor, vendorJobId, what);
}
