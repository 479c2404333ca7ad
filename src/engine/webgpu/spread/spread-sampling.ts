/**
 * Draws basis states from a state on several devices.
 *
 * Basis states are drawn in logical order, and any logical qubits may tell the devices apart, so
 * the order may change devices at every basis state. Therefore each device sums its masses by
 * blocks, which agree in all but their lowest logical qubits. The host combines the devices'
 * blocks, finds those that shots fall into, and reads their masses back. A device thus sends 8
 * bytes for 2,048 amplitudes, and some KiB for each block that was drawn.
 *
 * Masses are squares in single precision, summed exactly in blocks, as on one device. The host adds
 * blocks in double precision, the devices' shares of each in the order of ranks.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { BasisSamples, SampleRequest } from '../../state-operations.ts';
import { sortedTerminalDraws } from '../../terminal-measurement.ts';
import { type TimeSlicer, UNITS_PER_CHUNK } from '../../time-slicer.ts';
import {
  BLOCK_BITS,
  FIXED_BYTES,
  fixedMass,
  planBlocks,
  sumBlocks,
} from '../readout/block-masses.ts';
import { readMapped } from '../readout/dispatch.ts';
import { assertNorm } from '../readout/masses.ts';
import { isReadBack, pickFromAmplitudes } from '../readout/sampling.ts';
import { ScratchBuffers } from '../scratch-buffers.ts';
import {
  amplitudesOfShares,
  gatherBlocks,
  localQubitsOf,
  type StateShare,
} from './spread-readout.ts';
import { settledAll } from './transfers.ts';

/** Bytes of block masses, or of masses in drawn blocks, that are read back at a time: 16 MiB. */
const READ_BYTES = 2 ** 24;

/**
 * Draws a basis state for each shot, as engine.ts defines it. A small state is read back for few
 * shots.
 *
 * @param layout - Logical qubit → physical qubit.
 * @throws {GpuFaultError} if the buffers hold no state.
 */
export async function sampleShares(
  shares: readonly StateShare[],
  layout: readonly Qubit[],
  request: SampleRequest,
  slicer: TimeSlicer,
): Promise<BasisSamples> {
  if (!isReadBack(layout.length, request)) {
    return await sampleByBlocks(shares, layout, request, slicer);
  }
  const draws = await sortedTerminalDraws(request, slicer);
  return pickFromAmplitudes(await amplitudesOfShares(shares, layout), draws);
}

/**
 * Draws by blocks, whatever the width of the state.
 *
 * @param blockBits - log2 of the basis states of a block, over all devices.
 */
export async function sampleByBlocks(
  shares: readonly StateShare[],
  layout: readonly Qubit[],
  request: SampleRequest,
  slicer: TimeSlicer,
  blockBits: number = BLOCK_BITS,
): Promise<BasisSamples> {
  const blocks = new SpreadBlocks(
    spreadLayout(layout, localQubitsOf(shares)),
    Math.min(blockBits, layout.length),
  );
  const masses = await settledAll(
    shares.map((share) => readBlockMasses(share, blocks.layout.localLayout, blocks.localBits)),
  );
  const norm = blocks.normOf(masses);
  assertNorm(norm);
  const draws = await sortedTerminalDraws(request, slicer);
  const numBlocks = 2 ** (layout.length - blocks.blockBits);
  const massOf = (block: number) => blocks.massOf(masses, block);
  const drawn = await drawnBlocks(draws, norm, numBlocks, massOf, slicer);
  const indices: number[] = [];
  const occurrences: number[] = [];
  const perBatch = Math.max(1, READ_BYTES / 4 / 2 ** blocks.blockBits);
  for (let from = 0; from < drawn.numbers.length; from += perBatch) {
    await slicer.pause();
    const to = Math.min(from + perBatch, drawn.numbers.length);
    const gathered = await gatherShares(shares, blocks, drawn.numbers.slice(from, to));
    for (let i = from; i < to; i++) {
      const base = drawn.numbers[i]! * 2 ** blocks.blockBits;
      drawInBlock(
        restsOf(draws, norm, drawn, i),
        2 ** blocks.blockBits,
        gathered(i - from),
        (place, count) => {
          indices.push(base + place);
          occurrences.push(count);
        },
      );
    }
  }
  return {
    basisIndices: layout.length > 32 ? Float64Array.from(indices) : Uint32Array.from(indices),
    occurrences: Uint32Array.from(occurrences),
  };
}

