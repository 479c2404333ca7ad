/**
 * Sums masses, |amplitude|², by the values of some qubits.
 *
 * Only sums are read back, at most 4 MiB at a time. A dispatch sums one chunk, or the part of it
 * with one value of the binned qubits that did not fit.
 *
 * No accumulator on the device adds more than 16 terms, however wide the state is: an invocation
 * nests three of them, a workgroup adds by pairs, and the host adds the results in double
 * precision. A sum is thus within (3·16 + 8 + 3)·2^-24 = 4e-6 of its exact value in the worst case,
 * and typically within 2^-23.
 */

import type { Qubit } from '../../../circuit/circuit.ts';
import { BitImages } from '../../../math/bit-images.ts';
import { GpuFaultError } from '../../errors.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { ScratchBuffers } from '../scratch-buffers.ts';
import { encodeKernel, gridOf, MAX_VISITED, partsWithin, readMapped } from './dispatch.ts';

/** Most sums read back from one submit: 4 MiB. */
const MAX_SLOTS = 2 ** 20;

/**
 * Checks a norm. Without the check, draws from a NaN state, or from one that the device never
 * wrote, would give results.
 *
 * @throws {GpuFaultError} unless the norm is finite and positive.
 */
export function assertNorm(norm: number): void {
  if (norm > 0 && Number.isFinite(norm)) return;
  throw new GpuFaultError(`the state has a norm of ${norm}`);
}

/** One dispatch over a chunk. */
interface Dispatch {
  readonly chunk: GPUBuffer;
  /** First index inside the chunk. */
  readonly base: number;
  /** Bits that all its bins have in common. */
  readonly image: number;
}

/** Options of `addMasses`. */
export interface MassesOptions {
  /**
   * Bits that all bins of the state have in common; 0 unless the state is a share of a larger one.
   */
  readonly image?: number;
  /** log2 of the workgroups that keep the device busy, where sums can be split. */
  readonly groupBits?: number;
}

/**
 * Adds the mass of each basis state to the bin whose number is the OR of the images of its 1s.
 *
 * @param asked - Physical qubits, inside chunks or among their numbers.
 */
export async function addMasses(
  context: GpuContext,
  state: GpuState,
  asked: readonly BinnedQubit[],
  bins: Float64Array,
  { image: common = 0, groupBits }: MassesOptions = {},
): Promise<void> {
  const { chunkQubits } = state;
  const inside = asked.filter(({ qubit }) => qubit < chunkQubits);
  const plan = planMasses(chunkQubits, inside, groupBits);
  const { threadQubits, binned, sliced, groupPlaces, slotBits } = plan;
  const pipeline = await context.pipeline('add_masses', {
    THREAD_QUBITS: threadQubits,
    WORKGROUP_SIZE: 2 ** threadQubits,
  });
  const grid = gridOf(2 ** groupPlaces.length);
  const numSlots = 2 ** slotBits;
  const imageOf = new BitImages(binned.map(({ image }) => image));
  const mask = 2 ** binned.length - 1;
  const submits = partsWithin(dispatchesOf(state, asked, sliced, common), [
    { sizeOf: () => numSlots, most: MAX_SLOTS },
    { sizeOf: () => 2 ** (chunkQubits - sliced.length), most: MAX_VISITED },
  ]);
  const bytes = 4 * numSlots * (submits[0]?.length ?? 0);
  using scratch = new ScratchBuffers(context);
  const slots = await scratch.room('slots', bytes);
  const staging = await scratch.staging(bytes);
  const places = await scratch.words('places', placesOf(plan));
  for (const dispatches of submits) {
    using uploads = new ScratchBuffers(context);
    const params = await uploads.params(
      'params',
      dispatches.map(({ base }, i) => paramsOf(plan, grid.rowLength, base, numSlots * i)),
    );
    const encode = (encoder: GPUCommandEncoder) => {
      for (const [i, { chunk }] of dispatches.entries()) {
        encodeKernel(context, encoder, pipeline, [chunk, places, params[i]!, slots], grid);
      }
      encoder.copyBufferToBuffer(slots, 0, staging, 0, 4 * numSlots * dispatches.length);
    };
    await readMapped(context, staging, 4 * numSlots * dispatches.length, encode, (mapped) => {
      const sums = new Float32Array(mapped);
      for (const [j, { image }] of dispatches.entries()) {
        for (let i = 0; i < numSlots; i++) {
          bins[(imageOf.at(i & mask) | image) >>> 0]! += sums[numSlots * j + i]!;
        }
      }
    });
  }
}

/** Lists a dispatch for each chunk and each value of the sliced qubits. */
function dispatchesOf(
  { chunks, chunkQubits }: GpuState,
  asked: readonly BinnedQubit[],
  sliced: readonly BinnedQubit[],
  common: number,
): readonly Dispatch[] {
  const ofChunks = asked.filter(({ qubit }) => qubit >= chunkQubits);
  return chunks.flatMap((chunk, number) => {
    const chunkImage = ofChunks.reduce(
      (all, { qubit, image }) => all | (((number >>> (qubit - chunkQubits)) & 1) * image),
      common,
    );
    return Array.from({ length: 2 ** sliced.length }, (_, slice): Dispatch => {
      let base = 0;
      let image = chunkImage;
      for (const [i, part] of sliced.entries()) {
        if (((slice >>> i) & 1) === 0) continue;
        base += 2 ** part.qubit;
        image |= part.image;
      }
      return { chunk, base, image };
    });
  });
}

