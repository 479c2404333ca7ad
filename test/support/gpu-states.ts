/** Random states on a GPU, and the same in plain arrays, for tests of readouts. */
import type { GpuContext } from '../../src/engine/webgpu/gpu-context.ts';
import type { GpuState } from '../../src/engine/webgpu/gpu-state.ts';
import type { RandomStream } from './random-stream.ts';

/** A program's state of `layout.length` qubits among its physical ones. */
export interface RandomGpuState {
  readonly state: GpuState;
  /** Logical qubit → physical qubit. */
  readonly layout: readonly number[];
  /** The state's amplitudes in physical order; interleaved re, im. */
  readonly amplitudes: Float64Array;
}

/** Options of `randomGpuState`. */
export interface RandomGpuStateOptions {
  readonly numQubits: number;
  /** Physical qubits beyond the program's, 0 throughout. */
  readonly numSpare?: number;
  readonly layout?: readonly number[];
  /** Fraction of the amplitudes that is 0; none by default. */
  readonly zeros?: number;
  /** Qubits of a chunk; one chunk by default. */
  readonly chunkQubits?: number;
}

/** A state that holds exactly these amplitudes, rounded to single precision; in one chunk by default. */
export async function storedState(
  context: GpuContext,
  amplitudes: Float64Array,
  chunkQubits = Math.log2(amplitudes.length / 2),
): Promise<GpuState> {
  const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
  const size = 2 * 2 ** chunkQubits;
  const chunks: GPUBuffer[] = [];
  for (let from = 0; from < amplitudes.length; from += size) {
    const chunk = await context.allocate('state', 4 * size, STORAGE | COPY_SRC | COPY_DST);
    const part = Float32Array.from(amplitudes.subarray(from, from + size));
    context.device.queue.writeBuffer(chunk, 0, part);
    chunks.push(chunk);
  }
  return { chunks, chunkQubits, numQubits: Math.log2(amplitudes.length / 2) };
}

/** The amplitudes of a state, in physical order. */
export async function storedAmplitudes(
  context: GpuContext,
  { chunks, chunkQubits, numQubits }: GpuState,
): Promise<Float64Array> {
  const amplitudes = new Float64Array(2 * 2 ** numQubits);
  for (const [i, chunk] of chunks.entries()) {
    amplitudes.set(
      new Float32Array(await context.read(chunk, chunk.size)),
      2 * i * 2 ** chunkQubits,
    );
  }
  return amplitudes;
}

/** A normalised state of random amplitudes, at random places unless a layout is given. */
export async function randomGpuState(
  context: GpuContext,
  random: RandomStream,
  { numQubits, numSpare = 0, layout, zeros = 0, chunkQubits }: RandomGpuStateOptions,
): Promise<RandomGpuState> {
  const width = numQubits + numSpare;
  const places = layout ?? random.distinct(numQubits, width);
  const amplitudes = new Float64Array(2 * 2 ** width);
  let norm = 0;
  for (let i = 0; i < 2 ** numQubits; i++) {
    if (random.uniform() < zeros) continue;
    const at = 2 * physicalIndex(i, places);
    amplitudes[at] = random.uniform() - 0.5;
    amplitudes[at + 1] = random.uniform() - 0.5;
    norm += amplitudes[at]! ** 2 + amplitudes[at + 1]! ** 2;
  }
  const rounded = amplitudes.map((part) => Math.fround(part / Math.sqrt(norm)));
  const state = await storedState(context, rounded, chunkQubits);
  return { state, layout: places, amplitudes: rounded };
}

/** Where a logical basis state is. */
export function physicalIndex(logical: number, layout: readonly number[]): number {
  return layout.reduce((index, place, q) => index + ((logical >>> q) & 1) * 2 ** place, 0);
}
