/**
 * One sweep: tiles are gathered from the state, changed and stored, one after the other, by
 * whichever thread claims them.
 *
 * A tile is 2^numRuns runs of neighbouring groups. Qubits that nothing has touched yet are |0⟩:
 * tiles and runs where one of them is 1 hold nothing, so they are neither read nor, outside this
 * sweep's own qubits, written.
 */
import { hasScale, keepScale, keptC, keptS, resetScale, runTileProgram, scaleC, scaleS, setSums } from './tile-program';
import { IMAG, mulAdd, place, subMul } from './vectors';

// Fields of a sweep, u32 each after the command's header; the order of sweepWords in placed-program.ts.
/** In 32-bit words, as all places in the state. */
const STATE: usize = 32;
const TILE_BYTES: usize = 36;
const RUN_BYTES: usize = 40;
const NUM_RUNS: usize = 44;
/** [offset in words, 0 where the run is known to be zero] for each run. */
const RUNS: usize = 48;
/** Pairs [amplitude bit, word bit], both masks, of the tile number's bits. */
const NUM_OUTER: usize = 52;
const OUTER: usize = 56;
const PROGRAM: usize = 60;
const PROGRAM_END: usize = 64;
/** Byte offset in the tile of each stored group; 0 for a store in place. */
const STORE: usize = 68;
/** 1 if the state is |0…0⟩ and memory unspecified. */
const FROM_ZERO: usize = 72;
/** 1 if the single tile is the state itself. */
const IN_PLACE: usize = 76;

/** Doubles of the first tile, and the bytes of one tile's. */
const SUMS: usize = 80;
const SUM_BYTES: usize = 84;

/** Most tiles with neighbouring memory that are gathered and stored together, and the most bytes of them. */
const MAX_TOGETHER = 4;
const MAX_BYTES_TOGETHER: usize = 1 << 19;

/**
 * Does tiles `begin` to `end`.
 *
 * Tiles whose numbers differ in the lowest bits continue each other's runs. Gathered together, memory
 * is read and written in runs up to four times as long, which costs no more cache than there is.
 *
 * @param tiles - This thread's room for MAX_TOGETHER tiles.
 * @param scales - Room for a pair of doubles for each: what tiles are multiplied by when stored.
 */
export function sweepTiles(command: usize, begin: i32, end: i32, tiles: usize, scales: usize): void {
  const together = togetherOf(command);
  let index = begin;
  while (index < end) {
    let count = together;
    while (count > 1 && ((index & (count - 1)) != 0 || index + count > end)) count >>= 1;
    sweepTogether(command, index, count, tiles, scales);
    index += count;
  }
}

/** Number of tiles that continue each other's runs. */
function togetherOf(command: usize): i32 {
  const numOuter = load<u32>(command, NUM_OUTER);
  const outer: usize = load<u32>(command, OUTER);
  let run: usize = load<u32>(command, RUN_BYTES);
  let together = 1;
  let bytes: usize = load<u32>(command, TILE_BYTES) << 1;
  for (let i: u32 = 0; i < numOuter && together < MAX_TOGETHER; i++) {
    if (bytes > MAX_BYTES_TOGETHER) break;
    bytes <<= 1;
    if (place(outer + (i << 3) + 4) != run) break;
    run <<= 1;
    together <<= 1;
  }
  return together;
}

function sweepTogether(
  command: usize,
  index: i32,
  count: i32,
  tiles: usize,
  scales: usize,
): void {
  const numOuter = load<u32>(command, NUM_OUTER);
  const outer: usize = load<u32>(command, OUTER);
  let base: u32 = 0;
  let at = place(command + STATE);
  for (let i: u32 = 0; i < numOuter; i++) {
    if (((index >> i) & 1) == 0) continue;
    base |= load<u32>(outer + (i << 3));
    at += place(outer + (i << 3) + 4);
  }
  const bytes: usize = load<u32>(command, TILE_BYTES);
  const begin: usize = load<u32>(command, PROGRAM);
  const end: usize = load<u32>(command, PROGRAM_END);
  const sumBytes: usize = load<u32>(command, SUM_BYTES);
  const sums: usize = load<u32>(command, SUMS) + <usize>index * sumBytes;
  if (load<u32>(command, IN_PLACE)) {
    resetScale();
    setSums(sums);
    if (load<u32>(command, FROM_ZERO)) basisState(at, bytes);
    runTileProgram(begin, end, at, bytes, base);
    if (hasScale()) scaleInPlace(at, bytes);
    return;
  }
  if (load<u32>(command, FROM_ZERO)) basisState(tiles, bytes);
  else loadTiles(command, at, count, tiles);
  let isScaled = false;
  for (let t = 0; t < count; t++) {
    // The bits in which these tiles differ are the lowest of the outer ones, in order.
    const tileBase = base | (<u32>t * (numOuter != 0 ? load<u32>(outer) : 0));
    resetScale();
    setSums(sums + <usize>t * sumBytes);
    runTileProgram(begin, end, tiles + <usize>t * bytes, bytes, tileBase);
    keepScale(scales + (<usize>t << 4));
    isScaled = isScaled || hasScale();
  }
  const stored: usize = load<u32>(command, STORE);
  if (stored) storeMoved(command, at, count, tiles, scales, stored);
  else if (isScaled) storeScaled(command, at, count, tiles, scales);
  else storeTiles(command, at, count, tiles);
}

function basisState(at: usize, bytes: usize): void {
  memory.fill(at, 0, bytes);
  store<real>(at, 1);
}

