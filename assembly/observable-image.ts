/**
 * O·ψ of a sum of Pauli strings: to the amplitude i ^ flips of the image each group of strings adds
 * ψ[i] times the sum of its coefficients with their signs.
 *
 * An item is a block of the image. For every group, the coefficients' sums in the block that the
 * group takes there are a table, made by unfolding (folds.ts) and then read cell by cell. The image
 * is added up in double precision and written once.
 */
import { highDoubles, lowDoubles } from './doubles';
import { unfold } from './folds';
import {
  CELL_SHIFT,
  END_OF_FOLDS,
  END_OF_PLACES,
  FIRST_STRING,
  FLIPPED_LANES,
  FLIPS,
  FOLDS,
  flippedLanes,
  GROUP_BYTES,
  IMAGINARY,
  PART,
  PLACE_BYTES,
  PLACES,
  PLAIN,
  SIGNED,
  signed,
  signOf,
  TABLE_CELL,
  VARYING,
} from './pauli-groups';
import { GROUP_SHIFT, IMAG, LANES, place } from './vectors';

// Fields, u32 each; the order in which expectation.ts of the engine writes them.
/** In 32-bit words, as the image. */
const STATE: usize = 32;
const IMAGE: usize = 36;
const BLOCK_BYTES: usize = 40;
const GROUPS: usize = 44;
const END_OF_GROUPS: usize = 48;
/** A double for each string: its coefficient times i^numY, the real or the imaginary part. */
const COEFFICIENTS: usize = 52;

/** Bytes of a cell of the image while it is added up: for every two amplitudes re, re, im, im. */
// @ts-ignore: a decorator of this compiler
@inline
const SUM_SHIFT: usize = 7;

/** @param scratch - 24 bytes for each amplitude of a block. */
export function observableImageItem(command: usize, item: u32, scratch: usize): void {
  const state = place(command + STATE);
  const blockBytes: usize = load<u32>(command, BLOCK_BYTES);
  const coefficients: usize = load<u32>(command, COEFFICIENTS);
  const end: usize = load<u32>(command, END_OF_GROUPS);
  const base = <usize>item * blockBytes;
  const sumBytes = (blockBytes >> CELL_SHIFT) << SUM_SHIFT;
  const table = scratch + sumBytes;
  memory.fill(scratch, 0, sumBytes);
  for (let group: usize = load<u32>(command, GROUPS); group < end; group += GROUP_BYTES) {
    const flips = place(group + FLIPS);
    const from = base ^ (flips & ~(blockBytes - 1));
    tabulate(from, group, coefficients, table);
    addImage(state + from, flips & (blockBytes - 1), group, table, scratch);
  }
  storeBlock(scratch, place(command + IMAGE) + base, blockBytes);
}

/** Makes the table of a group's factors in the block at `from`, but for the signs of all strings. */
function tabulate(from: usize, group: usize, coefficients: usize, table: usize): void {
  const places: usize = load<u32>(group, PLACES);
  const end: usize = load<u32>(group, END_OF_PLACES);
  for (let string = places; string < end; string += PLACE_BYTES) {
    // Strings of one cell clear it more than once, before any of them is added.
    const cell = (table + <usize>load<u32>(string)) & ~(TABLE_CELL - 1);
    for (let i: usize = 0; i < TABLE_CELL; i += 16) v128.store(cell + i, i64x2.splat(0));
  }
  let coefficient = coefficients + (<usize>load<u32>(group, FIRST_STRING) << 3);
  for (let string = places; string < end; string += PLACE_BYTES) {
    const to = table + <usize>load<u32>(string);
    const value = signed(load<f64>(coefficient), from & place(string + 4));
    store<f64>(to, load<f64>(to) + value);
    coefficient += 8;
  }
  unfold(load<u32>(group, FOLDS), load<u32>(group, END_OF_FOLDS), table);
}

/** Loops that decide nothing inside: one for each part and each flip of lanes. */
function addImage(block: usize, flips: usize, group: usize, table: usize, sums: usize): void {
  const lanes = load<i32>(group, FLIPPED_LANES);
  if (load<u32>(group, PART) != IMAGINARY) {
    if (lanes == 0) addCells(block, flips, group, table, sums, false, 0);
    else if (lanes == 1) addCells(block, flips, group, table, sums, false, 1);
    else if (LANES == 4) {
      if (lanes == 2) addCells(block, flips, group, table, sums, false, 2);
      else addCells(block, flips, group, table, sums, false, 3);
    }
  } else if (lanes == 0) addCells(block, flips, group, table, sums, true, 0);
  else if (lanes == 1) addCells(block, flips, group, table, sums, true, 1);
  else if (LANES == 4) {
    if (lanes == 2) addCells(block, flips, group, table, sums, true, 2);
    else addCells(block, flips, group, table, sums, true, 3);
  }
}

