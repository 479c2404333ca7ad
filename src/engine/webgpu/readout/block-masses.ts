/**
 * Locates the blocks of a state in memory, and sums their masses on the device, where the sums stay.
 *
 * A block is the set of basis states that agree in all but their lowest logical qubits, which may be any physical
 * qubits, inside chunks or in chunk numbers.
 *
 * Blocks are processed by windows. A window is a set of blocks that vary in some more qubits, the
 * lowest inside a chunk, so that a window is read in memory order.
 */

import type { Qubit } from '../../../circuit/circuit.ts';
import { GpuFaultError } from '../../errors.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import type { ScratchBuffers } from '../scratch-buffers.ts';
import { encodeKernel, gridOf, MAX_VISITED, partsWithin } from './dispatch.ts';

/** log2 of the basis states of a block. */
export const BLOCK_BITS = 11;
/** log2 of the blocks of a window: 64 MiB of masses. */
const WINDOW_BITS = 13;
/** log2 of the amplitudes that a workgroup gathers. */
export const RUN_BITS = 11;

const MAX_THREAD_QUBITS = 8;

/** A qubit's bit in memory, and what its 1 adds to two numbers. */
interface PlacedBit {
  /** Bit of the index inside a chunk, or of the chunk number. */
  readonly bit: number;
  /** Added to the index among a window's masses. */
  readonly place: number;
  /** Added to the block number. */
  readonly block: number;
}

/** Locations of the blocks in memory. */
export interface BlockPlan {
  readonly chunkQubits: number;
  /** log2 of the blocks. */
  readonly numBlockBits: number;
  /** Whether a block has fewer basis states than its memory holds. */
  readonly isShort: boolean;
  /**
   * Qubits of a window inside chunks, ascending: the blocks' own, and those that tell its blocks
   * apart.
   */
  readonly window: readonly PlacedBit[];
  /** For each bit of a block's index in its window, the bit of the block number. */
  readonly windowBlocks: readonly number[];
  /** Other qubits inside chunks: there is a window for each of their values. */
  readonly outer: readonly PlacedBit[];
  /** Chunk qubits that are constant in a block: there is a window for each of their values, too. */
  readonly outerChunks: readonly PlacedBit[];
  /** Chunk qubits inside blocks: a window has a part in a chunk for each of their values. */
  readonly innerChunks: readonly PlacedBit[];
}

/**
 * Plans the blocks of a state.
 *
 * @param layout - Logical qubit → physical qubit.
 * @param windowBits - log2 of the most blocks of a window.
 * @param blockBits - log2 of the basis states of a block.
 */
export function planBlocks(
  layout: readonly Qubit[],
  chunkQubits: number,
  windowBits = WINDOW_BITS,
  blockBits = BLOCK_BITS,
): BlockPlan {
  const placed = layout.map((physical, q) => {
    const isInside = physical < chunkQubits;
    return {
      isInside,
      bit: 2 ** (isInside ? physical : physical - chunkQubits),
      place: q < blockBits ? 2 ** q : 0,
      block: q < blockBits ? 0 : 2 ** (q - blockBits),
    };
  });
  const ascending = placed.toSorted((a, b) => a.bit - b.bit);
  const inBlock = ascending.filter(({ block }) => block === 0);
  const beyond = ascending.filter(({ block, isInside }) => block !== 0 && isInside);
  const ofWindow = beyond.slice(0, windowBits).map((placedBit, i) => {
    return { ...placedBit, place: 2 ** (blockBits + i) };
  });
  return {
    chunkQubits,
    numBlockBits: Math.max(0, layout.length - blockBits),
    isShort: layout.length < blockBits,
    window: [...inBlock.filter(({ isInside }) => isInside), ...ofWindow].sort(
      (a, b) => a.bit - b.bit,
    ),
    windowBlocks: ofWindow.map(({ block }) => block),
    outer: beyond.slice(windowBits),
    outerChunks: ascending.filter(({ block, isInside }) => block !== 0 && !isInside),
    innerChunks: inBlock.filter(({ isInside }) => !isInside),
  };
}

/** Input of one dispatch of gather_masses.wgsl. */
export interface WindowPart {
  readonly chunk: number;
  readonly base: number;
  readonly firstPlace: number;
}

/** A set of blocks that are processed together. */
export interface Window {
  readonly firstBlock: number;
  readonly parts: readonly WindowPart[];
}

