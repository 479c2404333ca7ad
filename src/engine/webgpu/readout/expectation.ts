/**
 * Computes ⟨ψ|O|ψ⟩ on a GPU without copying the state.
 *
 * Pauli strings that flip the same qubits read the same pairs of amplitudes, so up to four of them
 * share one trip through memory; all strings of Z alone do, for example, also those of different
 * observables. If a string flips a chunk qubit, the amplitudes of a pair are in two chunks.
 *
 * As with masses, no accumulator on the device adds more than 16 terms: an invocation nests two, a
 * workgroup adds by pairs, and the host adds workgroups and chunks in double precision.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import { type PauliSum, type PauliTerm, pauliMasks } from '../../../circuit/observable.ts';
import { highestBit, pauliPhase } from '../../pauli-groups.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { type BufferView, ScratchBuffers } from '../scratch-buffers.ts';
import { encodeKernel, gridOf, MAX_VISITED, partsWithin, readMapped } from './dispatch.ts';

const WORKGROUP_SIZE = 256;
/** Sums of one submit, one for each lane: 1 MiB. */
const MAX_SLOTS = 2 ** 16;
/** Workgroups that keep any device busy. */
const BUSY_GROUPS = 4096;
/** Fewest terms that make an invocation worthwhile. */
const MIN_TERMS = 128;
/** Most terms of an invocation: two nested accumulators of 16 terms each. */
const MAX_TERMS = 256;
/** Most batches, layers, of a dispatch. */
const MAX_BATCHES = 1024;

/** Partition of the sums over one chunk. */
export interface ExpectationPlan {
  /** Terms of one invocation. */
  readonly numTerms: number;
  /** Workgroups of a batch, each with its own sum. */
  readonly numGroups: number;
}

/**
 * Plans the sums over a chunk.
 *
 * @param maxGroups - Workgroups of a batch, unless an invocation would then sum too many terms.
 */
export function planExpectation(chunkQubits: number, maxGroups = BUSY_GROUPS): ExpectationPlan {
  const perThread = Math.max(1, 2 ** chunkQubits / WORKGROUP_SIZE);
  const worthwhile = Math.max(MIN_TERMS, perThread / maxGroups);
  const numTerms = Math.min(MAX_TERMS, worthwhile, perThread);
  return { numTerms, numGroups: Math.ceil(perThread / numTerms) };
}

/** The chunks of the two amplitudes of each pair; equal if both are in one chunk. */
export interface ChunkPair {
  /** Number of the visited chunk in the state. */
  readonly number: number;
  readonly chunk: BufferView;
  readonly partner: BufferView;
}

/** A device's share of a state, as pairs of chunks. */
export interface PairedChunks {
  readonly chunkQubits: number;
  /** Pairs of chunks whose numbers differ in these bits, as far as the device has them. */
  pairs(chunkFlips: number): readonly ChunkPair[];
}

/** One dispatch: batches with the same chunk flips, over one pair of chunks. */
interface Dispatch {
  readonly pair: ChunkPair;
  readonly firstBatch: number;
  readonly batches: readonly Batch[];
}

/**
 * The sum of each string over each pair of chunks: the value of a pair is at the number of the
 * visited chunk.
 */
type StringSums = ReadonlyMap<PlacedString, readonly number[]>;

/**
 * The expectation value of each observable.
 *
 * @param layout - Logical qubit → physical qubit.
 * @param maxGroups - Workgroups that keep the device busy, where sums can be split.
 */
export async function expectations(
  context: GpuContext,
  { chunks, chunkQubits }: GpuState,
  observables: readonly PauliSum[],
  layout: readonly Qubit[],
  maxGroups?: number,
): Promise<readonly number[]> {
  const pairs = (chunkFlips: number) =>
    visitedChunks(chunkFlips, chunks.length).map((number): ChunkPair => {
      return { number, chunk: chunks[number]!, partner: chunks[number ^ chunkFlips]! };
    });
  const batches = observables.map((observable) => batchesOf(observable, layout, chunkQubits));
  return await pauliSums(context, { chunkQubits, pairs }, batches, maxGroups);
}

/**
 * Weighted sums of Pauli strings over pairs of chunks. A sum is the same to the last bit whatever
 * other sums are computed with it.
 *
 * @param batchesOfSums - The strings of each sum.
 */
export async function pauliSums(
  context: GpuContext,
  paired: PairedChunks,
  batchesOfSums: readonly (readonly Batch[])[],
  maxGroups?: number,
): Promise<readonly number[]> {
  const plan = planExpectation(paired.chunkQubits, maxGroups);
  const batches = byChunkFlips(inFullBatches(batchesOfSums.flat()));
  const sums = await sumStrings(context, paired, batches, plan);
  return batchesOfSums.map((own) =>
    dispatchesOf(byChunkFlips(own), paired, plan).reduce(
      (sum, dispatch) => sum + weightedSum(sums, dispatch),
      0,
    ),
  );
}

