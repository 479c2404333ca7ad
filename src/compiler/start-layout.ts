/** Layouts of states that do not begin as |0…0⟩, which is the same in all layouts. */
import type { Qubit } from '../circuit/circuit.ts';
import type { Wire } from './block.ts';

/** Where the wires are before the first step. */
export interface StartLayout {
  /** Place of each wire. */
  readonly placeOf: readonly Qubit[];
  /** A wire that keeps its place, which is above the lowest ones; nothing but probes acts on it. */
  readonly pinned: Wire | undefined;
  /** Whether every wire is back in its place after the last step; false if absent. */
  readonly returns?: boolean;
}