// @ts-ignore: a decorator of this compiler
@inline
function addCells(
  block: usize,
  flips: usize,
  group: usize,
  table: usize,
  sums: usize,
  isImaginary: bool,
  lanes: i32,
): void {
  const varying = place(group + VARYING);
  const signs = place(group + SIGNED);
  const plain = place(group + PLAIN);
  const far = flips & ~((<usize>1 << CELL_SHIFT) - 1);
  const near = flips & ((<usize>1 << CELL_SHIFT) - 1);
  // Where the sums of each register group of a cell go: two vectors of doubles a group in f64, four in f32.
  const groupShift: usize = SUM_SHIFT - (CELL_SHIFT - GROUP_SHIFT);
  const to0 = (near >> GROUP_SHIFT) << groupShift;
  const to1 = to0 ^ (<usize>1 << groupShift);
  const to2 = to0 ^ (<usize>2 << groupShift);
  const to3 = to0 ^ (<usize>3 << groupShift);
  // Factors in the order of the image's lanes: doubles within a group change places.
  let v: usize = 0;
  do {
    const f0 = v128.load(table);
    const f1 = v128.load(table, 16);
    const f2 = v128.load(table, 32);
    const f3 = v128.load(table, 48);
    table += TABLE_CELL;
    let s: usize = 0;
    do {
      const sign = signOf(s);
      const g0 = v128.xor(f0, sign);
      const g1 = v128.xor(f1, sign);
      const g2 = v128.xor(f2, sign);
      const g3 = v128.xor(f3, sign);
      let u: usize = 0;
      do {
        const offset = v | s | u;
        const p = block + offset;
        const to = sums + (((offset ^ far) >> CELL_SHIFT) << SUM_SHIFT);
        if (LANES == 4) {
          addGroup(p, to + to0, g0, g1, isImaginary, lanes);
          addGroup(p + (1 << GROUP_SHIFT), to + to1, g2, g3, isImaginary, lanes);
        } else {
          addGroup(p, to + to0, g0, g0, isImaginary, lanes);
          addGroup(p + (1 << GROUP_SHIFT), to + to1, g1, g1, isImaginary, lanes);
          addGroup(p + (2 << GROUP_SHIFT), to + to2, g2, g2, isImaginary, lanes);
          addGroup(p + (3 << GROUP_SHIFT), to + to3, g3, g3, isImaginary, lanes);
        }
        u = (u - plain) & plain;
      } while (u != 0);
      s = (s - signs) & signs;
    } while (s != 0);
    v = (v - varying) & varying;
  } while (v != 0);
}

/**
 * Adds a group of amplitudes times factors.
 *
 * @param low - Factors of lanes 0 and 1.
 * @param high - Those of lanes 2 and 3, in single precision.
 */
// @ts-ignore: a decorator of this compiler
@inline
function addGroup(p: usize, to: usize, low: v128, high: v128, isImaginary: bool, lanes: i32): void {
  const re = v128.load(p);
  const im = v128.load(p, IMAG);
  if (LANES == 4) {
    // A flip of lane qubit 1 exchanges low and high lanes.
    const toLow = lanes & 2 ? to + 32 : to;
    const toHigh = lanes & 2 ? to : to + 32;
    addPair(toLow, low, lowDoubles(re), lowDoubles(im), isImaginary, lanes & 1);
    addPair(toHigh, high, highDoubles(re), highDoubles(im), isImaginary, lanes & 1);
  } else addPair(to, low, re, im, isImaginary, lanes);
}

/** Adds two amplitudes times factors: (re + i·im)·f, or (re + i·im)·i·f. */
// @ts-ignore: a decorator of this compiler
@inline
function addPair(to: usize, factors: v128, re: v128, im: v128, isImaginary: bool, flip: i32): void {
  const addedRe = swapped(f64x2.mul(isImaginary ? f64x2.neg(im) : re, factors), flip);
  const addedIm = swapped(f64x2.mul(isImaginary ? re : im, factors), flip);
  v128.store(to, f64x2.add(v128.load(to), addedRe));
  v128.store(to, f64x2.add(v128.load(to, 16), addedIm), 16);
}

// @ts-ignore: a decorator of this compiler
@inline
function swapped(v: v128, flip: i32): v128 {
  return flip ? v128.shuffle<f64>(v, v, 1, 0) : v;
}

/** Writes a block of the image in the state's precision. */
function storeBlock(sums: usize, image: usize, bytes: usize): void {
  for (const end = image + bytes; image < end; image += 1 << GROUP_SHIFT) {
    if (LANES == 4) {
      store4(image, v128.load(sums), v128.load(sums, 32));
      store4(image + IMAG, v128.load(sums, 16), v128.load(sums, 48));
      sums += 64;
    } else {
      v128.store(image, v128.load(sums));
      v128.store(image, v128.load(sums, 16), IMAG);
      sums += 32;
    }
  }
}

/** Stores four doubles as singles. */
// @ts-ignore: a decorator of this compiler
@inline
function store4(at: usize, low: v128, high: v128): void {
  const a = f32x4.demote_f64x2_zero(low);
  const b = f32x4.demote_f64x2_zero(high);
  v128.store(at, v128.shuffle<f64>(a, b, 0, 2));
}
