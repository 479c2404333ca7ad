/**
 * Adds up masses, |amplitude|², by the values of some qubits.
 *
 * Only sums come back, in pieces of at most 1 MiB: each is one dispatch, over the part of the state
 * that has one value of the binned qubits that did not fit.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import { BitImages } from '../../../math/bit-images.ts';
import { GpuFaultError } from '../../errors.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { encodeKernel, gridOf, readMapped, ScratchBuffers } from './dispatch.ts';

const MAX_THREAD_QUBITS = 8;
/** log2 of the sums of a dispatch. */
const MAX_SLOT_BITS = 18;
/** log2 of the workgroups that keep any device busy. */
const BUSY_GROUP_BITS = 13;
/** log2 of the terms of an invocation that make it worth its start. */
const MIN_LOOP_BITS = 8;

/**
 * Holds a norm to being one: what is not a number would still be drawn from, and so would a state
 * that a device never wrote.
 *
 * @throws {GpuFaultError} unless it is finite and positive.
 */
export function assertNorm(norm: number): void {
  if (norm > 0 && Number.isFinite(norm)) return;
  throw new GpuFaultError(`the state has a norm of ${norm}`);
}

/** A qubit whose values have bins of their own. */
export interface BinnedQubit {
  readonly qubit: Qubit;
  /** What its 1 contributes to the bin's number; no two qubits share a bit. */
  readonly image: number;
}

interface MassesPlan {
  readonly threadQubits: number;
  /** Binned qubits of one dispatch; bit i of a slot is the i-th. */
  readonly binned: readonly BinnedQubit[];
  /** The others: a dispatch for each value. */
  readonly sliced: readonly BinnedQubit[];
  /** By bit of a workgroup's number [bit of the index, bit of the slot]. */
  readonly groupPlaces: readonly (readonly [number, number])[];
  /** By bit of an invocation's number, its bit of the slot. */
  readonly threadSlots: readonly number[];
  readonly loopQubits: readonly Qubit[];
  readonly slotBits: number;
}

function planMasses(
  numQubits: number,
  asked: readonly BinnedQubit[],
  groupBits: number,
): MassesPlan {
  const threadQubits = Math.min(MAX_THREAD_QUBITS, numQubits);
  const inThread = asked.filter(({ qubit }) => qubit < threadQubits);
  const beyond = asked.filter(({ qubit }) => qubit >= threadQubits);
  const numHigh = Math.min(beyond.length, MAX_SLOT_BITS - inThread.length);
  const high = beyond.slice(0, numHigh);
  const binned = [...inThread, ...high];
  const isBinned = new Set(asked.map(({ qubit }) => qubit));
  const summed: Qubit[] = [];
  for (let q = threadQubits; q < numQubits; q++) if (!isBinned.has(q)) summed.push(q);
  // As many parts of a bin as workgroups are missing: the host adds them up.
  const missing = Math.max(0, groupBits - high.length);
  const numParts = Math.max(
    0,
    Math.min(summed.length - MIN_LOOP_BITS, missing, MAX_SLOT_BITS - binned.length),
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

/**
 * Adds the mass of each basis state to the bin whose number is the OR of the images of its 1s.
 *
 * Sums of many terms are f32 trees on the device and doubles here.
 *
 * @param groupBits - log2 of the workgroups that keep the device busy, where sums can be split.
 */
export async function addMasses(
  context: GpuContext,
  state: GpuState,
  asked: readonly BinnedQubit[],
  bins: Float64Array,
  groupBits = BUSY_GROUP_BITS,
): Promise<void> {
  const plan = planMasses(state.numQubits, asked, groupBits);
  const { threadQubits, binned, sliced, groupPlaces, slotBits } = plan;
  const pipeline = await context.pipeline('add_masses', {
    THREAD_QUBITS: threadQubits,
    WORKGROUP_SIZE: 2 ** threadQubits,
  });
  const grid = gridOf(2 ** groupPlaces.length);
  const bytes = 4 * 2 ** slotBits;
  using scratch = new ScratchBuffers(context);
  const slots = await scratch.room('slots', bytes);
  const staging = await scratch.staging(bytes);
  const places = scratch.words('places', placesOf(plan));
  const params = scratch.params('params', paramsOf(plan, grid.rowLength));
  const imageOf = new BitImages(binned.map(({ image }) => image));
  const mask = 2 ** binned.length - 1;
  for (let slice = 0; slice < 2 ** sliced.length; slice++) {
    let base = 0;
    let sliceImage = 0;
    for (const [i, { qubit, image }] of sliced.entries()) {
      if (((slice >>> i) & 1) === 0) continue;
      base += 2 ** qubit;
      sliceImage |= image;
    }
    // The first word of the kernel's params.
    context.device.queue.writeBuffer(params, 0, Uint32Array.of(base));
    const encode = (encoder: GPUCommandEncoder) => {
      const buffers = [state.chunks[0]!, places, params, slots];
      encodeKernel(context, encoder, pipeline, buffers, grid);
      encoder.copyBufferToBuffer(slots, 0, staging, 0, bytes);
    };
    await readMapped(context, staging, bytes, encode, (mapped) => {
      const sums = new Float32Array(mapped);
      for (let i = 0; i < sums.length; i++) {
        bins[(imageOf.at(i & mask) | sliceImage) >>> 0]! += sums[i]!;
      }
    });
  }
}

function placesOf({ groupPlaces, threadSlots }: MassesPlan): Uint32Array<ArrayBuffer> {
  return Uint32Array.from([...groupPlaces.flat(), ...threadSlots]);
}

/** Keep the field order of `Params` in add_masses.wgsl. */
function paramsOf(plan: MassesPlan, rowLength: number): Uint32Array<ArrayBuffer> {
  const { groupPlaces, threadSlots, loopQubits } = plan;
  const loopMask = loopQubits.reduce((mask, qubit) => mask + 2 ** qubit, 0);
  const summedThreads = threadSlots.reduce((mask, slot, q) => mask + (slot === 0 ? 2 ** q : 0), 0);
  return Uint32Array.of(
    0,
    loopMask,
    2 ** loopQubits.length,
    summedThreads,
    2 ** groupPlaces.length,
    groupPlaces.length,
    rowLength,
    0,
  );
}
