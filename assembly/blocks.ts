/**
 * Draws within blocks: the basis states that agree in all but their lowest BLOCK_BITS logical bits.
 *
 * An item is the same part of the state as in the command that adds up the blocks' masses. A block
 * looks up which draws are its own and is read only if there are any. Blocks whose amplitudes lie
 * far apart share cache lines with others: where several of them are wanted, their lines are copied
 * together first.
 */
import {
  BINS,
  itemBin,
  itemOffset,
  LANE_LINES,
  LINES,
  NUM_LANE_LINES,
  NUM_LINES,
  NUM_TILES,
  STATE,
  TILES,
} from './masses';
import { addUp, firstAbove, rangeOf } from './sampling';
import { place } from './vectors';

const BLOCK_BITS: i32 = 8;
const BLOCK_SIZE: usize = 1 << BLOCK_BITS;

// Fields after those of masses.ts, whose bins now hold the sums of the masses before each block;
// u32 each but the norm; the order of pickFields in sampling.ts.
const NUM_RANGES: usize = 88;
const STARTS: usize = 92;
const SORTED: usize = 96;
/** Lists with one entry for each draw, u32 each. */
const INDICES: usize = 100;
const OCCURRENCES: usize = 104;
/** Offsets of a block's amplitudes in logical order, in words: in the state, and in a copied tile. */
const OFFSETS: usize = 108;
const COPIED_OFFSETS: usize = 112;
/**
 * Offsets, in words, of regions of neighbouring groups that are copied from a tile; none if copying is not worthwhile.
 */
const NUM_REGIONS: usize = 116;
const REGIONS: usize = 120;
const REGION_BYTES: usize = 124;
const NORM: usize = 128;

/** A tile is copied if at least this many of its blocks are wanted. */
const COPY_FROM: i32 = 4;

/** @param tile - Room for two tiles. */
export function pickItem(command: usize, item: i32, tile: usize): void {
  const first = place(command + STATE) + itemOffset(command, item);
  const firstBin = itemBin(command, item);
  const scratch = tile + (128 << 10);
  let tiles: usize = load<u32>(command, TILES);
  const endOfTiles = tiles + ((<usize>load<u32>(command, NUM_TILES)) << 3);
  for (; tiles < endOfTiles; tiles += 8) {
    const at = first + place(tiles);
    const bin = firstBin | load<u32>(tiles, 4);
    if (load<u32>(command, NUM_REGIONS) != 0 && visitBlocks(command, at, bin, 0, scratch) >= COPY_FROM) {
      copyRegions(command, at, tile);
      visitBlocks(command, tile, bin, load<u32>(command, COPIED_OFFSETS), scratch);
    } else visitBlocks(command, at, bin, load<u32>(command, OFFSETS), scratch);
  }
}

function copyRegions(command: usize, from: usize, to: usize): void {
  const bytes: usize = load<u32>(command, REGION_BYTES);
  let regions: usize = load<u32>(command, REGIONS);
  const end = regions + ((<usize>load<u32>(command, NUM_REGIONS)) << 2);
  for (; regions < end; regions += 4) {
    const region = from + place(regions);
    for (let i: usize = 0; i < bytes; i += 64) {
      v128.store(to + i, v128.load(region + i));
      v128.store(to + i, v128.load(region + i, 16), 16);
      v128.store(to + i, v128.load(region + i, 32), 32);
      v128.store(to + i, v128.load(region + i, 48), 48);
    }
    to += bytes;
  }
}

/**
 * Picks from all blocks of a tile that have draws.
 *
 * @param offsets - Offsets of a block's amplitudes; 0 to pick none.
 * @returns Number of blocks with draws, if none is picked from.
 */