function byChunkFlips(batches: readonly Batch[]): readonly Batch[] {
  return [...batches].sort((a, b) => a.chunkFlips - b.chunkFlips);
}

/** @param batches - Sorted by chunk flips. */
async function sumStrings(
  context: GpuContext,
  paired: PairedChunks,
  batches: readonly Batch[],
  plan: ExpectationPlan,
): Promise<StringSums> {
  const sums = new Map<PlacedString, number[]>();
  if (batches.length === 0) return sums;
  for (const { strings } of batches) for (const string of strings) sums.set(string, []);
  const { chunkQubits } = paired;
  const pipeline = await context.pipeline('pauli_sums', { WORKGROUP_SIZE });
  const { numTerms, numGroups } = plan;
  const grid = gridOf(numGroups);
  const submits = partsWithin(dispatchesOf(batches, paired, plan), [
    { sizeOf: (dispatch) => numGroups * dispatch.batches.length, most: MAX_SLOTS },
    { sizeOf: (dispatch) => 2 ** chunkQubits * dispatch.batches.length, most: MAX_VISITED },
  ]);
  using shared = new ScratchBuffers(context);
  const list = await shared.words('batches', wordsOf(batches, chunkQubits));
  for (const dispatches of submits) {
    const firstSlots: number[] = [];
    let numSlots = 0;
    for (const dispatch of dispatches) {
      firstSlots.push(numSlots);
      numSlots += numGroups * dispatch.batches.length;
    }
    const bytes = 4 * LANES * numSlots;
    using scratch = new ScratchBuffers(context);
    const slots = await scratch.room('slots', bytes);
    const staging = await scratch.staging(bytes);
    const params = await scratch.params(
      'params',
      // Keep the field order of `Params` in pauli_sums.wgsl.
      dispatches.map(({ firstBatch }, i) => {
        return [numGroups, numTerms, grid.rowLength, firstBatch, firstSlots[i]!];
      }),
    );
    const encode = (encoder: GPUCommandEncoder) => {
      for (const [i, dispatch] of dispatches.entries()) {
        const { chunk, partner } = dispatch.pair;
        const buffers = [chunk, list, params[i]!, slots, partner];
        encodeKernel(context, encoder, pipeline, buffers, grid, dispatch.batches.length);
      }
      encoder.copyBufferToBuffer(slots, 0, staging, 0, bytes);
    };
    await readMapped(context, staging, bytes, encode, (mapped) => {
      for (const [i, dispatch] of dispatches.entries()) {
        const first = 4 * LANES * firstSlots[i]!;
        addGroups(new Float32Array(mapped, first), dispatch, numGroups, sums);
      }
    });
  }
  return sums;
}

/** @param batches - Sorted by chunk flips. */
function dispatchesOf(
  batches: readonly Batch[],
  { chunkQubits, pairs }: PairedChunks,
  { numGroups }: ExpectationPlan,
): readonly Dispatch[] {
  const most = Math.max(
    1,
    Math.min(
      MAX_BATCHES,
      Math.floor(MAX_SLOTS / numGroups),
      Math.floor(MAX_VISITED / 2 ** chunkQubits),
    ),
  );
  const dispatches: Dispatch[] = [];
  for (let from = 0; from < batches.length; ) {
    const { chunkFlips } = batches[from]!;
    let to = from + 1;
    while (to < from + most && batches[to]?.chunkFlips === chunkFlips) to++;
    const some = batches.slice(from, to);
    for (const pair of pairs(chunkFlips))
      dispatches.push({ pair, firstBatch: from, batches: some });
    from = to;
  }
  return dispatches;
}

/**
 * Adds up the workgroups' sums of each string.
 *
 * @param slots - By batch, workgroup and lane.
 */
function addGroups(
  slots: Float32Array,
  { pair, batches }: Dispatch,
  numGroups: number,
  sums: ReadonlyMap<PlacedString, number[]>,
): void {
  for (const [b, { strings }] of batches.entries()) {
    for (const [lane, string] of strings.entries()) {
      let value = 0;
      for (let group = 0; group < numGroups; group++) {
        value += slots[(b * numGroups + group) * LANES + lane]!;
      }
      sums.get(string)![pair.number] = value;
    }
  }
}

function weightedSum(sums: StringSums, { pair, batches }: Dispatch): number {
  let sum = 0;
  for (const { strings } of batches) {
    for (const string of strings) {
      sum += string.factor * signOfChunk(string, pair.number) * sums.get(string)![pair.number]!;
    }
  }
  return sum;
}

