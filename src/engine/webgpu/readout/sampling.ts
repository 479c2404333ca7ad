/**
 * Draws basis states from a state on a GPU. A small state is read back for few shots; otherwise only outcomes are.
 *
 * On the device, the masses of blocks are added up and made cumulative; every shot draws, finds its block and is
 * counted there; the remainders of the draws are put in the blocks' order; and every block that was
 * drawn finds its shots' basis states and lists them in ascending order with their occurrences.
 *
 * Sums are 64-bit fixed point in units of 2^-62 and draws are compared with them exactly. So the
 * only difference to exact cumulative probabilities is that of the squares, which are rounded to
 * single precision, to within 2^-23 of each, and cut to a unit. A boundary between basis states is
 * then within 2^-24 + 2^(n − 61) of the norm from its exact place for n qubits (at most 1.8e-7), and
 * a shot's draw must fall between the two to make a difference. In what order masses are added, how
 * qubits lie in memory and how long chunks are makes none.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { BasisIndices, BasisSamples, SampleRequest } from '../../state-operations.ts';
import { mergedSamples, sortedTerminalDraws } from '../../terminal-measurement.ts';
import type { TimeSlicer } from '../../time-slicer.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { ScratchBuffers } from '../scratch-buffers.ts';
import {
  addBlockMasses,
  BLOCK_BITS,
  type BlockPlan,
  FIXED_BYTES,
  fixedMass,
  gatherPlaces,
  planBlocks,
  RUN_BITS,
  roomForSums,
  SCAN_GROUP,
  type ScannedSums,
  scanOf,
  windowsOf,
} from './block-masses.ts';
import { encodeKernel, gridOf, MAX_VISITED, partsWithin, readMapped } from './dispatch.ts';
import { logicalAmplitudes } from './final-state.ts';
import { assertNorm } from './masses.ts';

/** Widest state that is read back: 2^12 amplitudes take 32 KiB. */
const MAX_READ_QUBITS = 12;
const MAX_READ_SHOTS = 2 ** 13;
const WORKGROUP_SIZE = 256;
/** Shots drawn together; each takes 32 bytes of device memory. */
const SHOTS_PER_BATCH = 2 ** 20;
const DRAWN_BYTES = 16;
/** Bytes of a basis state and its occurrences. */
const PAIR_BYTES = 8;
/** Number of blocks whose basis indices share their upper 32-bit word. */
const BLOCKS_PER_WORD = 2 ** (32 - BLOCK_BITS);

/**
 * Draws a basis state for each shot, as engine.ts defines it.
 *
 * @param layout - Logical qubit → physical qubit.
 * @throws {GpuFaultError} if the buffers hold no state.
 */
export async function sampleBasisStates(
  context: GpuContext,
  state: GpuState,
  layout: readonly Qubit[],
  request: SampleRequest,
  slicer: TimeSlicer,
): Promise<BasisSamples> {
  if (!isReadBack(layout.length, request))
    return await sampleOnDevice(context, state, layout, request, slicer);
  const draws = await sortedTerminalDraws(request, slicer);
  return pickFromAmplitudes(await logicalAmplitudes(context, state, layout), draws);
}

/**
 * Whether the state is small enough, and the shots few enough, to draw from amplitudes read back.
 */
export function isReadBack(numQubits: number, { shots }: SampleRequest): boolean {
  return numQubits <= MAX_READ_QUBITS && shots.count <= MAX_READ_SHOTS;
}

/** Draws on the device, whatever the width of the state. */
export async function sampleOnDevice(
  context: GpuContext,
  state: GpuState,
  layout: readonly Qubit[],
  request: SampleRequest,
  slicer: TimeSlicer,
  windowBits?: number,
): Promise<BasisSamples> {
  let samples: BasisSamples | undefined;
  await drawFromBlocks(
    context,
    state,
    layout,
    request,
    slicer,
    (batch) => {
      const more = samplesOf(batch);
      samples = samples === undefined ? more : mergedSamples(samples, more);
    },
    windowBits,
  );
  if (samples === undefined) throw new Error('unreachable: samples of no shots');
  return samples;
}

/**
 * Finds the basis states of draws.
 *
 * @param amplitudes - In logical order.
 * @param draws - Ascending.
 */