function visitBlocks(command: usize, tile: usize, tileBin: u32, offsets: usize, scratch: usize): i32 {
  const starts: usize = load<u32>(command, STARTS);
  const before: usize = load<u32>(command, BINS);
  const numRanges = load<u32>(command, NUM_RANGES);
  const rangesPerUnit = <f64>numRanges / load<f64>(command, NORM);
  const laneLines: usize = load<u32>(command, LANE_LINES);
  const endOfLanes = laneLines + ((<usize>load<u32>(command, NUM_LANE_LINES)) << 3);
  let numWanted = 0;
  let line: usize = load<u32>(command, LINES);
  const endOfLines = line + ((<usize>load<u32>(command, NUM_LINES)) << 3);
  for (; line < endOfLines; line += 8) {
    for (let lane = laneLines; lane < endOfLanes; lane += 8) {
      const block = tileBin | load<u32>(line, 4) | load<u32>(lane, 4);
      const low = load<f64>(before + ((<usize>block) << 3));
      const high = load<f64>(before + ((<usize>block) << 3), 8);
      const firstRange: usize = rangeOf(low, rangesPerUnit, numRanges);
      const lastRange: usize = rangeOf(high, rangesPerUnit, numRanges);
      const from = load<u32>(starts + (firstRange << 2));
      const to = load<u32>(starts + (lastRange << 2), 4);
      if (from == to || low == high) continue;
      if (offsets == 0) {
        numWanted += <i32>hasDraw(command, low, high, from, to);
        continue;
      }
      const at = tile + place(line) + ((<usize>load<u32>(lane)) << alignof<real>());
      pickFromBlock(command, at, offsets, block, low, high, from, to, scratch);
    }
  }
  return numWanted;
}

function hasDraw(command: usize, low: f64, high: f64, from: u32, to: u32): bool {
  const sorted: usize = load<u32>(command, SORTED);
  for (let i = from; i < to; i++) {
    const value = load<f64>(sorted + ((<usize>i) << 3));
    if (value >= low && value < high) return true;
  }
  return false;
}

/** @param from, to - Sorted draws among which are those of the block, which lie in [low, high). */
function pickFromBlock(
  command: usize,
  at: usize,
  offsets: usize,
  block: u32,
  low: f64,
  high: f64,
  from: u32,
  to: u32,
  scratch: usize,
): void {
  const sums = scratch;
  const histogram = sums + 8 * BLOCK_SIZE;
  const occurring = histogram + 4 * BLOCK_SIZE;
  let draw: usize = load<u32>(command, SORTED) + ((<usize>from) << 3);
  const end = draw + ((<usize>(to - from)) << 3);
  let numBefore: u32 = 0;
  let numDraws: u32 = 0;
  for (; draw < end; draw += 8) {
    const value = load<f64>(draw);
    if (value < low) numBefore++;
    else if (value < high) {
      if (numDraws++ == 0) {
        addUp(at, offsets, <i32>BLOCK_SIZE, low, sums);
        memory.fill(histogram, 0, 4 * BLOCK_SIZE + BLOCK_SIZE / 8);
      }
      const index = <usize>firstAbove(sums, BLOCK_BITS, value);
      const bin = histogram + (index << 2);
      store<u32>(bin, load<u32>(bin) + 1);
      const word = occurring + ((index >> 6) << 3);
      store<u64>(word, load<u64>(word) | (<u64>1 << (index & 63)));
    }
  }
  if (numDraws != 0) writeSamples(command, block, from + numBefore, numDraws, histogram, occurring);
}

/** Writes the samples of a block, at the positions of its sorted draws. */
function writeSamples(
  command: usize,
  block: u32,
  place: u32,
  numDraws: u32,
  histogram: usize,
  occurring: usize,
): void {
  const indices: usize = load<u32>(command, INDICES);
  let to = (<usize>place) << 2;
  const occurrences: usize = load<u32>(command, OCCURRENCES);
  const end = to + ((<usize>numDraws) << 2);
  for (let word: usize = 0; word < BLOCK_SIZE / 64; word++) {
    let rest = load<u64>(occurring + (word << 3));
    for (; rest != 0; rest &= rest - 1) {
      const index = (word << 6) | <usize>ctz(rest);
      store<u32>(indices + to, (block << BLOCK_BITS) | <u32>index);
      store<u32>(occurrences + to, load<u32>(histogram + (index << 2)));
      to += 4;
    }
  }
  memory.fill(occurrences + to, 0, end - to);
}
