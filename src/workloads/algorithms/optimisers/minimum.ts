/** What every search for a minimum ends with. */

/** Why it ended. */
export type StopReason = 'gradient_below_tolerance' | 'no_progress' | 'steps_used_up';

/** Where it ended: the lowest point seen, or the last one where values are estimates. */
export interface Minimum {
  readonly point: Float64Array;
  readonly value: number;
  /** Largest component of the gradient there. */
  readonly gradientSize: number;
  readonly stoppedBecause: StopReason;
}

/** Called with the value at each point that a step came to, the start first. */
export type OnStep = (step: number, value: number) => void;

/** The largest size of a component. */
export function largestSize(vector: Float64Array): number {
  let size = 0;
  for (const part of vector) size = Math.max(size, Math.abs(part));
  return size;
}