// Encodes Pauli strings on a state in chunks for the kernel.
//
// Masks (`PauliMasks`) of qubits inside a chunk and of chunk qubits are separate: no mask has
// more bits than an index inside a chunk.

/** Most strings of a batch. */
const LANES = 4;
/** Words of an encoded batch, padding included. */
const BATCH_WORDS = 12;

/** A Pauli string with its coefficient. */
export interface PlacedString {
  readonly signs: number;
  readonly chunkSigns: number;
  readonly isImaginary: boolean;
  /** Factor of the kernel's sum. */
  readonly factor: number;
}

/** Up to four strings that flip the same qubits, and so read the same pairs of amplitudes. */
export interface Batch {
  readonly flips: number;
  readonly chunkFlips: number;
  readonly strings: readonly PlacedString[];
}

/**
 * Groups the strings of an observable into batches.
 *
 * @param layout - Logical qubit → physical qubit.
 */
export function batchesOf(
  observable: PauliSum,
  layout: readonly Qubit[],
  chunkQubits: number,
): readonly Batch[] {
  return inFullBatches(
    observable.map((term) => {
      const { flips, chunkFlips, ...string } = placeTerm(term, layout, chunkQubits);
      return { flips, chunkFlips, strings: [string] };
    }),
  );
}

/** The same strings in as few batches as possible. */
function inFullBatches(batches: readonly Batch[]): readonly Batch[] {
  const byFlips = new Map<string, { flips: number; chunkFlips: number; strings: PlacedString[] }>();
  for (const { flips, chunkFlips, strings } of batches) {
    const key = `${flips} ${chunkFlips}`;
    const others = byFlips.get(key);
    if (others === undefined) byFlips.set(key, { flips, chunkFlips, strings: [...strings] });
    else others.strings.push(...strings);
  }
  return [...byFlips.values()].flatMap(({ flips, chunkFlips, strings }) =>
    Array.from({ length: Math.ceil(strings.length / LANES) }, (_, i): Batch => {
      return { flips, chunkFlips, strings: strings.slice(LANES * i, LANES * (i + 1)) };
    }),
  );
}

function placeTerm(
  { coefficient, factors }: PauliTerm,
  layout: readonly Qubit[],
  chunkQubits: number,
): PlacedString & { readonly flips: number; readonly chunkFlips: number } {
  const inside = pauliMasks(factors, (qubit) => {
    const physical = layout[qubit]!;
    return physical < chunkQubits ? 2 ** physical : 0;
  });
  const ofChunks = pauliMasks(factors, (qubit) => {
    const physical = layout[qubit]!;
    return physical < chunkQubits ? 0 : 2 ** (physical - chunkQubits);
  });
  const { isImaginary, sign } = pauliPhase(inside.numY);
  // The kernel visits one amplitude of each pair.
  const isDiagonal = inside.flips === 0 && ofChunks.flips === 0;
  const factor = coefficient * sign * (isDiagonal ? 1 : 2);
  return {
    flips: inside.flips,
    chunkFlips: ofChunks.flips,
    signs: inside.signs,
    chunkSigns: ofChunks.signs,
    isImaginary,
    factor,
  };
}

/** Numbers of the chunks in which one amplitude of each pair is visited. */
export function visitedChunks(chunkFlips: number, numChunks: number): readonly number[] {
  const numbers = Array.from({ length: numChunks }, (_, number) => number);
  const top = highestBit(chunkFlips);
  return numbers.filter((number) => (number & top) === 0);
}

/** Encodes batches; keep the field order of `Batch` in pauli_sums.wgsl. */
function wordsOf(batches: readonly Batch[], chunkQubits: number): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(BATCH_WORDS * batches.length);
  for (const [b, { flips, chunkFlips, strings }] of batches.entries()) {
    for (const [lane, { signs, isImaginary }] of strings.entries()) {
      words[BATCH_WORDS * b + lane] = signs;
      words[BATCH_WORDS * b + LANES + lane] = isImaginary ? 1 : 0;
    }
    const pairBit = chunkFlips === 0 ? highestBit(flips) : 0;
    const numPairs = 2 ** (pairBit === 0 ? chunkQubits : chunkQubits - 1);
    words.set([flips, pairBit, numPairs], BATCH_WORDS * b + 2 * LANES);
  }
  return words;
}

/** Sign, 1 or −1, that a chunk's number gives a string. */
export function signOfChunk({ chunkSigns }: PlacedString, chunk: number): number {
  let sign = 1;
  for (let both = chunkSigns & chunk; both !== 0; both &= both - 1) sign = -sign;
  return sign;
}
