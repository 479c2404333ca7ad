/**
 * ⟨ψ|O|ψ⟩ on a GPU, without a copy of the state.
 *
 * Pauli strings that flip the same qubits read the same pairs of amplitudes, so that up to four of
 * them share one trip through memory: all those of Z alone, for example. Where a qubit of chunks'
 * numbers is flipped, the two amplitudes of a pair lie in two chunks.
 *
 * As with masses, no accumulator of the device adds more than 16 terms: an invocation nests two,
 * a workgroup adds by pairs, and the host adds workgroups and chunks in double precision.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { PauliSum } from '../../../circuit/observable.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import {
  type BufferView,
  encodeKernel,
  gridOf,
  MAX_VISITED,
  partsWithin,
  readMapped,
} from './dispatch.ts';
import {
  type Batch,
  batchesOf,
  LANES,
  signOfChunk,
  visitedChunks,
  wordsOf,
} from './pauli-strings.ts';
import { ScratchBuffers } from './scratch-buffers.ts';

const WORKGROUP_SIZE = 256;
/** Sums of one submit, one for each lane: 1 MiB. */
const MAX_SLOTS = 2 ** 16;
/** Workgroups that keep any device busy. */
const BUSY_GROUPS = 4096;
/** Of an invocation, to make it worth its start. */
const MIN_TERMS = 128;
/** What the kernel adds with two accumulators of 16 terms each. */
const MAX_TERMS = 256;
/** Layers of a dispatch. */
const MAX_BATCHES = 1024;

/** The parts of a dispatch over one chunk. */
export interface ExpectationPlan {
  /** Of an invocation. */
  readonly numTerms: number;
  /** Workgroups of a batch; each has a sum of its own. */
  readonly numGroups: number;
}

/** @param maxGroups - Workgroups that a batch is parted into, unless they would sum too many terms. */
export function planExpectation(chunkQubits: number, maxGroups = BUSY_GROUPS): ExpectationPlan {
  const perThread = Math.max(1, 2 ** chunkQubits / WORKGROUP_SIZE);
  const worthwhile = Math.max(MIN_TERMS, perThread / maxGroups);
  const numTerms = Math.min(MAX_TERMS, worthwhile, perThread);
  return { numTerms, numGroups: Math.ceil(perThread / numTerms) };
}

/** Two chunks with the amplitudes of pairs, one of which is visited; the same where both are in one. */
export interface ChunkPair {
  /** Of the visited chunk, among all of the state. */
  readonly number: number;
  readonly chunk: BufferView;
  readonly partner: BufferView;
}

/** What a device holds of a state, as pairs of chunks. */
export interface PairedChunks {
  readonly chunkQubits: number;
  /** The pairs of what flips these bits of chunks' numbers, or those of them that are at hand. */
  pairs(chunkFlips: number): readonly ChunkPair[];
}

/** One dispatch: some batches with the same flips of chunks, over one chunk. */
interface Job {
  readonly pair: ChunkPair;
  readonly firstBatch: number;
  readonly batches: readonly Batch[];
}

/**
 * The expectation value of an observable.
 *
 * @param layout - Logical qubit → physical qubit.
 * @param maxGroups - Workgroups that keep the device busy, where sums can be split.
 */
export async function expectation(
  context: GpuContext,
  { chunks, chunkQubits }: GpuState,
  observable: PauliSum,
  layout: readonly Qubit[],
  maxGroups?: number,
): Promise<number> {
  const pairs = (chunkFlips: number) =>
    visitedChunks(chunkFlips, chunks.length).map((number): ChunkPair => {
      return { number, chunk: chunks[number]!, partner: chunks[number ^ chunkFlips]! };
    });
  const batches = batchesOf(observable, layout, chunkQubits);
  return await pauliSum(context, { chunkQubits, pairs }, batches, maxGroups);
}

/** The sum of strings, with their factors, over pairs of chunks. */
export async function pauliSum(
  context: GpuContext,
  paired: PairedChunks,
  unsorted: readonly Batch[],
  maxGroups?: number,
): Promise<number> {
  const { chunkQubits } = paired;
  const batches = [...unsorted].sort((a, b) => a.chunkFlips - b.chunkFlips);
  if (batches.length === 0) return 0;
  const pipeline = await context.pipeline('pauli_sums', { WORKGROUP_SIZE });
  const plan = planExpectation(chunkQubits, maxGroups);
  const { numTerms, numGroups } = plan;
  const grid = gridOf(numGroups);
  const submits = partsWithin(jobsOf(batches, paired, plan), [
    { sizeOf: (job) => numGroups * job.batches.length, most: MAX_SLOTS },
    { sizeOf: (job) => 2 ** chunkQubits * job.batches.length, most: MAX_VISITED },
  ]);
  using shared = new ScratchBuffers(context);
  const list = shared.words('batches', wordsOf(batches, chunkQubits));
  let sum = 0;
  for (const jobs of submits) {
    const firstSlots: number[] = [];
    let numSlots = 0;
    for (const job of jobs) {
      firstSlots.push(numSlots);
      numSlots += numGroups * job.batches.length;
    }
    const bytes = 4 * LANES * numSlots;
    using scratch = new ScratchBuffers(context);
    const slots = await scratch.room('slots', bytes);
    const staging = await scratch.staging(bytes);
    const params = scratch.params(
      'params',
      // Keep the field order of `Params` in pauli_sums.wgsl.
      jobs.map(({ firstBatch }, i) => {
        return [numGroups, numTerms, grid.rowLength, firstBatch, firstSlots[i]!];
      }),
    );
    const encode = (encoder: GPUCommandEncoder) => {
      for (const [i, job] of jobs.entries()) {
        const { chunk, partner } = job.pair;
        const buffers = [chunk, list, params[i]!, slots, partner];
        encodeKernel(context, encoder, pipeline, buffers, grid, job.batches.length);
      }
      encoder.copyBufferToBuffer(slots, 0, staging, 0, bytes);
    };
    await readMapped(context, staging, bytes, encode, (mapped) => {
      for (const [i, job] of jobs.entries()) {
        const first = 4 * LANES * firstSlots[i]!;
        sum += weightedSum(new Float32Array(mapped, first), job, numGroups);
      }
    });
  }
  return sum;
}

/** @param batches - Those with the same flips of chunks next to each other. */
function jobsOf(
  batches: readonly Batch[],
  { chunkQubits, pairs }: PairedChunks,
  { numGroups }: ExpectationPlan,
): readonly Job[] {
  const most = Math.max(
    1,
    Math.min(
      MAX_BATCHES,
      Math.floor(MAX_SLOTS / numGroups),
      Math.floor(MAX_VISITED / 2 ** chunkQubits),
    ),
  );
  const jobs: Job[] = [];
  for (let from = 0; from < batches.length; ) {
    const { chunkFlips } = batches[from]!;
    let to = from + 1;
    while (to < from + most && batches[to]?.chunkFlips === chunkFlips) to++;
    const some = batches.slice(from, to);
    for (const pair of pairs(chunkFlips)) jobs.push({ pair, firstBatch: from, batches: some });
    from = to;
  }
  return jobs;
}

/** @param slots - By batch, workgroup and lane. */
function weightedSum(slots: Float32Array, { pair, batches }: Job, numGroups: number): number {
  let sum = 0;
  for (const [b, { strings }] of batches.entries()) {
    for (const [lane, string] of strings.entries()) {
      let value = 0;
      for (let group = 0; group < numGroups; group++) {
        value += slots[(b * numGroups + group) * LANES + lane]!;
      }
      sum += string.factor * signOfChunk(string, pair.number) * value;
    }
  }
  return sum;
}
