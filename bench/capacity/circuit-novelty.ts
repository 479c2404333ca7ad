/**
 * Assumption about the circuits of a simulated fleet. `new`: each circuit is compiled before it runs. `kept`:
 * each has run before, and its worker kept the compiled circuit. Real loads lie between the two.
 */
export const CIRCUIT_NOVELTIES = ['new', 'kept'] as const;

/** One of CIRCUIT_NOVELTIES. */
export type CircuitNovelty = (typeof CIRCUIT_NOVELTIES)[number];
