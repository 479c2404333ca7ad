/**
 * Exports for the host. A command is a parallel loop in shared memory; threads claim its items
 * until none is left. All threads run the same functions over the same memory and differ only in
 * their scratch.
 */
import { batchItem } from './batch';
import { pickItem } from './blocks';
import { clearChunk, clearUntouched, copyChunk } from './bulk';
import { collapseItem, collapseLanes, collapsePairs } from './collapse';
import { expectationItem } from './expectation';
import { massesItem, qubitMassesItem, rangeMasses } from './masses';
import { multiplyItem, orthogonalize } from './mps-commands';
import { observableImageItem } from './observable-image';
import { addUpState, drawItem, drawShotsItem, sortDrawsItem } from './sampling';
import { sweepTiles } from './sweep';
import { multiply } from './tile-kernels';
import { setScratch as setProgramScratch } from './tile-program';
import { IMAG } from './vectors';

export { beginOrthogonalization } from './mps-commands';
export {
  applyToPair,
  applyToSite,
  conjugate,
  multiplyMatrices,
  pickRows,
  rowMasses,
  transpose,
} from './mps-products';
export { orthogonalizeRows, rotateRows } from './mps-rows';
export {
  compactSamples,
  drawShots,
  listHistogram,
  startsOfCounts,
  startsOfMasses,
} from './sampling';

// A command begins with eight words; the order of command.ts.
const KIND: usize = 0;
const NUM_ITEMS: usize = 4;
const NEXT_ITEM: usize = 8;
const IS_CANCELLED: usize = 12;
const ITEMS_PER_CLAIM: usize = 16;

const SWEEP = 1;
const MASSES = 2;
const QUBIT_MASSES = 3;
const COLLAPSE = 4;
const DRAW_SHOTS = 5;
const DRAW = 6;
const SORT_DRAWS = 7;
const PICK = 8;
const EXPECTATION = 9;
const OBSERVABLE_IMAGE = 10;
const CLEAR = 32;
const COPY = 33;
const CLEAR_UNTOUCHED = 34;
const BATCH = 48;
const MULTIPLY = 64;
const ORTHOGONALIZE = 65;

/** This thread's tiles, behind the scratch of the tile program. */
let tiles: usize = 0;
/** The last quarter of the scratch of the tile program. */
let scales: usize = 0;

/**
 * @param at - Address of 16 KiB of scratch, followed by 128 KiB for lists of a tile's products and room for the tiles
 *   that are gathered together.
 */
export function setScratch(at: usize): void {
  setProgramScratch(at, at + 16384);
  scales = at + 12288;
  tiles = at + 147456;
}

/**
 * Claims and does items of a command.
 *
 * @param maxClaims - Returns early after so many.
 * @returns Whether no item is left to claim.
 */
export function work(command: usize, maxClaims: i32): bool {
  if (load<i32>(command, KIND) == ORTHOGONALIZE) return orthogonalize(command, maxClaims);
  const numItems: i32 = load<i32>(command, NUM_ITEMS);
  const perClaim: i32 = load<i32>(command, ITEMS_PER_CLAIM);
  for (let claim = 0; claim < maxClaims; claim++) {
    const begin: i32 = atomic.add<i32>(command, perClaim, NEXT_ITEM);
    if (begin >= numItems || atomic.load<i32>(command, IS_CANCELLED) != 0) return true;
    const end = min(begin + perClaim, numItems);
    if (load<i32>(command, KIND) == SWEEP) sweepTiles(command, begin, end, tiles, scales);
    else for (let item = begin; item < end; item++) doItem(command, item);
  }
  return false;
}

function doItem(command: usize, item: i32): void {
  switch (load<i32>(command, KIND)) {
    case MASSES:
      massesItem(command, item, tiles);
      break;
    case QUBIT_MASSES:
      qubitMassesItem(command, item, tiles);
      break;
    case COLLAPSE:
      collapseItem(command, item, tiles);
      break;
    case DRAW_SHOTS:
      drawShotsItem(command, item, tiles);
      break;
    case DRAW:
      drawItem(command, item);
      break;
    case SORT_DRAWS:
      sortDrawsItem(command, item);
      break;
    case PICK:
      pickItem(command, item, tiles);
      break;
    case EXPECTATION:
      expectationItem(command, item, tiles);
      break;
    case OBSERVABLE_IMAGE:
      observableImageItem(command, item, tiles);
      break;
    case CLEAR:
      clearChunk(command, item);
      break;
    case COPY:
      copyChunk(command, item);
      break;
    case CLEAR_UNTOUCHED:
      clearUntouched(command, item);
      break;
    case BATCH:
      batchItem(command, item, tiles);
      break;
    case MULTIPLY:
      multiplyItem(command, item, tiles);
      break;
    default:
      unreachable();
  }
}

/** Fills a table of a diagonal with ones. */
export function fillOnes(table: usize, bytes: usize): void {
  for (let i: usize = 0; i < bytes; i += 32) {
    v128.store(table + i, v128.splat<real>(1));
    v128.store(table + i, v128.splat<real>(0), IMAG);
  }
}

/** Multiplies a subcube of a table. */
export function multiplySubcube(first: usize, free: usize, at: usize): void {
  multiply(first, free, at);
}

// Functions on small states, which the host calls without a command. `state` is in 32-bit words, as in commands.

/** @see rangeMasses in masses.ts */
export function stateMasses(
  state: u32,
  bytes: usize,
  distance: usize,
  laneBit: i32,
  scratch: usize,
  out: usize,
): void {
  rangeMasses(<usize>state << 2, bytes, distance, laneBit, scratch, out);
}

/** @see collapsePairs in collapse.ts */
export function collapseState(
  state: u32,
  free: usize,
  distance: usize,
  outcome: i32,
  left: i32,
  scale: f64,
): void {
  collapsePairs(<usize>state << 2, free, distance, outcome, left, scale);
}

/** @see collapseLanes in collapse.ts */
export function collapseStateLanes(
  state: u32,
  bytes: usize,
  laneBit: i32,
  outcome: i32,
  left: i32,
  scale: f64,
  scratch: usize,
): void {
  collapseLanes(<usize>state << 2, bytes, laneBit, outcome, left, scale, scratch);
}

/** @see addUpState in sampling.ts */
export function stateSums(
  state: u32,
  numQubits: i32,
  images: usize,
  offsets: usize,
  sums: usize,
): f64 {
  return addUpState(<usize>state << 2, numQubits, images, offsets, sums);
}
