/**
 * Runs a tile's program: a list of instructions in 32-bit words, written in
 * src/engine/cpu/, where tile-code.ts has the same numbers.
 *
 * Each instruction begins with [opcode, length in words, mask, value]: it is skipped unless the
 * bits of the tile's base index under `mask` equal `value`. This is how controls and diagonals use
 * qubits outside the tile.
 */
import { applyDense } from './dense';
import { mix2, mix4 } from './maps';
import { rotateLanePair, rotatePairs } from './pair-kernels';
import { addCross, addCrosses, addList, diagonalProducts, fold } from './probes';
import { rotate1, rotate2, rotate3, rotateLanes } from './rotations';
import {
  exchange,
  exchangeLaneQubit,
  multiply,
  multiplyByProduct,
  multiplyByTable,
  permuteLanes,
  rotateSubcubes,
} from './tile-kernels';
import { GROUP_SHIFT, IMAG, LANE_QUBITS, LANES, multiplyGroup } from './vectors';

const ROTATE_1 = 1;
const ROTATE_2 = 2;
const ROTATE_3 = 3;
const ROTATE_LANES = 4;
const MULTIPLY = 6;
const TABLE = 7;
const PHASES = 8;
const EXCHANGE = 9;
const CYCLE = 10;
const PERMUTE_LANES = 11;
const EXCHANGE_LANE = 12;
const DENSE = 13;
const SCALE = 14;
const ROTATE_PAIRS = 15;
const ROTATE_LANE_PAIR = 16;
const CROSS = 17;
const DIAGONAL_PRODUCTS = 18;
const FOLD = 19;
const ADD_LIST = 20;
const CROSSES = 21;
const SETTLE = 22;
const MIX_2 = 23;
const MIX_4 = 24;

/** This thread's scratch memory, SCRATCH_BYTES in wasm-kernels.ts. */
let scratch: usize = 0;
/** This thread's room for lists of products. */
let lists: usize = 0;
/** Where the sums of this tile are added to. */
let sums: usize = 0;
/** Pending scale of the tile, applied when it is stored. */
let scaleRe: f64 = 1;
let scaleIm: f64 = 0;

export function setScratch(at: usize, listsAt: usize): void {
  scratch = at;
  lists = listsAt;
}

export function setSums(at: usize): void {
  sums = at;
}

// @ts-ignore: a decorator of this compiler
@inline
function word(at: usize, index: usize): u32 {
  return load<u32>(at + (index << 2));
}

export function resetScale(): void {
  scaleRe = 1;
  scaleIm = 0;
}

export function hasScale(): bool {
  return scaleRe != 1 || scaleIm != 0;
}

/** Keeps a scale until the tile is stored. */
export function keepScale(at: usize): void {
  store<f64>(at, scaleRe);
  store<f64>(at, scaleIm, 8);
}

export function keptC(at: usize): v128 {
  return v128.splat<real>(<real>load<f64>(at));
}

export function keptS(at: usize): v128 {
  return v128.splat<real>(<real>load<f64>(at, 8));
}

export function scaleC(): v128 {
  return v128.splat<real>(<real>scaleRe);
}

export function scaleS(): v128 {
  return v128.splat<real>(<real>scaleIm);
}

/**
 * @param tile - Where the tile lies.
 * @param base - Basis index of the tile's first amplitude.
 */
export function runTileProgram(
  begin: usize,
  end: usize,
  tile: usize,
  bytes: usize,
  base: u32,
): void {
  let at = begin;
  while (at < end) {
    const op = at;
    at += (<usize>word(op, 1)) << 2;
    if ((base & word(op, 2)) != word(op, 3)) continue;
    const first = tile + word(op, 4);
    const free: usize = word(op, 5);
    let tangents: usize;
    switch (word(op, 0)) {
      case ROTATE_1:
        rotate1(first, free, word(op, 6), v128.load(word(op, 7)));
        break;
      case ROTATE_2:
        tangents = word(op, 8);
        rotate2(first, free, word(op, 6), word(op, 7), v128.load(tangents), v128.load(tangents, 16));
        break;
      case ROTATE_3:
        tangents = word(op, 9);
        rotate3(
          first, free, word(op, 6), word(op, 7), word(op, 8),
          v128.load(tangents), v128.load(tangents, 16), v128.load(tangents, 32),
        );
        break;
      case ROTATE_LANES:
        rotateLanes(first, free, word(op, 6), word(op, 7), word(op, 8), word(op, 9), word(op, 10));
        break;
      case MULTIPLY:
        multiply(first, free, word(op, 6));
        break;
      case TABLE:
        multiplyByTable(tile, bytes, word(op, 6), word(op, 7));
        break;
      case PHASES:
        multiplyByPhases(tile, bytes, base, op + 24, word(op, 4), word(op, 5));
        break;
      case EXCHANGE:
        exchange(first, tile + word(op, 6), free, word(op, 7));
        break;
      case CYCLE:
        rotateSubcubes(tile, free, word(op, 6), op + 28);
        break;
      case PERMUTE_LANES:
        permuteLanes(first, free, word(op, 6));
        break;
      case EXCHANGE_LANE:
        exchangeLaneQubit(tile, free, word(op, 6), word(op, 7));
        break;
      case DENSE:
        applyDense(first, free, word(op, 6), word(op, 7), word(op, 8), word(op, 9), scratch);
        break;
      case SCALE:
        scaleBy(load<f64>(op + 24), load<f64>(op + 32));
        break;
      case ROTATE_PAIRS:
        rotatePairs(
          first, free, word(op, 6), word(op, 7) != 0, word(op, 8), word(op, 9), op + 40,
        );
        break;
      case ROTATE_LANE_PAIR:
        rotateLanePair(first, free, word(op, 6), word(op, 7) != 0, word(op, 8), word(op, 9));
        break;
      case CROSS:
        addCross(
          first, tile + word(op, 6), word(op, 7), free, word(op, 8), word(op, 9), word(op, 10),
          scaleNorm(), sums + word(op, 11),
        );
        break;
      case MIX_2:
        mix2(first, free, op + 28, word(op, 6));
        break;
      case MIX_4:
        mix4(first, free, op + 28, word(op, 6));
        break;
      case SETTLE:
        settle(tile, bytes);
        break;
      case CROSSES:
        addCrosses(
          first, free, word(op, 6), word(op, 7) != 0, word(op, 8), word(op, 9), op + 40,
          scaleNorm(), sums,
        );
        break;
      case DIAGONAL_PRODUCTS:
        diagonalProducts(tile, word(op, 4), lists);
        break;
      case FOLD:
        fold(lists + word(op, 4), lists + word(op, 5), word(op, 6), word(op, 7) != 0);
        break;
      case ADD_LIST:
        addList(
          lists + word(op, 4), word(op, 5), word(op, 6), word(op, 7),
          popcnt(base & word(op, 8)) & 1 ? -scaleNorm() : scaleNorm(), sums + word(op, 9),
        );
        break;
      default:
        unreachable();
    }
  }
}