/** All windows, in any order. */
export function* windowsOf({ outer, outerChunks, innerChunks }: BlockPlan): Generator<Window> {
  for (const outside of valuesOf(outerChunks)) {
    const inner = valuesOf(innerChunks);
    for (const inside of valuesOf(outer)) {
      yield {
        firstBlock: outside.block + inside.block,
        parts: inner.map(({ bit, place }) => {
          return { chunk: outside.bit + bit, base: inside.bit, firstPlace: place };
        }),
      };
    }
  }
}

/** Sums of all subsets of some qubits' contributions. */
function valuesOf(bits: readonly PlacedBit[]): readonly PlacedBit[] {
  const values: PlacedBit[] = [{ bit: 0, place: 0, block: 0 }];
  for (const one of bits) {
    for (const { bit, place, block } of values.slice()) {
      values.push({ bit: bit + one.bit, place: place + one.place, block: block + one.block });
    }
  }
  return values;
}

/** Encodes the places of a window; keep the order of `places` in gather_masses.wgsl. */
export function gatherPlaces({ window }: BlockPlan): Uint32Array<ArrayBuffer> {
  const wordsOf = ({ bit, place, block }: PlacedBit) => [bit, place, block, 0];
  const low = valuesOf(window.slice(0, RUN_BITS)).map(wordsOf);
  const padding = new Array<number>(4 * (2 ** RUN_BITS - low.length)).fill(0);
  const high = window.slice(RUN_BITS).map(wordsOf);
  return Uint32Array.from([...low.flat(), ...padding, ...high.flat()]);
}

/** Parameters of block_masses.wgsl for one chunk. */
export interface BlockMassesPlan {
  readonly threadQubits: number;
  /** For each bit of a workgroup's number, [bit of the index, bit of the block number]. */
  readonly groupPlaces: readonly (readonly [number, number])[];
  /** For each bit of an invocation's number, its bit of the block number. */
  readonly threadBlocks: readonly number[];
  readonly loopMask: number;
  readonly numTerms: number;
  /** Bits of the invocation's number that are summed over. */
  readonly summedThreads: number;
}

/**
 * Plans the sums of a chunk: the lowest qubits number invocations, and other qubits of blocks form
 * a loop.
 */
export function planBlockMasses({ chunkQubits, window, outer }: BlockPlan): BlockMassesPlan {
  const threadQubits = Math.min(MAX_THREAD_QUBITS, chunkQubits);
  const threads = 2 ** threadQubits;
  const ofBlocks = [...window, ...outer].filter(({ block }) => block !== 0);
  const blockOf = (bit: number) => ofBlocks.find((placed) => placed.bit === bit)?.block ?? 0;
  const threadBlocks = Array.from({ length: threadQubits }, (_, q) => blockOf(2 ** q));
  const loop = window.filter(({ block, bit }) => block === 0 && bit >= threads);
  return {
    threadQubits,
    groupPlaces: ofBlocks
      .filter(({ bit }) => bit >= threads)
      .map(({ bit, block }) => [bit, block] as const),
    threadBlocks,
    loopMask: loop.reduce((mask, { bit }) => mask + bit, 0),
    numTerms: 2 ** loop.length,
    summedThreads: threadBlocks.reduce((mask, block, q) => mask + (block === 0 ? 2 ** q : 0), 0),
  };
}

const WORKGROUP_SIZE = 256;
/** Numbers scanned by one invocation. */
const SCAN_RUN = 16;
/** Numbers scanned by one group; two levels of groups reach 2^24 numbers. */
export const SCAN_GROUP = WORKGROUP_SIZE * SCAN_RUN;
/** Bytes of a number in fixed point. */
export const FIXED_BYTES = 8;

/**
 * Decodes a fixed-point number.
 *
 * @throws {GpuFaultError} if it is saturated: the sum was NaN, or 4 or more.
 */
export function fixedMass(low: number, high: number): number {
  if (low === 2 ** 32 - 1 && high === 2 ** 32 - 1) {
    throw new GpuFaultError('the state has a norm of 4 or more, or one that is no number');
  }
  return (high * 2 ** 32 + low) / 2 ** 62;
}

/** Inclusive prefix sums: of blocks inside groups of `SCAN_GROUP`, and of the groups. */
export interface ScannedSums {
  readonly ends: GPUBuffer;
  readonly groupEnds: GPUBuffer;
  readonly numSums: number;
  readonly numGroups: number;
}

