/** Writes an initial state on a GPU, and reads a final one: its amplitudes, and the distribution of the outcomes. */
import type { Qubit } from '../../../circuit/circuit.ts';
import { sumOfBits } from '../../../math/basis-index.ts';
import { BitImages } from '../../../math/bit-images.ts';
import { ENTRIES_PER_CHUNK, type InitialEntries } from '../../initial-entries.ts';
import type { TimeSlicer } from '../../time-slicer.ts';
import type { GpuContext } from '../gpu-context.ts';
import { AMPLITUDE_BYTES, type GpuState } from '../gpu-state.ts';
import { ScratchBuffers } from '../scratch-buffers.ts';
import { encodeKernel, gridOf, readMapped } from './dispatch.ts';
import { addMasses } from './masses.ts';

/** log2 of the amplitudes that are read back at a time: 4 MiB. */
const SLICE_QUBITS = 19;
const WORKGROUP_SIZE = 256;

/**
 * The amplitudes in logical order.
 *
 * @param layout - Logical qubit → physical qubit. Amplitudes in which another physical qubit is 1
 *   are left out.
 * @returns Interleaved re, im; length 2·2^layout.length.
 */
export async function logicalAmplitudes(
  context: GpuContext,
  state: GpuState,
  layout: readonly Qubit[],
): Promise<Float64Array> {
  const out = new Float64Array(2 * 2 ** layout.length);
  await copyAmplitudes(context, state, logicalImages(layout, state.numQubits), 0, out);
  return out;
}

/**
 * For each physical qubit, what its 1 adds to the logical index; undefined if it is no logical
 * qubit.
 */
export function logicalImages(
  layout: readonly Qubit[],
  numQubits: number,
): readonly (number | undefined)[] {
  // Numbers instead of bit masks: a logical index may have more than 32 bits.
  const images = new Array<number | undefined>(numQubits).fill(undefined);
  for (const [q, physical] of layout.entries()) images[physical] = 2 ** q;
  return images;
}

/**
 * Copies amplitudes into logical order.
 *
 * @param images - For each qubit of the state, what its 1 adds to the logical index; amplitudes in
 *   which a qubit without an image is 1 are left out.
 * @param first - Logical index of the first amplitude.
 * @param out - Interleaved re, im.
 */
export async function copyAmplitudes(
  context: GpuContext,
  state: GpuState,
  images: readonly (number | undefined)[],
  first: number,
  out: Float64Array,
): Promise<void> {
  const { chunks, chunkQubits } = state;
  const inSlice = Math.min(chunkQubits, SLICE_QUBITS);
  const sliceSize = 2 ** inSlice;
  const offsets = offsetsOf(images.slice(0, inSlice));
  const bytes = AMPLITUDE_BYTES * sliceSize;
  using scratch = new ScratchBuffers(context);
  const staging = await scratch.staging(bytes);
  for (let number = 0; number < 2 ** (state.numQubits - inSlice); number++) {
    const above = baseOf(images.slice(inSlice), number);
    if (above === undefined) continue;
    const base = first + above;
    const from = number * sliceSize;
    const chunk = chunks[Math.floor(from / 2 ** chunkQubits)]!;
    const start = AMPLITUDE_BYTES * (from % 2 ** chunkQubits);
    const encode = (encoder: GPUCommandEncoder) =>
      encoder.copyBufferToBuffer(chunk, start, staging, 0, bytes);
    await readMapped(context, staging, bytes, encode, (mapped) => {
      const reals = new Float32Array(mapped);
      for (let i = 0; i < sliceSize; i++) {
        const offset = offsets[i]!;
        if (offset < 0) continue;
        out[2 * (base + offset)] = reals[2 * i]!;
        out[2 * (base + offset) + 1] = reals[2 * i + 1]!;
      }
    });
  }
}

/**
 * Writes the amplitudes of a cleared state.
 *
 * @param first - Physical basis index of the first amplitude of this device.
 */
export async function writeAmplitudes(
  context: GpuContext,
  { chunks, chunkQubits, numQubits }: GpuState,
  first: number,
  entries: InitialEntries,
  slicer: TimeSlicer,
): Promise<void> {
  // Devices beyond the first have nothing of a state that is narrower than a device.
  const count = Math.max(0, Math.min(2 ** numQubits, 2 ** entries.numQubits - first));
  const inSlice = Math.min(ENTRIES_PER_CHUNK, 2 ** chunkQubits, count);
  // The queue writes after all work that was submitted, and so that must include the clearing.
  context.flush();
  const numbers = new Float64Array(2 * inSlice);
  const slice = new Float32Array(2 * inSlice);
  for (let from = 0; from < count; from += inSlice) {
    entries.fill(first + from, numbers);
    slice.set(numbers);
    const chunk = chunks[Math.floor(from / 2 ** chunkQubits)]!;
    const at = AMPLITUDE_BYTES * (from % 2 ** chunkQubits);
    context.device.queue.writeBuffer(chunk, at, slice);
    if (slicer.spend(slice.length)) await slicer.pause();
  }
}