/** Applies the pending scale. */
function settle(tile: usize, bytes: usize): void {
  const c = scaleC();
  const s = scaleS();
  for (let i: usize = 0; i < bytes; i += 32) multiplyGroup(tile + i, c, s);
  resetScale();
}

/** Returns the factor that products of two amplitudes of the tile are still to be multiplied by. */
function scaleNorm(): f64 {
  return scaleRe * scaleRe + scaleIm * scaleIm;
}

function scaleBy(c: f64, s: f64): void {
  const re = scaleRe * c - scaleIm * s;
  scaleIm = scaleRe * s + scaleIm * c;
  scaleRe = re;
}

/**
 * Multiplies the tile by a product over its qubits: where qubit q of the tile is 1, by the product
 * of its factors whose outer bits fit this tile. A factor is [mask, value, q, 0, re f64, im f64].
 *
 * The product over the lower qubits and that over the higher ones are spread into two small tables.
 */
function multiplyByPhases(
  tile: usize,
  bytes: usize,
  base: u32,
  factors: usize,
  numFactors: u32,
  numQubits: u32,
): void {
  // One complex number a qubit: 16 bytes each.
  const phases = scratch;
  for (let q: u32 = 0; q < numQubits; q++) {
    store<f64>(phases + (q << 4), 1);
    store<f64>(phases + (q << 4), 0, 8);
  }
  let changed = false;
  for (let f: u32 = 0; f < numFactors; f++) {
    if ((base & word(factors, 0)) == word(factors, 1)) {
      const entry = phases + (word(factors, 2) << 4);
      const re = load<f64>(entry);
      const im = load<f64>(entry, 8);
      const c = load<f64>(factors, 16);
      const s = load<f64>(factors, 24);
      store<f64>(entry, re * c - im * s);
      store<f64>(entry, re * s + im * c, 8);
      changed = true;
    }
    factors += 32;
  }
  if (!changed) return;
  const lowQubits = min<u32>(numQubits, LANE_QUBITS + 5);
  const low = scratch + 1024;
  // As many groups as there are above the low ones: 256 in a tile of 256 KiB.
  const high = low + 32 * 32;
  // Within a group: lane by lane.
  for (let lane = 0; lane < LANES; lane++) {
    let re: f64 = 1;
    let im: f64 = 0;
    for (let q = 0; q < LANE_QUBITS; q++) {
      if (((lane >> q) & 1) == 0) continue;
      const c = load<f64>(phases + (q << 4));
      const s = load<f64>(phases + (q << 4), 8);
      const next = re * c - im * s;
      im = re * s + im * c;
      re = next;
    }
    const entry = low + (<usize>lane << alignof<real>());
    store<real>(entry, <real>re);
    store<real>(entry, <real>im, IMAG);
  }
  spread(low, phases, LANE_QUBITS, lowQubits);
  v128.store(high, v128.splat<real>(1));
  v128.store(high, v128.splat<real>(0), IMAG);
  spread(high, phases, lowQubits, numQubits);
  const lowBytes = <usize>1 << (lowQubits - LANE_QUBITS + GROUP_SHIFT);
  multiplyByProduct(tile, bytes, low, lowBytes, high);
}

/** Doubles a table of groups once for each qubit from `from` to `to`. */
function spread(table: usize, phases: usize, from: u32, to: u32): void {
  let length: usize = 32;
  for (let q = from; q < to; q++) {
    const c = v128.splat<real>(<real>load<f64>(phases + (q << 4)));
    const s = v128.splat<real>(<real>load<f64>(phases + (q << 4), 8));
    for (let i: usize = 0; i < length; i += 32) {
      const re = v128.load(table + i);
      const im = v128.load(table + i, IMAG);
      const entry = table + length + i;
      v128.store(entry, v128.sub<real>(v128.mul<real>(re, c), v128.mul<real>(im, s)));
      v128.store(entry, v128.add<real>(v128.mul<real>(re, s), v128.mul<real>(im, c)), IMAG);
    }
    length <<= 1;
  }
}
