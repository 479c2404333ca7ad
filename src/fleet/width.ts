/**
 * Small circuits and wide ones. A small circuit runs on one thread, many at a time: its state lies
 * in a core's cache and a gate takes microseconds, so threads are better given circuits than shares
 * of one. A wide one runs on all threads at once, for somebody waits seconds for it, and one at a
 * time, for its state may take most of the memory. At 17 qubits a layer of gates takes half a
 * millisecond on one thread.
 */

/** Which engines run a circuit. */
export type Width = 'small' | 'wide';

/** All widths. */
export const WIDTHS: readonly Width[] = ['small', 'wide'];

/** The widest small circuit where memory is plenty. */
export const MAX_SMALL_QUBITS = 17;

/** Engines of a kind: the CPU's for a width, one adapter, several that hold a state together. */
export type LaneId = Width | `adapter-${number}` | `spread-${number}`;