function placesOf({ groupPlaces, threadSlots }: MassesPlan): Uint32Array<ArrayBuffer> {
  return Uint32Array.from([...groupPlaces.flat(), ...threadSlots]);
}

/** Keep the field order of `Params` in add_masses.wgsl. */
function paramsOf(
  { groupPlaces, threadSlots, loopQubits }: MassesPlan,
  rowLength: number,
  base: number,
  firstSlot: number,
): readonly number[] {
  const loopMask = loopQubits.reduce((mask, qubit) => mask + 2 ** qubit, 0);
  const summedThreads = threadSlots.reduce((mask, slot, q) => mask + (slot === 0 ? 2 ** q : 0), 0);
  return [
    base,
    firstSlot,
    loopMask,
    2 ** loopQubits.length,
    summedThreads,
    2 ** groupPlaces.length,
    groupPlaces.length,
    rowLength,
  ];
}

const MAX_THREAD_QUBITS = 8;
/** log2 of the sums of a dispatch. */
const MAX_SLOT_BITS = 18;
/** log2 of the workgroups that keep any device busy. */
const BUSY_GROUP_BITS = 13;
/** log2 of the fewest terms that make an invocation worthwhile. */
const MIN_LOOP_BITS = 8;
/** log2 of the most terms of an invocation: three nested accumulators of 16 terms each. */
const MAX_LOOP_BITS = 12;

/** A qubit whose values are binned separately. */
interface BinnedQubit {
  readonly qubit: Qubit;
  /** Added to the bin's number if the qubit is 1; no two qubits share a bit. */
  readonly image: number;
}

/** Dispatches over one chunk. */
interface MassesPlan {
  readonly threadQubits: number;
  /** Binned qubits of one dispatch; the i-th is bit i of a slot. */
  readonly binned: readonly BinnedQubit[];
  /** Other binned qubits: there is a dispatch for each of their values. */
  readonly sliced: readonly BinnedQubit[];
  /** For each bit of a workgroup's number, [bit of the index, bit of the slot]. */
  readonly groupPlaces: readonly (readonly [number, number])[];
  /** For each bit of an invocation's number, its bit of the slot. */
  readonly threadSlots: readonly number[];
  readonly loopQubits: readonly Qubit[];
  readonly slotBits: number;
}

/**
 * Plans the dispatches of chunks of one size: which qubits number invocations, which number
 * workgroups, and which an invocation loops over.
 *
 * @param asked - Qubits below `chunkQubits`.
 * @param groupBits - log2 of the workgroups that keep the device busy, where sums can be split.
 * @param maxSlotBits - log2 of the sums of a dispatch; at least 8.
 */
export function planMasses(
  chunkQubits: number,
  asked: readonly BinnedQubit[],
  groupBits = BUSY_GROUP_BITS,
  maxSlotBits = MAX_SLOT_BITS,
): MassesPlan {
  const threadQubits = Math.min(MAX_THREAD_QUBITS, chunkQubits);
  const inThread = asked.filter(({ qubit }) => qubit < threadQubits);
  const beyond = asked.filter(({ qubit }) => qubit >= threadQubits);
  const numHigh = Math.min(beyond.length, maxSlotBits - inThread.length);
  const high = beyond.slice(0, numHigh);
  const binned = [...inThread, ...high];
  const isBinned = new Set(asked.map(({ qubit }) => qubit));
  const summed: Qubit[] = [];
  for (let q = threadQubits; q < chunkQubits; q++) if (!isBinned.has(q)) summed.push(q);
  // Splits bins until there are enough workgroups; the host adds the parts.
  const missing = Math.max(0, groupBits - high.length);
  const numParts = Math.max(
    0,
    summed.length - MAX_LOOP_BITS,
    Math.min(summed.length - MIN_LOOP_BITS, missing, maxSlotBits - binned.length),
  );
  const loopQubits = summed.slice(0, summed.length - numParts);
  const parts = summed.slice(loopQubits.length);
  const slotOf = (qubit: Qubit) => {
    const bit = binned.findIndex((other) => other.qubit === qubit);
    return bit < 0 ? 0 : 2 ** bit;
  };
  return {
    threadQubits,
    binned,
    sliced: beyond.slice(numHigh),
    groupPlaces: [
      ...high.map(({ qubit }) => [2 ** qubit, slotOf(qubit)] as const),
      ...parts.map((qubit, i) => [2 ** qubit, 2 ** (binned.length + i)] as const),
    ].sort(([a], [b]) => a - b),
    threadSlots: Array.from({ length: threadQubits }, (_, q) => slotOf(q)),
    loopQubits,
    slotBits: binned.length + numParts,
  };
}
