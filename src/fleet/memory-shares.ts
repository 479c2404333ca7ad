/** Shares of the memory for states: engines for small circuits and the engine for wide ones. */
import { MAX_CPU_QUBITS } from '../engine/cpu/hosted-engine.ts';
import type { Precision } from './schedule/lane.ts';
import { MAX_SMALL_QUBITS } from './schedule/lane.ts';
import type { EngineOptions } from './workers/worker-messages.ts';

/** Bytes of one amplitude. */
export const AMPLITUDE_BYTES: Readonly<Record<Precision, number>> = { f32: 8, f64: 16 };

/** States that one run can hold: a run of 2^20 shots parks at most 20 branches (engine/shot-tree.ts). */
const STATES_OF_A_RUN = 22;
/** Largest part of the memory for all small engines together. */
const LARGEST_SMALL_PART = 1 / 4;
/** Qubits of the small self-test: the smallest engine has room for it. */
const MIN_SMALL_QUBITS = 8;

/** Engine options by size class. */
export interface EngineShares {
  /** Each of the `numThreads` engines for small circuits. */
  readonly small: EngineOptions;
  readonly wide: EngineOptions;
}

/**
 * Shares `memoryBytes` between one engine a thread for small circuits, each with room for all the
 * branches that a run can have, and one engine on all threads, which gets the rest.
 *
 * If memory is short, small circuits are narrower.
 */
export function shareMemory(memoryBytes: number, numThreads: number): EngineShares {
  const enough = STATES_OF_A_RUN * AMPLITUDE_BYTES.f64 * 2 ** MAX_SMALL_QUBITS;
  const smallBytes = Math.min(enough, (LARGEST_SMALL_PART * memoryBytes) / numThreads);
  const fitting = maxQubitsWithin(smallBytes / STATES_OF_A_RUN, 'f64', MAX_SMALL_QUBITS);
  const maxSmall = Math.max(MIN_SMALL_QUBITS, fitting);
  const wideBytes = memoryBytes - numThreads * smallBytes;
  return {
    small: {
      numThreads: 1,
      maxQubits: { f32: maxSmall, f64: maxSmall },
      memoryBytes: smallBytes,
    },
    wide: {
      numThreads,
      maxQubits: {
        f32: maxQubitsWithin(wideBytes, 'f32', MAX_CPU_QUBITS.f32),
        f64: maxQubitsWithin(wideBytes, 'f64', MAX_CPU_QUBITS.f64),
      },
      memoryBytes: wideBytes,
    },
  };
}

/** Enough for most circuits of a million gates. */
const LEAST_HEAP_MB = 2048;
/** Enough for the worst that was found: 1,000,000 gates with angles, half of them on two qubits, take 2,600. */
const MOST_HEAP_MB = 4096;

/**
 * JavaScript heap of an engine thread, MB: a share of the memory that is not for states, within bounds. A heap takes
 * only the memory that its circuits need.
 */
export function engineHeapMb(memoryBytes: number, numThreads: number): number {
  const share = Math.floor(memoryBytes / numThreads / 2 ** 20);
  return Math.min(MOST_HEAP_MB, Math.max(LEAST_HEAP_MB, share));
}

/**
 * The widest circuit whose amplitudes fit in the memory.
 *
 * @returns 0 to `cap`.
 */
export function maxQubitsWithin(bytes: number, precision: Precision, cap: number): number {
  const fits = Math.floor(Math.log2(bytes / AMPLITUDE_BYTES[precision]));
  return Math.max(0, Math.min(cap, fits));
}

/** Qubits of the widest state in single precision that fits; 0 where none does. */
export function qubitsWithin(bytes: number): number {
  // Shares are rounded: a sum of them that should be a power of two may be a little less.
  return Math.max(0, Math.floor(Math.log2(bytes / AMPLITUDE_BYTES.f32) + 1e-9));
}
