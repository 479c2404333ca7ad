/** The result of a minimiser. */

/** Reason why a minimiser stopped. */
export type StopReason = 'gradient_below_tolerance' | 'no_progress' | 'steps_used_up';

/** The lowest point found, or the last point if values are estimates. */
export interface Minimum {
  readonly point: Float64Array;
  readonly value: number;
  /** Largest component of the gradient there. */
  readonly gradientSize: number;
  readonly stoppedBecause: StopReason;
}

/** Called with the value after each step; step 0 is the start. */
export type OnStep = (step: number, value: number) => void;

/** Largest absolute value of a component. */
export function largestSize(vector: Float64Array): number {
  let size = 0;
  for (const part of vector) size = Math.max(size, Math.abs(part));
  return size;
}
