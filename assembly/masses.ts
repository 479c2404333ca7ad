/**
 * Sums of masses |a|²: of the two halves of a state that a qubit tells apart, and by the values of
 * any qubits.
 */
import { addMasses, sumLanes } from './doubles';
import { place } from './vectors';

// Fields of both commands of this file, u32 each; the order in which masses-plan.ts writes them. Places in the state are in
// 32-bit words.
export const STATE: usize = 32;
/** Pairs [offset, bin] by bit of the item number. */
export const NUM_OUTER: usize = 36;
export const OUTER: usize = 40;
/** Tiles of an item: pairs [offset, bin]. */
export const NUM_TILES: usize = 44;
export const TILES: usize = 48;
/** First groups of a tile's runs, one run for each bin: pairs [offset, bin]. */
export const NUM_LINES: usize = 52;
export const LINES: usize = 56;
/** Lane qubits that bins tell apart, and their values: pairs [lane number, bin]. */
export const LANE_MASK: usize = 60;
export const NUM_LANE_LINES: usize = 64;
export const LANE_LINES: usize = 68;
/** Offsets of the runs of neighbouring groups that are summed. */
const NUM_RUNS: usize = 72;
const RUNS: usize = 76;
const RUN_BYTES: usize = 80;
/** f64 each. */
export const BINS: usize = 84;

/** Byte offset of an item. */
// @ts-ignore: a decorator of this compiler
@inline
export function itemOffset(command: usize, item: i32): usize {
  return scatter(load<u32>(command, OUTER), load<u32>(command, NUM_OUTER), item) << 2;
}

/** The item's bits of the bin number. */
// @ts-ignore: a decorator of this compiler
@inline
export function itemBin(command: usize, item: i32): u32 {
  return <u32>scatter(load<u32>(command, OUTER) + 4, load<u32>(command, NUM_OUTER), item);
}

// @ts-ignore: a decorator of this compiler
@inline
function scatter(images: usize, numBits: u32, index: i32): usize {
  let image: usize = 0;
  for (let i: u32 = 0; i < numBits; i++) {
    if ((index >> i) & 1) image |= load<u32>(images + (i << 3));
  }
  return image;
}

/** @param sums - Room for 32 bytes a line. */
export function massesItem(command: usize, item: i32, sums: usize): void {
  const first = place(command + STATE) + itemOffset(command, item);
  const firstBin = itemBin(command, item);
  let tiles: usize = load<u32>(command, TILES);
  const endOfTiles = tiles + ((<usize>load<u32>(command, NUM_TILES)) << 3);
  for (; tiles < endOfTiles; tiles += 8) {
    addTile(command, first + place(tiles), sums);
    writeBins(command, firstBin | load<u32>(tiles, 4), sums);
  }
}

function addTile(command: usize, tile: usize, sums: usize): void {
  const lines: usize = load<u32>(command, LINES);
  const numLines: usize = load<u32>(command, NUM_LINES);
  const endOfLines = lines + (numLines << 3);
  const runBytes: usize = load<u32>(command, RUN_BYTES);
  let runs: usize = load<u32>(command, RUNS);
  const endOfRuns = runs + ((<usize>load<u32>(command, NUM_RUNS)) << 2);
  memory.fill(sums, 0, numLines << 5);
  for (; runs < endOfRuns; runs += 4) {
    const run = tile + place(runs);
    let sum = sums;
    for (let line = lines; line < endOfLines; line += 8) {
      const at = run + place(line);
      addMasses(at, at + runBytes, sum);
      sum += 32;
    }
  }
}

function writeBins(command: usize, tileBin: u32, sums: usize): void {
  const bins: usize = load<u32>(command, BINS);
  const mask: i32 = load<i32>(command, LANE_MASK);
  const laneLines: usize = load<u32>(command, LANE_LINES);
  const endOfLanes = laneLines + ((<usize>load<u32>(command, NUM_LANE_LINES)) << 3);
  let line: usize = load<u32>(command, LINES);
  const endOfLines = line + ((<usize>load<u32>(command, NUM_LINES)) << 3);
  for (; line < endOfLines; line += 8) {
    const lineBin = tileBin | load<u32>(line, 4);
    for (let lane = laneLines; lane < endOfLanes; lane += 8) {
      const bin: usize = lineBin | load<u32>(lane, 4);
      store<f64>(bins + (bin << 3), sumLanes(sums, mask, load<i32>(lane)));
    }
    sums += 32;
  }
}

/**
 * The masses of a qubit in a range of groups.
 *
 * @param distance - In bytes, of groups that differ in the qubit, of which the range has both; 0 for
 *   a lane qubit.
 * @param laneBit - The bit of the lane number that is the qubit; 0 for others.
 * @param scratch - 64 bytes.
 * @param out - Two doubles: the mass of 0 and that of 1.
 */
export function rangeMasses(
  at: usize,
  bytes: usize,
  distance: usize,
  laneBit: i32,
  scratch: usize,
  out: usize,
): void {
  const ones = scratch + 32;
  const end = at + bytes;
  memory.fill(scratch, 0, 64);
  if (distance == 0) {
    addMasses(at, end, scratch);
    store<f64>(out, sumLanes(scratch, laneBit, 0));
    store<f64>(out, laneBit ? sumLanes(scratch, laneBit, laneBit) : 0, 8);
    return;
  }
  for (let pair = at; pair < end; pair += 2 * distance) {
    addMasses(pair, pair + distance, scratch);
    addMasses(pair + distance, pair + 2 * distance, ones);
  }
  store<f64>(out, sumLanes(scratch, 0, 0));
  store<f64>(out, sumLanes(ones, 0, 0), 8);
}

// Fields of the masses of one qubit; the order in which collapse.ts of the engine writes them.
const ITEM_BYTES: usize = 36;
/** In words, as the state's address. */
const DISTANCE: usize = 40;
const LANE_BIT: usize = 44;
/** Two doubles an item. */
const OUT: usize = 48;

/** Each item is a block of neighbouring groups. */
export function qubitMassesItem(command: usize, item: i32, scratch: usize): void {
  const bytes: usize = load<u32>(command, ITEM_BYTES);
  const distance = place(command + DISTANCE);
  const offset = <usize>item * bytes;
  const at = place(command + STATE) + offset;
  const out = load<u32>(command, OUT) + ((<usize>item) << 4);
  if (distance < bytes) {
    rangeMasses(at, bytes, distance, load<i32>(command, LANE_BIT), scratch, out);
    return;
  }
  rangeMasses(at, bytes, 0, 0, scratch, out);
  if ((offset & distance) == 0) return;
  store<f64>(out, load<f64>(out), 8);
  store<f64>(out, 0);
}
