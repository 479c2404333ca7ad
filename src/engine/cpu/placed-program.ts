/**
 * A compiled program in shared memory: instructions, constants, tables, and a command for each
 * sweep, in the format of assembly/sweep.ts and assembly/index.ts. The segments of a program with noise are lowered and
 * placed when a run first needs them.
 */

import type { Program } from '../../compiler/program.ts';
import { COMMAND_HEADER_WORDS, COMMAND_KINDS, COMMAND_WORDS, WORD_BYTES } from './command.ts';
import type { LoweredProgram, ProgramLowering, SweepShape } from './lowered-program.ts';
import { GROUP_BYTES } from './precision.ts';
import type { ThreadPool } from './thread-pool.ts';
import type { KernelExports } from './wasm-kernels.ts';

/** Tiles that a thread takes at a time: neighbours share pages of memory. */
const MAX_TILES_PER_CLAIM = 16;
const MAX_CLAIM_NS = 1e6;
const SWEEP_WORDS = 14;
/** Position of the state's address among a sweep's words. */
const STATE_WORD = COMMAND_HEADER_WORDS;

/** A sweep that can be run. */
export interface PlacedSweep {
  /** Address of its command. */
  readonly command: number;
  readonly numTiles: number;
  readonly shape: SweepShape;
}

/** A program in memory. */
export interface PlacedProgram {
  /** Parallel to the lowered program's. */
  readonly sweeps: readonly (readonly PlacedSweep[] | undefined)[];
  /** Address of the sums of each tile of a sweep: doubles, tile after tile. */
  readonly sumsAt: number;
}

/** Bytes of the sums of all tiles of a sweep. */
function sumsBytes({ numSums, numOuter }: SweepShape): number {
  return 8 * numSums * 2 ** numOuter;
}

/** Bytes that `placeProgram` needs. */
export function placedBytes({ code, sweeps }: LoweredProgram): number {
  let words = 0;
  let sums = 0;
  for (const shape of sweeps.flatMap((parts) => parts ?? [])) {
    sums = Math.max(sums, sumsBytes(shape));
    words += COMMAND_HEADER_WORDS + SWEEP_WORDS + shape.outer.length + shape.runs.length + 4;
  }
  // 16 more to align the sums.
  return code.byteLength + 4 * words + sums + 16;
}

/** Puts a program at `at`, a multiple of 16, and makes its tables. */
export function placeProgram(
  program: LoweredProgram,
  memory: ArrayBufferLike,
  at: number,
  kernels: KernelExports,
): PlacedProgram {
  const { constantsAt, tablesAt } = program.code.place(memory, at, program.numbers);
  for (const { address, bytes, factors } of program.tables) {
    const table = tablesAt + address;
    const whole = new Uint8Array(memory, table, bytes);
    kernels.fillOnes(table, GROUP_BYTES);
    let filled = GROUP_BYTES;
    for (const { first, free, address: phase } of factors) {
      while (filled <= first) filled = doubled(whole, filled);
      kernels.multiplySubcube(table + first, free, constantsAt + phase);
    }
    while (filled < bytes) filled = doubled(whole, filled);
  }
  const sumsAt = at + program.code.byteLength;
  const shapes = program.sweeps.flatMap((parts) => parts ?? []);
  const ofSums = shapes.reduce((most, shape) => Math.max(most, sumsBytes(shape)), 0);
  let next = sumsAt + ofSums + (-ofSums & 15);
  const place = (shape: SweepShape): PlacedSweep => {
    const words = sweepWords(shape, at, constantsAt, sumsAt, next);
    new Uint32Array(memory, next, words.length).set(words);
    const placed = { command: next, numTiles: 2 ** shape.numOuter, shape };
    next += 4 * (words.length + (-words.length & 3));
    return placed;
  };
  return { sweeps: program.sweeps.map((parts) => parts?.map(place)), sumsAt };
}

/** Repeats the filled part of a table behind it; returns the new filled length. */
function doubled(table: Uint8Array, filled: number): number {
  table.copyWithin(filled, 0, filled);
  return 2 * filled;
}