function loadTiles(command: usize, at: usize, count: i32, tile: usize): void {
  const bytes: usize = load<u32>(command, TILE_BYTES);
  const runBytes: usize = load<u32>(command, RUN_BYTES);
  let runs: usize = load<u32>(command, RUNS);
  const end = runs + ((<usize>load<u32>(command, NUM_RUNS)) << 3);
  for (; runs < end; runs += 8) {
    let from = at + place(runs);
    let to = tile;
    const isRead = load<u32>(runs, 4) != 0;
    for (let t = 0; t < count; t++) {
      if (isRead) copyRun(to, from, runBytes);
      else memory.fill(to, 0, runBytes);
      from += runBytes;
      to += bytes;
    }
    tile += runBytes;
  }
}

function storeTiles(command: usize, at: usize, count: i32, tile: usize): void {
  const bytes: usize = load<u32>(command, TILE_BYTES);
  const runBytes: usize = load<u32>(command, RUN_BYTES);
  let runs: usize = load<u32>(command, RUNS);
  const end = runs + ((<usize>load<u32>(command, NUM_RUNS)) << 3);
  for (; runs < end; runs += 8) {
    let to = at + place(runs);
    let from = tile;
    for (let t = 0; t < count; t++) {
      copyRun(to, from, runBytes);
      from += bytes;
      to += runBytes;
    }
    tile += runBytes;
  }
}

/** Runs are at least a group long; eight groups at a time where there are as many. */
// @ts-ignore: a decorator of this compiler
@inline
function copyRun(to: usize, from: usize, bytes: usize): void {
  const end = from + bytes;
  if (bytes >= 128) {
    for (; from < end; from += 128, to += 128) {
      const a = v128.load(from);
      const b = v128.load(from, 16);
      const c = v128.load(from, 32);
      const d = v128.load(from, 48);
      const e = v128.load(from, 64);
      const f = v128.load(from, 80);
      const g = v128.load(from, 96);
      const h = v128.load(from, 112);
      v128.store(to, a);
      v128.store(to, b, 16);
      v128.store(to, c, 32);
      v128.store(to, d, 48);
      v128.store(to, e, 64);
      v128.store(to, f, 80);
      v128.store(to, g, 96);
      v128.store(to, h, 112);
    }
    return;
  }
  for (; from < end; from += 32, to += 32) {
    v128.store(to, v128.load(from));
    v128.store(to, v128.load(from, IMAG), IMAG);
  }
}

/** Flushes denormal numbers, which are slow and which WebAssembly cannot switch off. */
// @ts-ignore: a decorator of this compiler
@inline
function withoutDenormals(v: v128): v128 {
  const tiny = v128.splat<real>(sizeof<real>() == 4 ? <real>1e-30 : <real>1e-250);
  return v128.and(v, v128.ge<real>(v128.abs<real>(v), tiny));
}

// @ts-ignore: a decorator of this compiler
@inline
function storeGroup(to: usize, from: usize, c: v128, s: v128): void {
  const re = v128.load(from);
  const im = v128.load(from, IMAG);
  v128.store(to, withoutDenormals(subMul(im, s, v128.mul<real>(re, c))));
  v128.store(to, withoutDenormals(mulAdd(im, c, v128.mul<real>(re, s))), IMAG);
}

/** Tiles that are not scaled keep the signs of zeros, whichever tiles they are stored with. */
// @ts-ignore: a decorator of this compiler
@inline
function isOne(scale: usize): bool {
  return load<f64>(scale) == 1 && load<f64>(scale, 8) == 0;
}

function storeScaled(command: usize, at: usize, count: i32, tile: usize, scales: usize): void {
  const bytes: usize = load<u32>(command, TILE_BYTES);
  const runBytes: usize = load<u32>(command, RUN_BYTES);
  let runs: usize = load<u32>(command, RUNS);
  const end = runs + ((<usize>load<u32>(command, NUM_RUNS)) << 3);
  for (; runs < end; runs += 8) {
    let to = at + place(runs);
    let from = tile;
    for (let t = 0; t < count; t++) {
      const c = keptC(scales + (<usize>t << 4));
      const s = keptS(scales + (<usize>t << 4));
      if (isOne(scales + (<usize>t << 4))) copyRun(to, from, runBytes);
      else for (let i: usize = 0; i < runBytes; i += 32) storeGroup(to + i, from + i, c, s);
      from += bytes;
      to += runBytes;
    }
    tile += runBytes;
  }
}

/** Stores groups from the places that `sources` lists. */
function storeMoved(
  command: usize,
  at: usize,
  count: i32,
  tile: usize,
  scales: usize,
  sources: usize,
): void {
  const bytes: usize = load<u32>(command, TILE_BYTES);
  const runBytes: usize = load<u32>(command, RUN_BYTES);
  let runs: usize = load<u32>(command, RUNS);
  const end = runs + ((<usize>load<u32>(command, NUM_RUNS)) << 3);
  for (; runs < end; runs += 8) {
    let to = at + place(runs);
    let from = tile;
    for (let t = 0; t < count; t++) {
      const c = keptC(scales + (<usize>t << 4));
      const s = keptS(scales + (<usize>t << 4));
      for (let i: usize = 0; i < runBytes; i += 32) {
        storeGroup(to + i, from + load<u32>(sources + (i >> 3)), c, s);
      }
      from += bytes;
      to += runBytes;
    }
    sources += runBytes >> 3;
  }
}

function scaleInPlace(at: usize, bytes: usize): void {
  const c = scaleC();
  const s = scaleS();
  for (let i: usize = 0; i < bytes; i += 32) storeGroup(at + i, at + i, c, s);
}
