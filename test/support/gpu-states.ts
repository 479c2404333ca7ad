/** Random states in a GPU's buffer, and the same in plain arrays, for tests of what reads them. */
import type { GpuContext } from '../../src/engine/webgpu/gpu-context.ts';
import type { GpuState } from '../../src/engine/webgpu/gpu-state.ts';
import type { RandomStream } from './random-stream.ts';

/** A program's state of `layout.length` qubits among the physical ones of a buffer. */
export interface RandomGpuState {
  readonly state: GpuState;
  /** Logical qubit → physical qubit. */
  readonly layout: readonly number[];
  /** What the buffer holds, in physical order; interleaved re, im. */
  readonly amplitudes: Float64Array;
}

/** How amplitudes are chosen. */
export interface RandomGpuStateOptions {
  readonly numQubits: number;
  /** Physical qubits beyond the program's, 0 throughout. */
  readonly numSpare?: number;
  readonly layout?: readonly number[];
  /** Which part of the amplitudes is 0; none by default. */
  readonly zeros?: number;
}

/** A state in a buffer that holds exactly these amplitudes, rounded to single precision. */
export async function storedState(
  context: GpuContext,
  amplitudes: Float64Array,
): Promise<RandomGpuState['state']> {
  const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
  const bytes = 4 * amplitudes.length;
  const buffer = await context.allocate('state', bytes, STORAGE | COPY_SRC | COPY_DST);
  context.device.queue.writeBuffer(buffer, 0, Float32Array.from(amplitudes));
  return { buffer, numQubits: Math.log2(amplitudes.length / 2) };
}

/** The amplitudes of a buffer, in physical order. */
export async function storedAmplitudes(
  context: GpuContext,
  { buffer }: GpuState,
): Promise<Float64Array> {
  return Float64Array.from(new Float32Array(await context.read(buffer, buffer.size)));
}

/** A normalised state of random amplitudes, at random places unless a layout is given. */
export async function randomGpuState(
  context: GpuContext,
  random: RandomStream,
  { numQubits, numSpare = 0, layout, zeros = 0 }: RandomGpuStateOptions,
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
  return { state: await storedState(context, rounded), layout: places, amplitudes: rounded };
}

/** Where a logical basis state is. */
export function physicalIndex(logical: number, layout: readonly number[]): number {
  return layout.reduce((index, place, q) => index + ((logical >>> q) & 1) * 2 ** place, 0);
}
