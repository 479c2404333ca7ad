/**
 * Compiles a sweep into dispatches: the words they share, and for each dispatch its chunks and
 * parameters.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { Sweep } from '../../../compiler/program.ts';
import type { MatrixPool } from '../../matrix-pool.ts';
import { filledTile } from '../../work-items.ts';
import { type ChunkShape, type IndexBits, indexBits } from './index-bits.ts';
import { onIndexBits } from './index-kernels.ts';
import { lowerSweep } from './lower-sweep.ts';
import type { FloatSites } from './sweep-code.ts';
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
