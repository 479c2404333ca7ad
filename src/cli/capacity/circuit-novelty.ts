/**
 * What is taken of circuits of a simulated fleet: each is new and compiled before it runs, or each has been
 * run before and its worker has kept what it compiled. A service's circuits are between the two.
 */
export const CIRCUIT_NOVELTIES = ['new', 'kept'] as const;

/** One of them. */
export type CircuitNovelty = (typeof CIRCUIT_NOVELTIES)[number];
