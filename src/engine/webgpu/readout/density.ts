/** Operations on a GPU that only density matrices need: reading entries by their indices, and mixing two states. */
import type { Qubit } from '../../../circuit/circuit.ts';
import { BitImages } from '../../../math/bit-images.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { ScratchBuffers } from '../scratch-buffers.ts';
import { encodeKernel, gridOf, MAX_VISITED, partsWithin, readMapped } from './dispatch.ts';

const WORKGROUP_SIZE = 256;

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

/** Makes a state (1 − share)·state + share·other. */
export async function mixStates(
  context: GpuContext,
  { chunks, chunkQubits }: GpuState,
  other: GpuState,
  share: number,
): Promise<void> {
  const pipeline = await context.pipeline('mix', { WORKGROUP_SIZE });
  const numPairs = 2 ** (chunkQubits - 1);
  const grid = gridOf(Math.ceil(numPairs / WORKGROUP_SIZE));
  using scratch = new ScratchBuffers(context);
  // Keep the field order of `Params` in mix.wgsl.
  const shareBits = new Uint32Array(Float32Array.of(share).buffer)[0]!;
  const [params] = await scratch.params('params', [[numPairs, grid.rowLength, shareBits]]);
  const each = { sizeOf: () => 2 ** chunkQubits, most: MAX_VISITED };
  for (const [i, part] of partsWithin([...chunks.entries()], [each]).entries()) {
    if (i > 0) await context.settle();
    context.enqueue((encoder) => {
      for (const [number, chunk] of part) {
        encodeKernel(context, encoder, pipeline, [chunk, other.chunks[number]!, params], grid);
      }
    });
  }
  // Nothing waits here: the next read of the state waits for this work, too.
  context.flush();
}
