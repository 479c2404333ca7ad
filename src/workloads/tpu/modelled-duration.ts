/**
 * Modelled duration of a job on its slice: the floating-point operations of its circuits over the slice's
 * effective rate, plus a start-up time.
 *
 * A state-vector simulation is bound by memory, not by arithmetic: a gate on one qubit does 14 operations
 * for each 16 bytes that it reads and writes. So the assumed fraction of the peak is small. Both
 * constants are assumptions; nothing was timed, and every answer states them.
 */
import type { SliceShape } from './slice-request.ts';
import { TPU_CHIPS } from './tpu-zones.ts';

/** Fraction of a chip's bf16 peak that circuits are assumed to reach. */
export const ASSUMED_UTILISATION = 0.004;

/** Assumed time to start a job on a slice, milliseconds. */
export const ASSUMED_DISPATCH_MS = 5;

/** A duration and its basis. */
export interface ModelledDuration {
  /** Milliseconds. */
  readonly ms: number;
  readonly basis: 'modelled';
  readonly how: string;
}

/** Time that a number of floating-point operations would take on a slice, milliseconds. */
export function modelledMs(
  flops: number,
  { chips, tpuType }: Pick<SliceShape, 'chips' | 'tpuType'>,
): number {
  const flopsPerMs = chips * TPU_CHIPS[tpuType].bf16Tflops * 1e9 * ASSUMED_UTILISATION;
  return ASSUMED_DISPATCH_MS + flops / flopsPerMs;
}

/** Modelled duration with its basis. */
export function modelledDuration(
  flops: number,
  slice: Pick<SliceShape, 'chips' | 'tpuType'>,
): ModelledDuration {
  const { chips, tpuType } = slice;
  const { bf16Tflops } = TPU_CHIPS[tpuType];
  const how = `${ASSUMED_DISPATCH_MS} ms to start, and the job's ${flops} counted floating-point operations at ${chips} × ${bf16Tflops} TFLOP/s (bf16 peak of ${tpuType}) × ${ASSUMED_UTILISATION} (assumed utilisation). Nothing was timed on such a chip.`;
  return { ms: modelledMs(flops, slice), basis: 'modelled', how };
}
