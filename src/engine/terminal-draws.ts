/** Random draws of the trailing measurements, one a shot, for engines that draw in JavaScript. */
import { uniformDraw } from '../math/philox.ts';
import type { SampleRequest } from './state-operations.ts';
import { type TimeSlicer, UNITS_PER_CHUNK } from './time-slicer.ts';

/** Work units of one draw, relative to the update of one amplitude. */
export const UNITS_PER_DRAW = 32;

/**
 * The draws of a request's shots, ascending, so that one walk over a state finds all basis states.
 */
export async function sortedTerminalDraws(
  { shots, seed, event }: SampleRequest,
  slicer: TimeSlicer,
): Promise<Float64Array> {
  const { count, numbers } = shots;
  const draws = new Float64Array(count);
  const shotsPerChunk = UNITS_PER_CHUNK / UNITS_PER_DRAW;
  for (let from = 0; from < count; from += shotsPerChunk) {
    const to = Math.min(from + shotsPerChunk, count);
    for (let i = from; i < to; i++) {
      draws[i] = uniformDraw(seed, numbers === undefined ? i : numbers[i]!, event, 0);
    }
    if (slicer.spend(UNITS_PER_DRAW * (to - from))) await slicer.pause();
  }
  return sortUniformDraws(draws);
}

const DRAWS_PER_RANGE = 8;

/**
 * Returns numbers drawn uniformly from [0, 1) in ascending order, in linear time; the input is not changed.
 *
 * It scatters them into equal ranges of about eight, after which an insertion sort moves each number past its
 * few neighbours only. That takes a tenth of the time of the general sort, for a thousand draws and for a
 * million. Other inputs are sorted too, but may take quadratic time.
 */
export function sortUniformDraws(draws: Float64Array): Float64Array {
  const numRanges = Math.max(1, Math.floor(draws.length / DRAWS_PER_RANGE));
  const starts = new Uint32Array(numRanges + 1);
  for (let i = 0; i < draws.length; i++) starts[Math.floor(draws[i]! * numRanges) + 1]!++;
  for (let range = 1; range < numRanges; range++) starts[range]! += starts[range - 1]!;
  const sorted = new Float64Array(draws.length);
  for (let i = 0; i < draws.length; i++) {
    const draw = draws[i]!;
    sorted[starts[Math.floor(draw * numRanges)]!++] = draw;
  }
  for (let i = 1; i < sorted.length; i++) {
    const draw = sorted[i]!;
    let hole = i;
    for (; hole > 0 && sorted[hole - 1]! > draw; hole--) sorted[hole] = sorted[hole - 1]!;
    sorted[hole] = draw;
  }
  return sorted;
}