function restsOf(
  draws: Float64Array,
  norm: number,
  { starts, firstDraws }: DrawnBlocks,
  i: number,
): Float64Array {
  const start = starts[i]!;
  return draws.slice(firstDraws[i], firstDraws[i + 1]).map((draw) => draw * norm - start);
}

/** Maps blocks of the state to blocks of the devices' shares. */
class SpreadBlocks {
  readonly layout: SpreadLayout;
  readonly blockBits: number;
  /** log2 of the basis states of a block on one device. */
  readonly localBits: number;
  /** Ranks of a block's devices, without the rank bits that the block number gives; ascending. */
  readonly innerRanks: readonly number[];
  /**
   * For each index in a block: the index of its rank in `innerRanks`, and its index in that share.
   */
  readonly rankAt: Uint8Array;
  readonly placeAt: Uint32Array;
  readonly #outerBits: SpreadLayout['ranks'];

  constructor(layout: SpreadLayout, blockBits: number) {
    this.layout = layout;
    this.blockBits = blockBits;
    this.localBits = layout.inside.filter((qubit) => qubit < blockBits).length;
    const innerBits = layout.ranks.filter(({ qubit }) => qubit < blockBits);
    this.#outerBits = layout.ranks.filter(({ qubit }) => qubit >= blockBits);
    const places = Array.from({ length: 2 ** blockBits }, (_, place) => place);
    const ranks = places.map((place) => rankOf(place, innerBits, 0));
    this.innerRanks = [...new Set(ranks)].sort((a, b) => a - b);
    this.rankAt = Uint8Array.from(ranks, (rank) => this.innerRanks.indexOf(rank));
    this.placeAt = Uint32Array.from(places, (place) => withoutRankBits(place, innerBits, 0));
  }

