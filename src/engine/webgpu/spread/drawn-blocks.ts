/** Finds the blocks and basis states of sorted draws, by a walk over masses in logical order. */
import { type TimeSlicer, UNITS_PER_CHUNK } from '../../time-slicer.ts';

/** Blocks with draws, ascending. */
export interface DrawnBlocks {
  readonly numbers: readonly number[];
  /** Cumulative mass before each block. */
  readonly starts: readonly number[];
  /** Index of the first draw of each block, followed by the number of draws. */
  readonly firstDraws: readonly number[];
}

/**
 * Finds, for each draw, the first block whose cumulative mass exceeds the draw times the norm.
 *
 * @param draws - Ascending, in [0, 1).
 * @param massOf - Mass by block number.
 */
export async function drawnBlocks(
  draws: Float64Array,
  norm: number,
  numBlocks: number,
  massOf: (block: number) => number,
  slicer: TimeSlicer,
): Promise<DrawnBlocks> {
  const numbers: number[] = [];
  const starts: number[] = [];
  const firstDraws: number[] = [];
  let cumulative = 0;
  let next = 0;
  let last = { number: 0, start: 0 };
  for (let block = 0; block < numBlocks && next < draws.length; block++) {
    if (block % UNITS_PER_CHUNK === 0 && slicer.spend(UNITS_PER_CHUNK)) await slicer.pause();
    const mass = massOf(block);
    if (mass === 0) continue;
    last = { number: block, start: cumulative };
    cumulative += mass;
    if (draws[next]! * norm >= cumulative) continue;
    numbers.push(block);
    starts.push(last.start);
    firstDraws.push(next);
    while (next < draws.length && draws[next]! * norm < cumulative) next++;
  }
  // A draw just below 1, times the norm, may round up to the norm.
  if (next < draws.length && numbers.at(-1) !== last.number) {
    numbers.push(last.number);
    starts.push(last.start);
    firstDraws.push(next);
  }
  firstDraws.push(draws.length);
  return { numbers, starts, firstDraws };
}

/**
 * Finds the basis states of a block's draws.
 *
 * @param rests - Draws times the norm, minus the mass before the block; ascending.
 * @param massAt - Mass by index in the block.
 */
export function drawInBlock(
  rests: Float64Array,
  size: number,
  massAt: (place: number) => number,
  use: (place: number, count: number) => void,
): void {
  let cumulative = 0;
  let next = 0;
  let last = 0;
  let lastCount = 0;
  for (let place = 0; place < size && next < rests.length; place++) {
    const mass = massAt(place);
    if (mass === 0) continue;
    if (lastCount > 0) use(last, lastCount);
    cumulative += mass;
    const first = next;
    while (next < rests.length && rests[next]! < cumulative) next++;
    last = place;
    lastCount = next - first;
  }
  // A draw that rounding puts beyond the block's end belongs to its last possible basis state.
  lastCount += rests.length - next;
  if (lastCount > 0) use(last, lastCount);
}