export function pickFromAmplitudes(amplitudes: Float64Array, draws: Float64Array): BasisSamples {
  const masses = new Float64Array(amplitudes.length / 2);
  let norm = 0;
  for (let i = 0; i < masses.length; i++) {
    masses[i] = amplitudes[2 * i]! ** 2 + amplitudes[2 * i + 1]! ** 2;
    norm += masses[i]!;
  }
  assertNorm(norm);
  const counts = new Uint32Array(masses.length);
  let cumulative = 0;
  let next = 0;
  let lastPossible = 0;
  for (let i = 0; i < masses.length && next < draws.length; i++) {
    if (masses[i]! === 0) continue;
    cumulative += masses[i]!;
    lastPossible = i;
    const first = next;
    while (next < draws.length && draws[next]! * norm < cumulative) next++;
    counts[i] = next - first;
  }
  // A draw just below 1, times the norm, may round up to the norm.
  counts[lastPossible]! += draws.length - next;
  const numDrawn = counts.reduce((number, count) => number + (count > 0 ? 1 : 0), 0);
  const basisIndices = new Uint32Array(numDrawn);
  let at = 0;
  for (const [i, count] of counts.entries()) if (count > 0) basisIndices[at++] = i;
  return { basisIndices, occurrences: basisIndices.map((i) => counts[i]!) };
}

/**
 * Draws a basis state for each shot, as engine.ts defines it.
 *
 * @param layout - Logical qubit → physical qubit.
 * @param use - Called with the list of each batch, which is gone when it returns.
 * @throws {GpuFaultError} if the buffers hold no state.
 */
async function drawFromBlocks(
  context: GpuContext,
  state: GpuState,
  layout: readonly Qubit[],
  request: SampleRequest,
  slicer: TimeSlicer,
  use: (drawn: DrawnList) => void,
  windowBits?: number,
): Promise<void> {
  const plan = planBlocks(layout, state.chunkQubits, windowBits);
  using shared = new ScratchBuffers(context);
  const masses = await addBlockMasses(context, state, plan, shared);
  const { count } = request.shots;
  for (let from = 0; from < count; from += SHOTS_PER_BATCH) {
    await slicer.pause();
    const numShots = Math.min(SHOTS_PER_BATCH, count - from);
    await drawBatch(context, state, plan, masses, { ...request, from, numShots }, slicer, use);
  }
}

interface BatchRequest extends SampleRequest {
  /** Its first shot among the request's. */
  readonly from: number;
  readonly numShots: number;
}

async function drawBatch(
  context: GpuContext,
  state: GpuState,
  plan: BlockPlan,
  masses: ScannedSums,
  batch: BatchRequest,
  slicer: TimeSlicer,
  use: (drawn: DrawnList) => void,
): Promise<void> {
  const { numShots } = batch;
  using scratch = new ScratchBuffers(context);
  const counts = await roomForSums(scratch, 'draws of blocks', masses.numSums);
  const drawn = await scratch.room('drawn', DRAWN_BYTES * numShots);
  const rests = await scratch.room('rests', FIXED_BYTES * numShots);
  const picks = await scratch.room('picks', PAIR_BYTES * numShots);
  const draw = await drawOf(context, scratch, masses, counts, batch, drawn);
  const scan = await scanOf(context, scratch, counts);
  const sort = await sortOf(context, scratch, counts, numShots, drawn, rests);
  context.enqueue((encoder) => {
    encoder.clearBuffer(counts.ends);
    draw(encoder);
    scan(encoder);
    sort(encoder);
  });
  context.flush();
  await pickInWindows(context, state, plan, counts, rests, picks, slicer);

  const groupBytes = FIXED_BYTES * counts.numGroups;
  const picksAt = FIXED_BYTES + groupBytes;
  const bytes = picksAt + PAIR_BYTES * numShots;
  const staging = await scratch.staging(bytes);
  const encode = (encoder: GPUCommandEncoder) => {
    const lastGroup = FIXED_BYTES * (masses.numGroups - 1);
    encoder.copyBufferToBuffer(masses.groupEnds, lastGroup, staging, 0, FIXED_BYTES);
    encoder.copyBufferToBuffer(counts.groupEnds, 0, staging, FIXED_BYTES, groupBytes);
    encoder.copyBufferToBuffer(picks, 0, staging, picksAt, PAIR_BYTES * numShots);
  };
  await readMapped(context, staging, bytes, encode, (mapped) => {
    const [low, high] = new Uint32Array(mapped, 0, 2);
    assertNorm(fixedMass(low!, high!));
    const groupEnds = new Uint32Array(mapped, FIXED_BYTES, 2 * counts.numGroups);
    const upperStarts: number[] = [];
    for (let block = BLOCKS_PER_WORD; block < counts.numSums; block += BLOCKS_PER_WORD) {
      upperStarts.push(groupEnds[2 * (block / SCAN_GROUP - 1)]!);
    }
    use({ pairs: new Uint32Array(mapped, picksAt, 2 * numShots), upperStarts });
  });
}

