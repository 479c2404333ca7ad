/** Finds the basis states of draws inside their blocks, window by window. */
import type { TimeSlicer } from '../../time-slicer.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { ScratchBuffers } from '../scratch-buffers.ts';
import { SCAN_GROUP, type ScannedSums } from './block-masses.ts';
import { BLOCK_BITS, type BlockPlan, gatherPlaces, RUN_BITS, windowsOf } from './block-plan.ts';
import { encodeKernel, gridOf, MAX_VISITED, partsWithin } from './dispatch.ts';

const WORKGROUP_SIZE = 256;

/**
 * Enqueues the picks of all draws. Waits only where they take more than one submit.
 *
 * @param counts - Number of draws of each block.
 * @param rests - Remainder of each draw inside its block, block after block.
 * @param picks - Receives the pairs of a `DrawnList`.
 * @throws {StateMemoryError} if the device has no memory for a window.
 */
export async function pickInWindows(
  context: GpuContext,
  state: GpuState,
  plan: BlockPlan,
  counts: ScannedSums,
  rests: GPUBuffer,
  picks: GPUBuffer,
  slicer: TimeSlicer,
): Promise<void> {
  const gather = await context.pipeline('gather_masses', {
    WORKGROUP_SIZE,
    RUN_SIZE: 2 ** RUN_BITS,
    GROUP_SIZE: SCAN_GROUP,
  });
  const pick = await context.pipeline(['lib/fixed_point', 'pick_basis_states'], {
    WORKGROUP_SIZE,
    BLOCK_BITS,
    GROUP_SIZE: SCAN_GROUP,
  });
  const { ends, groupEnds } = counts;
  const numAmplitudes = 2 ** plan.window.length;
  const numBlocks = 2 ** plan.windowBlocks.length;
  const gatherGrid = gridOf(Math.ceil(numAmplitudes / 2 ** RUN_BITS));
  const pickGrid = gridOf(numBlocks);
  using shared = new ScratchBuffers(context);
  const masses = await shared.room('masses', 4 * numBlocks * 2 ** BLOCK_BITS);
  const places = await shared.words('places', gatherPlaces(plan));
  const blockBits = await shared.words('block bits', Uint32Array.from(plan.windowBlocks));
  const groupBits = Math.max(0, plan.window.length - RUN_BITS);
  const submits = partsWithin(
    [...windowsOf(plan)],
    [{ sizeOf: ({ parts }) => numAmplitudes * parts.length, most: MAX_VISITED }],
  );
  for (const [i, windows] of submits.entries()) {
    if (i > 0) {
      await context.settle();
      await slicer.pause();
    }
    using scratch = new ScratchBuffers(context);
    const gathers = windows.flatMap(({ firstBlock, parts }) =>
      // Keep the field order of `Params` in gather_masses.wgsl.
      parts.map(({ base, firstPlace }) => {
        return [base, firstPlace, firstBlock, numAmplitudes, groupBits, gatherGrid.rowLength];
      }),
    );
    const gatherParams = await scratch.params('params', gathers);
    const pickParams = await scratch.params(
      'params',
      // Keep the field order of `Params` in pick_basis_states.wgsl.
      windows.map(({ firstBlock }) => {
        return [firstBlock, numBlocks, plan.windowBlocks.length, pickGrid.rowLength];
      }),
    );
    context.enqueue((encoder) => {
      // Basis states that a short block lacks must have mass 0.
      if (plan.isShort) encoder.clearBuffer(masses);
      let nextGather = 0;
      for (const [w, { parts }] of windows.entries()) {
        for (const { chunk } of parts) {
          const params = gatherParams[nextGather++];
          const read = [state.chunks[chunk]!, places, params, ends, masses];
          encodeKernel(context, encoder, gather, read, gatherGrid);
        }
        const read = [masses, blockBits, pickParams[w], ends, groupEnds, rests, picks];
        encodeKernel(context, encoder, pick, read, pickGrid);
      }
    });
    context.flush();
  }
}
