/**
 * How long a job would take on its slice, by a model: the floating-point operations of its circuits
 * over what the slice would do a second, and a start.
 *
 * A state vector is bound by memory, not by arithmetic: a gate on one qubit does 14 operations for
 * each 16 bytes that it reads and writes. So the part of the peak that is reckoned with is small. Both
 * constants are assumptions, nothing was timed; they are named in every answer.
 */
import type { SliceShape } from './slice-request.ts';
import { TPU_CHIPS } from './tpu-zones.ts';

/** Part of a chip's bf16 peak that circuits are assumed to reach. */
export const ASSUMED_UTILISATION = 0.004;

/** Milliseconds that starting a job on a slice is assumed to take. */
export const ASSUMED_DISPATCH_MS = 5;

/** A duration, and how it came about. */
export interface ModelledDuration {
  /** Milliseconds. */
  readonly ms: number;
  readonly basis: 'modelled';
  readonly how: string;
}

/** Milliseconds that so many floating-point operations would take on that slice. */
export function modelledMs(
  flops: number,
  { chips, tpuType }: Pick<SliceShape, 'chips' | 'tpuType'>,
): number {
  const flopsPerMs = chips * TPU_CHIPS[tpuType].bf16Tflops * 1e9 * ASSUMED_UTILISATION;
  return ASSUMED_DISPATCH_MS + flops / flopsPerMs;
}

/** The same with its basis. */
export function modelledDuration(
  flops: number,
  slice: Pick<SliceShape, 'chips' | 'tpuType'>,
): ModelledDuration {
  const { chips, tpuType } = slice;
  const { bf16Tflops } = TPU_CHIPS[tpuType];
  const how = `${ASSUMED_DISPATCH_MS} ms to start, and the job's ${flops} counted floating-point operations at ${chips} × ${bf16Tflops} TFLOP/s (bf16 peak of ${tpuType}) × ${ASSUMED_UTILISATION} (assumed utilisation). Nothing was timed on such a chip.`;
  return { ms: modelledMs(flops, slice), basis: 'modelled', how };
}