/** Physical basis indices of logical ones. */
export function physicalIndices(
  basisIndices: readonly number[],
  layout: readonly Qubit[],
): readonly number[] {
  const images = layout.map((qubit) => 2 ** qubit);
  return basisIndices.map((index) => sumOfBits(index, images));
}

/**
 * The amplitudes at a list of physical basis indices, in its order.
 *
 * @returns Interleaved re, im.
 */
export async function chosenAmplitudes(
  context: GpuContext,
  { chunks, chunkQubits }: GpuState,
  indices: readonly number[],
): Promise<Float64Array> {
  const bytes = AMPLITUDE_BYTES * indices.length;
  let out = new Float64Array();
  if (bytes === 0) return out;
  using scratch = new ScratchBuffers(context);
  const staging = await scratch.staging(bytes);
  const encode = (encoder: GPUCommandEncoder) => {
    for (const [i, index] of indices.entries()) {
      const chunk = chunks[Math.floor(index / 2 ** chunkQubits)]!;
      const start = AMPLITUDE_BYTES * (index % 2 ** chunkQubits);
      encoder.copyBufferToBuffer(chunk, start, staging, AMPLITUDE_BYTES * i, AMPLITUDE_BYTES);
    }
  };
  await readMapped(context, staging, bytes, encode, (mapped) => {
    out = Float64Array.from(new Float32Array(mapped, 0, 2 * indices.length));
  });
  return out;
}

/**
 * The amplitudes at logical basis indices, for all numbers that `indexOf` maps.
 *
 * @param layout - Logical qubit → physical qubit; at most 32.
 * @param indexOf - Number → logical basis index, but for the bits of `flips`, which are the other way round.
 * @returns Interleaved re, im.
 */
export async function amplitudesAt(
  context: GpuContext,
  { chunks, chunkQubits }: GpuState,
  layout: readonly Qubit[],
  indexOf: BitImages,
  flips: number,
): Promise<Float64Array> {
  const pipeline = await context.pipeline('gather_amplitudes', { WORKGROUP_SIZE });
  const physical = new BitImages(layout.map((qubit) => 2 ** qubit));
  const images = indexOf.images.map((index) => physical.at(index));
  const count = 2 ** images.length;
  const grid = gridOf(Math.ceil(count / WORKGROUP_SIZE));
  const bytes = 8 * count;
  using scratch = new ScratchBuffers(context);
  const gathered = await scratch.room('amplitudes', bytes);
  const staging = await scratch.staging(bytes);
  const words = await scratch.words('images', Uint32Array.from(images));
  const params = await scratch.params(
    'params',
    // Keep the field order of `Params` in gather_amplitudes.wgsl.
    chunks.map((_, chunk) => {
      return [images.length, physical.at(flips), chunk, chunkQubits, grid.rowLength];
    }),
  );
  const encode = (encoder: GPUCommandEncoder) => {
    for (const [i, chunk] of chunks.entries()) {
      encodeKernel(context, encoder, pipeline, [chunk, words, params[i], gathered], grid);
    }
    encoder.copyBufferToBuffer(gathered, 0, staging, 0, bytes);
  };
  let out = new Float64Array();
  await readMapped(context, staging, bytes, encode, (mapped) => {
    out = Float64Array.from(new Float32Array(mapped, 0, 2 * count));
  });
  return out;
}

/** For each index, the sum of its bits' images; −1 if a bit without an image is 1. */
function offsetsOf(images: readonly (number | undefined)[]): Float64Array {
  const offsets = new Float64Array(2 ** images.length);
  for (const [bit, image] of images.entries()) {
    const half = 2 ** bit;
    for (let i = 0; i < half; i++) {
      offsets[half + i] = image === undefined || offsets[i]! < 0 ? -1 : offsets[i]! + image;
    }
  }
  return offsets;
}

/** Sum of the images of a number's bits; undefined if a bit without an image is 1. */
export function baseOf(
  images: readonly (number | undefined)[],
  number: number,
): number | undefined {
  let base = 0;
  for (const [bit, image] of images.entries()) {
    if (((number >>> bit) & 1) === 0) continue;
    if (image === undefined) return undefined;
    base += image;
  }
  return base;
}

/**
 * The distribution of the classical register.
 *
 * @param layout - Logical qubit → physical qubit.
 * @param outcomeOf - Physical basis index → value of the register.
 * @returns Length 2^numBits.
 */
export async function outcomeProbabilities(
  context: GpuContext,
  state: GpuState,
  layout: readonly Qubit[],
  outcomeOf: BitImages,
  numBits: number,
): Promise<Float64Array> {
  const out = new Float64Array(2 ** numBits);
  const binned = layout
    .map((qubit) => ({ qubit, image: outcomeOf.images[qubit] ?? 0 }))
    .filter(({ image }) => image !== 0);
  await addMasses(context, state, binned, out);
  return out;
}