  /** The rank bits that a block's number gives. */
  outerRank(block: number): number {
    return rankOf(block, this.#outerBits, this.blockBits);
  }

  /** The block's number on each of its devices. */
  localBlock(block: number): number {
    return withoutRankBits(block, this.#outerBits, this.blockBits);
  }

  massOf(masses: readonly Float64Array[], block: number): number {
    const outer = this.outerRank(block);
    const local = this.localBlock(block);
    let mass = 0;
    for (const inner of this.innerRanks) mass += masses[outer + inner]![local]!;
    return mass;
  }

  normOf(masses: readonly Float64Array[]): number {
    return masses.reduce((sum, own) => sum + own.reduce((part, mass) => part + mass, 0), 0);
  }
}

/** Reads the block masses of a share. */
async function readBlockMasses(
  { context, state }: StateShare,
  layout: readonly Qubit[],
  blockBits: number,
): Promise<Float64Array> {
  const plan = planBlocks(layout, state.chunkQubits, undefined, blockBits);
  const numBlocks = 2 ** plan.numBlockBits;
  const masses = new Float64Array(numBlocks);
  using scratch = new ScratchBuffers(context);
  const sums = await scratch.room('block masses', FIXED_BYTES * numBlocks);
  await sumBlocks(context, state, plan, scratch, sums);
  const perRead = Math.min(numBlocks, READ_BYTES / FIXED_BYTES);
  const bytes = FIXED_BYTES * perRead;
  const staging = await scratch.staging(bytes);
  for (let from = 0; from < numBlocks; from += perRead) {
    const encode = (encoder: GPUCommandEncoder) =>
      encoder.copyBufferToBuffer(sums, FIXED_BYTES * from, staging, 0, bytes);
    await readMapped(context, staging, bytes, encode, (mapped) => {
      const words = new Uint32Array(mapped);
      for (let i = 0; i < perRead; i++) {
        masses[from + i] = fixedMass(words[2 * i]!, words[2 * i + 1]!);
      }
    });
  }
  return masses;
}

/**
 * Reads the masses of some blocks.
 *
 * @returns Mass by index of the block in `numbers`, then by index in the block.
 */
async function gatherShares(
  shares: readonly StateShare[],
  blocks: SpreadBlocks,
  numbers: readonly number[],
): Promise<(i: number) => (place: number) => number> {
  /** Local block numbers by outer rank; all devices of one outer rank have the same. */
  const byOuter = new Map<number, number[]>();
  const listed = numbers.map((number) => {
    const outer = blocks.outerRank(number);
    const list = byOuter.get(outer) ?? [];
    byOuter.set(outer, list);
    return { outer, at: list.push(blocks.localBlock(number)) - 1 };
  });
  const { localBits, innerRanks, rankAt, placeAt } = blocks;
  const gathered = new Map<number, Float32Array>();
  await settledAll(
    [...byOuter].flatMap(([outer, list]) =>
      innerRanks.map(async (inner) => {
        const { context, state } = shares[outer + inner]!;
        const { localLayout } = blocks.layout;
        gathered.set(
          outer + inner,
          await gatherBlocks(context, state, localLayout, localBits, list),
        );
      }),
    ),
  );
  return (i) => {
    const { outer, at } = listed[i]!;
    const own = innerRanks.map((inner) =>
      gathered.get(outer + inner)!.subarray(at * 2 ** localBits, (at + 1) * 2 ** localBits),
    );
    return (place) => own[rankAt[place]!]![placeAt[place]!]!;
  };
}

/** A logical qubit that is a bit of the rank. */
interface RankBit {
  /** The logical qubit. */
  readonly qubit: number;
  /** Value of its bit of the rank. */
  readonly bit: number;
}

/**
 * The logical qubits, split by where they are: qubits that tell devices apart are bits of a device's
 * rank, and on a device the others keep their order.
 */
interface SpreadLayout {
  /** Ascending by qubit. Rank bits without a qubit are 0 in all non-zero amplitudes. */
  readonly ranks: readonly RankBit[];
  /** Other qubits, ascending; the i-th is logical qubit i of a device's share. */
  readonly inside: readonly number[];
  /** Physical qubit of each qubit of `inside`. */
  readonly localLayout: readonly Qubit[];
}

/**
 * Splits a layout.
 *
 * @param layout - Logical qubit → physical qubit.
 * @param numLocal - Number of physical qubits of a device.
 */
export function spreadLayout(layout: readonly Qubit[], numLocal: number): SpreadLayout {
  const inside = [...layout.keys()].filter((q) => layout[q]! < numLocal);
  return {
    ranks: layout.flatMap((physical, qubit) =>
      physical < numLocal ? [] : [{ qubit, bit: 2 ** (physical - numLocal) }],
    ),
    inside,
    localLayout: inside.map((q) => layout[q]!),
  };
}

/** Rank of the device that holds a number below 2^31, whose bit i is logical qubit `lowest` + i. */
export function rankOf(number: number, ranks: readonly RankBit[], lowest: number): number {
  let rank = 0;
  for (const { qubit, bit } of ranks) {
    if (((number >> (qubit - lowest)) & 1) === 1) rank += bit;
  }
  return rank;
}

/** Removes the rank bits from a number below 2^31. */
export function withoutRankBits(number: number, ranks: readonly RankBit[], lowest: number): number {
  let left = number;
  for (let i = ranks.length - 1; i >= 0; i--) {
    const place = ranks[i]!.qubit - lowest;
    left = ((left >> (place + 1)) << place) | (left & ((1 << place) - 1));
  }
  return left;
}

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