/** The command of a sweep and the lists that it points to, which follow it. */
function sweepWords(
  shape: SweepShape,
  code: number,
  constantsAt: number,
  sumsAt: number,
  at: number,
): Uint32Array {
  const lists = at + 4 * (COMMAND_HEADER_WORDS + SWEEP_WORDS);
  const fields = [
    0,
    shape.layout.bytes,
    shape.runBytes,
    shape.numRuns,
    lists + shape.outer.byteLength,
    shape.numOuter,
    lists,
    code + 4 * shape.code.begin,
    code + 4 * shape.code.end,
    shape.sources === undefined ? 0 : constantsAt + shape.sources,
    shape.isFromZero ? 1 : 0,
    shape.isWholeState ? 1 : 0,
    sumsAt,
    8 * shape.numSums,
  ];
  const header = [COMMAND_KINDS.sweep, 2 ** shape.numOuter, 0, 0, 1, 0, 0, 0];
  const own = [...header, ...fields];
  const words = new Uint32Array(own.length + shape.outer.length + shape.runs.length);
  words.set(own);
  words.set(shape.outer, own.length);
  words.set(shape.runs, own.length + shape.outer.length);
  return words;
}

/** Points a sweep at a state, with all its tiles to do. */
export function aimSweep(
  words: Int32Array,
  sweep: PlacedSweep,
  state: number,
  numThreads: number,
): void {
  // An unsigned shift: addresses go beyond 2^31.
  const at = sweep.command >>> 2;
  words[at + STATE_WORD] = state / WORD_BYTES;
  const forAll = Math.floor(sweep.numTiles / (16 * numThreads));
  const inTime = Math.floor(MAX_CLAIM_NS / tileNs(sweep.shape));
  words[at + COMMAND_WORDS.perClaim] = Math.max(1, Math.min(MAX_TILES_PER_CLAIM, forAll, inTime));
}

/** Estimated nanoseconds of a tile: an instruction of about eight words takes 1 ns a group. */
export function tileNs({ layout, code }: SweepShape): number {
  const numGroups = layout.bytes / GROUP_BYTES;
  return numGroups * (4 + (code.end - code.begin) / 8);
}

/** Bytes of segments that are kept; beyond that, those that were not used for the longest time go. */
const MAX_BYTES = 2 ** 28;

interface Segment {
  readonly at: number;
  readonly bytes: number;
  readonly placed: PlacedProgram;
}

/** Segments in shared memory, kept until it is cleared. */
export class SegmentStore {
  readonly #threadPool: ThreadPool;
  readonly #lowering: ProgramLowering;
  /** Least recently used first. */
  readonly #segments = new Map<Program, Segment>();
  #bytes = 0;

  constructor(threadPool: ThreadPool, lowering: ProgramLowering) {
    this.#threadPool = threadPool;
    this.#lowering = lowering;
  }

  /** A segment in memory, where it stays at least until the next call. */
  placed(program: Program): PlacedProgram {
    let segment = this.#segments.get(program);
    if (segment === undefined) segment = this.#place(program);
    else this.#segments.delete(program);
    this.#segments.set(program, segment);
    return segment.placed;
  }

  clear(): void {
    for (const { at } of this.#segments.values()) this.#threadPool.release(at);
    this.#segments.clear();
    this.#bytes = 0;
  }

  #place(program: Program): Segment {
    const lowered = this.#lowering.lower(program);
    const bytes = placedBytes(lowered);
    for (const [oldest, segment] of this.#segments) {
      if (this.#bytes + bytes <= MAX_BYTES) break;
      this.#threadPool.release(segment.at);
      this.#bytes -= segment.bytes;
      this.#segments.delete(oldest);
    }
    const at = this.#threadPool.allocate(bytes);
    this.#bytes += bytes;
    // Read after allocating, which may grow the memory.
    const { memory, kernels } = this.#threadPool;
    return { at, bytes, placed: placeProgram(lowered, memory, at, kernels) };
  }
}
