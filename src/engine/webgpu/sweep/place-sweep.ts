/**
 * Compiles a sweep into dispatches: the words they share, and for each dispatch its chunks and
 * parameters.
 *
 * The words are stages. In each stage four bits of the tile are in registers, and every ready item that moves only
 * these is done. Diagonals are deferred until an item needs them, as on the CPU.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { Sweep } from '../../../compiler/program.ts';
import { numOnes } from '../../../math/basis-index.ts';
import type { MatrixPool } from '../../matrix-pool.ts';
import type { Rounding } from '../../rotation.ts';
import {
  addItems,
  filledTile,
  type Item,
  type MovingItem,
  maskOf,
  ReadyItems,
} from '../../work-items.ts';
import {
  type ChunkShape,
  type IndexBits,
  type IndexKernels,
  indexBits,
  onIndexBits,
} from './index-bits.ts';
import { StageWriter, type SweepTile, type SweepWords } from './stage-writer.ts';
import { type FloatSites, REGISTER_QUBITS } from './sweep-code.ts';
import { type SweepKind, UNIFORM_BYTES } from './sweep-kernel.ts';

/** A sweep with more words than this gets proportionally fewer tiles in a dispatch. */
const DISPATCH_WORDS = 1024;

/** Words between which programs begin, as dynamic offsets ask. */
const PROGRAM_STRIDE = 64;

/** Workgroups of a row; WebGPU allows at most 65,535 in each dimension. */
const MAX_ROW = 2 ** 15;

/** Sizes that sweeps are compiled for. */
export interface SweepPlacing {
  readonly shape: ChunkShape;
  readonly tileQubits: number;
  readonly tilesPerGroup: number;
  /** Most bits of an index. */
  readonly indexBits: number;
  /** Most tiles of a dispatch, for a sweep of at most `DISPATCH_WORDS`. */
  readonly maxTiles: number;
}

/** A dispatch that is independent of buffers. */
export interface SweepDispatch {
  /** Numbers of the chunks that it binds, in the order of bindings. */
  readonly chunks: readonly number[];
  /** Position of its program in words. */
  readonly programAt: number;
  /** Fields of the struct Params of shaders/sweep.wgsl. */
  readonly params: readonly number[];
  readonly row: number;
  readonly numRows: number;
  /** Work units for a `WorkWindow`: words of instructions times amplitudes. */
  readonly units: number;
}

/** A compiled sweep. */
export interface SweepDispatches extends SweepKind {
  /** Programs, which follow each other; each is a multiple of `PROGRAM_STRIDE` long. */
  readonly words: readonly Uint32Array<ArrayBuffer>[];
  /** By position among the words of all sweeps. */
  readonly sites: FloatSites;
  readonly dispatches: readonly SweepDispatch[];
  /** Physical qubits of the tile; the whole tile is written. */
  readonly tile: readonly Qubit[];
}

/**
 * Compiles a sweep.
 *
 * @param unwritten - Qubits whose |1⟩ half of the state has never been written and counts as 0.
 * @param firstWord - Position of the sweep's first word among those of all; a multiple of
 *   `PROGRAM_STRIDE`.
 */