/**
 * Allocates buffers for sums that will be scanned.
 *
 * @throws {StateMemoryError} if the device has no memory for them.
 */
export async function roomForSums(
  scratch: ScratchBuffers,
  label: string,
  numSums: number,
): Promise<ScannedSums> {
  const numGroups = Math.ceil(numSums / SCAN_GROUP);
  const ends = await scratch.room(label, FIXED_BYTES * numSums);
  const groupEnds = await scratch.room(`groups of ${label}`, FIXED_BYTES * numGroups);
  return { ends, groupEnds, numSums, numGroups };
}

/** Returns the encoder of a prefix sum over the sums. */
export async function scanOf(
  context: GpuContext,
  scratch: ScratchBuffers,
  { ends, groupEnds, numSums, numGroups }: ScannedSums,
): Promise<(encoder: GPUCommandEncoder) => void> {
  const constants = { WORKGROUP_SIZE, RUN: SCAN_RUN };
  const pipeline = await context.pipeline(['lib/fixed_point', 'scan_sums'], constants);
  const total = await scratch.room('total', FIXED_BYTES);
  const [grid, one] = [gridOf(numGroups), gridOf(1)];
  const [params, groupParams] = await scratch.params('params', [
    // Keep the field order of `Params` in scan_sums.wgsl.
    [numSums, numGroups, grid.rowLength],
    [numGroups, 1, one.rowLength],
  ]);
  const none = undefined;
  return (encoder) => {
    encodeKernel(context, encoder, pipeline, [none, none, params, ends, groupEnds], grid);
    if (numGroups === 1) return;
    encodeKernel(context, encoder, pipeline, [none, none, groupParams, groupEnds, total], one);
  };
}

/**
 * Enqueues the cumulative masses of all blocks in fixed point, saturating.
 *
 * @returns Buffers that belong to `scratch`.
 */
export async function addBlockMasses(
  context: GpuContext,
  state: GpuState,
  plan: BlockPlan,
  scratch: ScratchBuffers,
): Promise<ScannedSums> {
  const sums = await roomForSums(scratch, 'block masses', 2 ** plan.numBlockBits);
  const scan = await scanOf(context, scratch, sums);
  await sumBlocks(context, state, plan, scratch, sums.ends, scan);
  return sums;
}

/**
 * Enqueues the sums of each block's mass.
 *
 * @param sums - One fixed-point number for each block.
 * @param thenDo - Encodes work that follows.
 */
export async function sumBlocks(
  context: GpuContext,
  state: GpuState,
  plan: BlockPlan,
  scratch: ScratchBuffers,
  sums: GPUBuffer,
  thenDo: (encoder: GPUCommandEncoder) => void = () => undefined,
): Promise<void> {
  const { chunks, chunkQubits } = state;
  const { threadQubits, groupPlaces, threadBlocks, ...loop } = planBlockMasses(plan);
  const pipeline = await context.pipeline(['lib/fixed_point', 'block_masses'], {
    THREAD_QUBITS: threadQubits,
    WORKGROUP_SIZE: 2 ** threadQubits,
  });
  const places = await scratch.words(
    'places',
    Uint32Array.from([...groupPlaces.flat(), ...threadBlocks]),
  );
  const numGroups = 2 ** groupPlaces.length;
  const grid = gridOf(numGroups);
  const params = await scratch.params(
    'params',
    chunks.map((_, number) => {
      const firstBlock = plan.outerChunks.reduce(
        (all, { bit, block }) => all + ((number & bit) === 0 ? 0 : block),
        0,
      );
      // Keep the field order of `Params` in block_masses.wgsl.
      return [
        firstBlock,
        loop.loopMask,
        loop.numTerms,
        loop.summedThreads,
        numGroups,
        groupPlaces.length,
        grid.rowLength,
      ];
    }),
  );
  const each = { sizeOf: () => 2 ** chunkQubits, most: MAX_VISITED };
  const submits = partsWithin([...chunks.entries()], [each]);
  for (const [i, part] of submits.entries()) {
    if (i > 0) await context.settle();
    context.enqueue((encoder) => {
      if (i === 0) encoder.clearBuffer(sums);
      for (const [number, chunk] of part) {
        encodeKernel(context, encoder, pipeline, [chunk, places, params[number], sums], grid);
      }
      if (i === submits.length - 1) thenDo(encoder);
    });
  }
  // Nothing waits here: the next read waits for this work, too.
  context.flush();
}
