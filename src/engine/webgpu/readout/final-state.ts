/** What is read off a final state on a GPU and is as long as the state, or as its distribution. */
import type { Qubit } from '../../../circuit/circuit.ts';
import { BitImages } from '../../../math/bit-images.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { readMapped, ScratchBuffers } from './dispatch.ts';
import { addMasses } from './masses.ts';

/** Amplitudes are eight bytes: 4 MiB. */
const AMPLITUDES_PER_PIECE = 2 ** 19;

/**
 * The amplitudes in logical order.
 *
 * @param layout - Logical qubit → physical qubit; the amplitudes of other physical qubits' 1s are
 *   left out.
 * @returns Interleaved re, im; length 2·2^layout.length.
 */
export async function logicalAmplitudes(
  context: GpuContext,
  state: GpuState,
  layout: readonly Qubit[],
): Promise<Float64Array> {
  const out = new Float64Array(2 * 2 ** layout.length);
  const images = new Array<number>(state.numQubits).fill(0);
  for (const [q, physical] of layout.entries()) images[physical] = 2 ** q;
  const logicalOf = new BitImages(images);
  const known = layout.reduce((mask, physical) => mask + 2 ** physical, 0);
  const numAmplitudes = 2 ** state.numQubits;
  const piece = Math.min(numAmplitudes, AMPLITUDES_PER_PIECE);
  using scratch = new ScratchBuffers(context);
  const staging = await scratch.staging(8 * piece);
  for (let from = 0; from < numAmplitudes; from += piece) {
    const encode = (encoder: GPUCommandEncoder) =>
      encoder.copyBufferToBuffer(state.chunks[0]!, 8 * from, staging, 0, 8 * piece);
    await readMapped(context, staging, 8 * piece, encode, (mapped) => {
      const reals = new Float32Array(mapped);
      for (let i = 0; i < piece; i++) {
        if (((from + i) & ~known) !== 0) continue;
        const logical = logicalOf.at(from + i);
        out[2 * logical] = reals[2 * i]!;
        out[2 * logical + 1] = reals[2 * i + 1]!;
      }
    });
  }
  return out;
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