export function placeSweep(
  { resident, kernels, store = resident }: Sweep,
  pool: MatrixPool,
  { shape, tileQubits, tilesPerGroup, maxTiles, indexBits: maxBits }: SweepPlacing,
  unwritten: ReadonlySet<Qubit>,
  firstWord: number,
): SweepDispatches {
  const tile = filledTile(resident, tileQubits);
  const bits = indexBits(tile, shape, maxBits);
  const storeOf = new Map(resident.map((qubit, i) => [qubit, store[i]!]));
  const bitOf = (qubit: Qubit) => bits.bitOf[qubit]!;
  const sweepTile = {
    bits: tile.map(bitOf),
    stored: tile.map((qubit) => bitOf(storeOf.get(qubit) ?? qubit)),
    outer: range(shape.chunkQubits).filter((q) => !tile.includes(q) && !unwritten.has(q)),
    chunkQubits: shape.chunkQubits,
  };
  const numTiles = 2 ** sweepTile.outer.length;
  const chunkMask = 2 ** shape.chunkQubits - 1;
  const unwrittenMask = [...unwritten].reduce((mask, qubit) => {
    const bit = bits.bitOf[qubit];
    return bit === undefined ? mask : mask | (1 << bit);
  }, 0);

  const words: Uint32Array<ArrayBuffer>[] = [];
  const sites: FloatSites = { at: [], values: [] };
  const dispatches: SweepDispatch[] = [];
  const placed = new Map<string, { readonly at: number; readonly length: number }>();
  let nextWord = firstWord;
  for (const ones of subsetsOf(bits.outerChunks.filter((qubit) => !unwritten.has(qubit)))) {
    const key = bits.constants.map((qubit) => Number(ones.has(qubit))).join('');
    let program = placed.get(key);
    if (program === undefined) {
      const restricted = onIndexBits(kernels, pool, bits.bitOf, (qubit) => ones.has(qubit));
      const lowered = lowerSweep(restricted, sweepTile);
      program = { at: nextWord, length: lowered.words.length };
      placed.set(key, program);
      const numStrides = Math.ceil(program.length / PROGRAM_STRIDE);
      const padded = new Uint32Array(numStrides * PROGRAM_STRIDE);
      padded.set(lowered.words);
      for (const at of lowered.sites.at) sites.at.push(nextWord + at);
      for (const value of lowered.sites.values) sites.values.push(value);
      words.push(padded);
      nextWord += padded.length;
    }
    const base = [...ones].reduce((sum, qubit) => {
      const bit = bits.bitOf[qubit];
      return bit === undefined ? sum : sum | (1 << bit);
    }, 0);
    const chunks = boundChunks(bits, ones, shape);
    const most = tilesWithin(maxTiles, program.length, tilesPerGroup);
    for (let first = 0; first < numTiles; first += most) {
      const end = Math.min(numTiles, first + most);
      const numGroups = Math.ceil((end - first) / tilesPerGroup);
      const row = Math.min(numGroups, MAX_ROW);
      dispatches.push({
        chunks,
        programAt: program.at,
        // Keep the field order of the struct Params.
        params: [base, first, end, row, chunkMask, unwrittenMask],
        row,
        numRows: Math.ceil(numGroups / row),
        units: program.length * (end - first) * 2 ** tileQubits,
      });
    }
  }
  const isLong = words.some(({ byteLength }) => byteLength > UNIFORM_BYTES);
  return { tileChunkQubits: bits.tileChunks.length, isLong, words, sites, dispatches, tile };
}

/**
 * Tiles of a dispatch, fewer for many words so that its duration stays bounded; at least a
 * workgroup's.
 */
function tilesWithin(maxTiles: number, numWords: number, tilesPerGroup: number): number {
  const groups = (maxTiles * DISPATCH_WORDS) / Math.max(numWords, DISPATCH_WORDS) / tilesPerGroup;
  return Math.max(1, Math.floor(groups)) * tilesPerGroup;
}

/** Numbers of the chunks of a tile, for given values of the outer chunk qubits. */
function boundChunks(
  { tileChunks }: IndexBits,
  ones: ReadonlySet<Qubit>,
  { chunkQubits }: ChunkShape,
): readonly number[] {
  const number = (qubits: Iterable<Qubit>) =>
    [...qubits].reduce((sum, qubit) => sum + 2 ** (qubit - chunkQubits), 0);
  return [...subsetsOf(tileChunks)].map((inTile) => number(ones) + number(inTile));
}

/** All subsets, in binary order with the first qubit as the lowest bit. */
function* subsetsOf(qubits: readonly Qubit[]): Generator<ReadonlySet<Qubit>> {
  for (let subset = 0; subset < 2 ** qubits.length; subset++) {
    yield new Set(qubits.filter((_, i) => (subset >> i) & 1));
  }
}

function range(length: number): number[] {
  return Array.from({ length }, (_, i) => i);
}