/** Returns the encoder of the shots' draws. */
async function drawOf(
  context: GpuContext,
  scratch: ScratchBuffers,
  masses: ScannedSums,
  counts: ScannedSums,
  { shots, seed, event, from, numShots }: BatchRequest,
  drawn: GPUBuffer,
): Promise<(encoder: GPUCommandEncoder) => void> {
  const constants = { WORKGROUP_SIZE, GROUP_SIZE: SCAN_GROUP };
  const pipeline = await context.pipeline(
    ['lib/fixed_point', 'lib/philox', 'draw_shots'],
    constants,
  );
  const listed = shots.numbers?.slice(from, from + numShots);
  const grid = gridOf(Math.ceil(numShots / WORKGROUP_SIZE));
  const [params] = await scratch.params('params', [
    // Keep the field order of `Params` in draw_shots.wgsl.
    [
      seed % 2 ** 32,
      Math.floor(seed / 2 ** 32),
      event,
      from,
      numShots,
      listed === undefined ? 0 : 1,
      masses.numSums,
      masses.numGroups,
      grid.rowLength,
    ],
  ]);
  const numbers = await scratch.words('shots', listed ?? new Uint32Array(1));
  const { ends, groupEnds } = masses;
  const buffers = [undefined, numbers, params, ends, groupEnds, counts.ends, drawn];
  return (encoder) => encodeKernel(context, encoder, pipeline, buffers, grid);
}

/** Returns the encoder that sorts draws by block. */
async function sortOf(
  context: GpuContext,
  scratch: ScratchBuffers,
  { ends, groupEnds }: ScannedSums,
  numShots: number,
  drawn: GPUBuffer,
  rests: GPUBuffer,
): Promise<(encoder: GPUCommandEncoder) => void> {
  const constants = { WORKGROUP_SIZE, GROUP_SIZE: SCAN_GROUP };
  const pipeline = await context.pipeline('sort_draws', constants);
  const grid = gridOf(Math.ceil(numShots / WORKGROUP_SIZE));
  // Keep the field order of `Params` in sort_draws.wgsl.
  const [params] = await scratch.params('params', [[numShots, grid.rowLength]]);
  const buffers = [undefined, undefined, params, ends, groupEnds, drawn, rests];
  return (encoder) => encodeKernel(context, encoder, pipeline, buffers, grid);
}

/**
 * Finds the basis states of draws inside their blocks, window by window. Waits only where this takes
 * more than one submit.
 *
 * @param counts - Number of draws of each block.
 * @param rests - Remainder of each draw inside its block, block after block.
 * @param picks - Receives the pairs of a `DrawnList`.
 * @throws {StateMemoryError} if the device has no memory for a window.
 */
async function pickInWindows(
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

/** Basis states that shots drew, as the device lists them. */
export interface DrawnList {
  /** Pairs [lower 32 bits of the basis index, occurrences], ascending; occurrences may be 0. */
  readonly pairs: Uint32Array;
  /**
   * Indices of the pairs from which on the index's upper word is 1, 2, …; empty up to 32 qubits.
   */
  readonly upperStarts: readonly number[];
}

/** Converts a list into samples. */
export function samplesOf({ pairs, upperStarts }: DrawnList): BasisSamples {
  const numPairs = pairs.length / 2;
  const basisIndices = new Uint32Array(numPairs);
  const occurrences = new Uint32Array(numPairs);
  let length = 0;
  let from = 0;
  /** Indices of the samples from which on the upper word is 1, 2, …. */
  const starts: number[] = [];
  for (const to of [...upperStarts, numPairs]) {
    for (let i = from; i < to; i++) {
      if (pairs[2 * i + 1] === 0) continue;
      basisIndices[length] = pairs[2 * i]!;
      occurrences[length] = pairs[2 * i + 1]!;
      length++;
    }
    starts.push(length);
    from = to;
  }
  return {
    basisIndices: widened(basisIndices.slice(0, length), starts.slice(0, -1)),
    occurrences: occurrences.slice(0, length),
  };
}

/** Adds the upper words, if there are any. */
function widened(words: Uint32Array<ArrayBuffer>, upperStarts: readonly number[]): BasisIndices {
  if (upperStarts.length === 0) return words;
  const indices = Float64Array.from(words);
  for (const start of upperStarts) {
    for (let i = start; i < indices.length; i++) indices[i]! += 2 ** 32;
  }
  return indices;
}
