/**
 * Run times on hardware that is not there: a model, and to be called one wherever its figures are shown.
 *
 *     fixed + sweeps · 2 · bytes of the state / bandwidth + flops / rate
 *
 * A sweep reads and writes the whole state once; arithmetic is counted as though nothing of it overlapped
 * with memory, which it does, so times are rather too long.
 */
import { AMPLITUDE_BYTES } from '../../../src/fleet/memory-shares.ts';

/** A processor of circuits as far as its speed goes. */
export interface Hardware {
  readonly name: string;
  /** Read plus written, of its memory. */
  readonly bytesPerSecond: number;
  /** Single precision. */
  readonly flopsPerSecond: number;
  /** Overhead of every run beside its circuit: submitting, waiting and reading back, milliseconds. */
  readonly fixedMs: number;
}

/** Demand of a circuit on the hardware, single precision. */
export interface CircuitShape {
  readonly numQubits: number;
  /** Trips of the state through memory, for reading results too. */
  readonly numSweeps: number;
  /** Over all gates. */
  readonly flopsPerAmplitude: number;
}

/**
 * An NVIDIA H200: about 4.3 TB/s read plus written in a copy on the device, about 60 TFLOP/s. The fixed
 * part is a guess.
 */
export const H200: Hardware = {
  name: 'NVIDIA H200',
  bytesPerSecond: 4.3e12,
  flopsPerSecond: 60e12,
  fixedMs: 0.2,
};

/** For states on an H200 of 141 GB, less what the engine keeps for itself. */
export const H200_MEMORY_BYTES = 138e9;

/** A 2×2 matrix times a pair of complex amplitudes: 14 an amplitude, and some for indices. */
export const FLOPS_OF_A_GATE = 17;

/** Milliseconds of one run. */
export function modelledMs(
  { bytesPerSecond, flopsPerSecond, fixedMs }: Hardware,
  { numQubits, numSweeps, flopsPerAmplitude }: CircuitShape,
): number {
  const amplitudes = 2 ** numQubits;
  const memory = (numSweeps * 2 * AMPLITUDE_BYTES.f32 * amplitudes) / bytesPerSecond;
  const arithmetic = (flopsPerAmplitude * amplitudes) / flopsPerSecond;
  return fixedMs + 1000 * (memory + arithmetic);
}