/** Rounding of single precision; smaller tangents change nothing. */
export const SINGLE_ROUNDING: Rounding = { negligible: 1e-10, round: Math.fround };
/**
 * Lowest bits, kept out of registers so that neighbouring threads access neighbouring amplitudes.
 */
const COALESCED_BITS = 4;

/** Items that a choice of registers looks at. */
const LOOKAHEAD = 32;

/** Constraints on the registers of a stage that reads or writes memory. */
interface MemoryStage {
  /** Bits that must be the highest of a register's number, in this order. */
  readonly needed: readonly number[];
  readonly avoided: readonly number[];
}

/**
 * Compiles a sweep into words that shaders/sweep.wgsl interprets.
 *
 * @param kernels - Kernels on index bits.
 */
function lowerSweep({ kernels, pool }: IndexKernels, tile: SweepTile): SweepWords {
  const items: Item[] = [];
  for (const kernel of kernels) addItems(kernel, pool, SINGLE_ROUNDING, items);
  const stages = new StageWriter(tile, pool);
  const ready = new ReadyItems(items);
  const first = memoryStage(tile, tile.bits);
  const last = memoryStage(tile, tile.stored);
  takeDiagonals(stages, ready);
  while (!ready.isEmpty || stages.numStages === 0) {
    const wide = ready.moving.every(isWide) ? ready.moving[0] : undefined;
    if (stages.numStages === 0) {
      const registers = chooseRegisters(tile, ready, first).registers;
      stages.openStage(registers, threadsInOrder(tile, registers, tile.bits));
    } else openStage(stages, ready, tile, last, wide);
    doReady(stages, ready);
  }
  // A sweep that moves qubits needs two stages: all of a tile is read before any of it is written.
  const isMoved = tile.stored.some((bit, i) => bit !== tile.bits[i]);
  if (!suits(stages.registers, last) || (isMoved && stages.numStages === 1)) {
    openStage(stages, ready, tile, last);
  }
  return stages.finish();
}

function isWide({ moved }: MovingItem): boolean {
  return numOnes(moved) > REGISTER_QUBITS;
}

/** Opens a stage after the first, preceded by an item too wide for registers if there is one. */
function openStage(
  stages: StageWriter,
  ready: ReadyItems,
  tile: SweepTile,
  last: MemoryStage,
  wide?: MovingItem,
): void {
  if (wide?.kind === 'rotation' || wide?.kind === 'pair rotation') {
    throw new Error('unreachable: a rotation moves one bit or two');
  }
  if (wide?.kind === 'probe') throw new Error('unreachable: this engine takes no probes');
  if (wide !== undefined) {
    stages.flush(wide.moved);
    ready.moving = ready.moving.filter((item) => item !== wide);
    ready.done(wide);
  }
  const registers = nextRegisters(tile, ready, last);
  const threads = suits(registers, last)
    ? threadsInOrder(tile, registers, tile.stored)
    : threadsApart(tile, registers);
  stages.openStage(registers, threads, wide);
  takeDiagonals(stages, ready);
}

/** Thread bits in the order of memory, so that neighbouring threads access neighbouring places. */
function threadsInOrder(
  { bits }: SweepTile,
  registers: readonly number[],
  placeOf: readonly number[],
): readonly number[] {
  const byPlace = [...bits.keys()].sort((a, b) => placeOf[a]! - placeOf[b]!);
  return byPlace.map((i) => bits[i]!).filter((bit) => !registers.includes(bit));
}

/**
 * Thread bits such that neighbouring threads use different banks of workgroup memory, in which bits
 * i and i + 4 of a tile select the same bank (`place_of` in shaders/sweep.wgsl).
 */
function threadsApart({ bits }: SweepTile, registers: readonly number[]): readonly number[] {
  const others = bits.filter((bit) => !registers.includes(bit));
  const apart = new Map<number, number>();
  for (const bit of others) {
    const bank = bits.indexOf(bit) % COALESCED_BITS;
    if (!apart.has(bank)) apart.set(bank, bit);
  }
  return [...new Set([...apart.values(), ...others])];
}

