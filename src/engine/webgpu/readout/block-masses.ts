/** Sums the masses of a state's blocks on the device, where the sums stay. */
import { GpuFaultError } from '../../errors.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import type { ScratchBuffers } from '../scratch-buffers.ts';
import { type BlockPlan, planBlockMasses } from './block-plan.ts';
import { encodeKernel, gridOf, MAX_VISITED, partsWithin } from './dispatch.ts';

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
