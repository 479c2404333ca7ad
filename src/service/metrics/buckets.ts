/** Histogram buckets for durations. */

/** Seconds, from the shortest engine run to a circuit that takes a minute. */
export const DURATION_BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];