function takeDiagonals(stages: StageWriter, ready: ReadyItems): void {
  for (let item = ready.diagonals.pop(); item !== undefined; item = ready.diagonals.pop()) {
    stages.addDiagonal(item);
    ready.done(item);
  }
  stages.applyScales();
}

/** Does the ready items that move only register bits, and those that become ready by it. */
function doReady(stages: StageWriter, ready: ReadyItems): void {
  for (;;) {
    const inside = ready.moving.filter((item) => stages.holds(item));
    if (inside.length === 0) return;
    const free = inside.filter((item) => !stages.waitsFor(item));
    if (free.length === 0) {
      stages.flush(inside.reduce((mask, { moved }) => mask | moved, 0));
      continue;
    }
    const done = new Set<MovingItem>(free);
    ready.moving = ready.moving.filter((item) => !done.has(item));
    for (const item of free) {
      stages.write(item);
      ready.done(item);
    }
    takeDiagonals(stages, ready);
  }
}

/**
 * Registers for a stage that reads or writes memory: the bits that tell chunks apart, and none of
 * the lowest.
 *
 * @param placeOf - For each bit of the tile, its place in memory then.
 */
function memoryStage({ bits, chunkQubits }: SweepTile, placeOf: readonly number[]): MemoryStage {
  const byPlace = [...bits.keys()].sort((a, b) => placeOf[a]! - placeOf[b]!);
  const needed = byPlace.filter((i) => placeOf[i]! >= chunkQubits);
  const avoided = byPlace.slice(0, COALESCED_BITS);
  return { needed: needed.map((i) => bits[i]!), avoided: avoided.map((i) => bits[i]!) };
}

function suits(registers: readonly number[], { needed, avoided }: MemoryStage): boolean {
  const highest = registers.slice(registers.length - needed.length);
  return (
    highest.every((bit, i) => bit === needed[i]) && !registers.some((bit) => avoided.includes(bit))
  );
}

/** Chooses registers; prefers such as suit the last stage if as many items can be done with them. */
function nextRegisters(tile: SweepTile, ready: ReadyItems, last: MemoryStage): readonly number[] {
  const free = chooseRegisters(tile, ready, { needed: [], avoided: [] });
  const suitable = chooseRegisters(tile, ready, last);
  return suitable.numDone >= free.numDone ? suitable.registers : free.registers;
}

/**
 * Chooses four register bits: those of the first items that fit, also of such as become ready when
 * others are done, then the highest others.
 *
 * @returns The bits, and how many of the next items can be done with them.
 */
function chooseRegisters(
  { bits }: SweepTile,
  ready: ReadyItems,
  { needed, avoided }: MemoryStage,
): { readonly registers: readonly number[]; readonly numDone: number } {
  const allowed = bits.filter((bit) => !avoided.includes(bit));
  const allowedMask = maskOf(allowed);
  const tileMask = maskOf(bits);
  let mask = maskOf(needed);
  let numDone = 0;
  // Bits on which items that are left out act: those that follow on them must wait.
  let [movedByOthers, readByOthers] = [0, 0];
  let numSeen = 0;
  for (const { kind, moved, read } of ready.upcoming()) {
    if (++numSeen > LOOKAHEAD || (tileMask & ~movedByOthers) === 0) break;
    const isFree = ((moved | read) & movedByOthers) === 0 && (moved & readByOthers) === 0;
    const isInside = (moved & ~allowedMask) === 0 && numOnes(mask | moved) <= REGISTER_QUBITS;
    if (!isFree || !isInside) {
      movedByOthers |= moved;
      readByOthers |= read;
      continue;
    }
    mask |= moved;
    if (kind !== 'diagonal') numDone++;
  }
  const chosen = new Set([...needed, ...allowed.filter((bit) => (mask >> bit) & 1)]);
  for (const bit of [...allowed].reverse()) {
    if (chosen.size < REGISTER_QUBITS) chosen.add(bit);
  }
  const others = [...chosen].filter((bit) => !needed.includes(bit)).sort((a, b) => a - b);
  return { registers: [...others, ...needed], numDone };
}
