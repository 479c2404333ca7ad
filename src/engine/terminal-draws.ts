/** Random draws of the trailing measurements, one a shot, for engines that draw in JavaScript. */
import { uniformDraw } from '../math/philox.ts';
import { sortUniformDraws } from '../math/uniform-sort.ts';
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
