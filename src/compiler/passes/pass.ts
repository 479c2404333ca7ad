/**
 * What a pass is: operations in, operations out, and nothing else looked at.
 *
 * A program always starts in |0…0⟩, so a pass keeps the state that the circuit makes of that, not
 * the circuit's unitary; those that keep the unitary say so. All keep the joint distribution of the
 * classical bits, with measurements, resets and conditions wherever they are. None adds operations
 * and none moves anything across a barrier.
 */
import type { Circuit } from '../../circuit/circuit.ts';

/** What a run will be asked for, as far as a pass may use it. */
export interface Requested {
  /**
   * Whether the state before the trailing measurements matters, its global phase included; without
   * it only the distribution of the classical bits does.
   */
  readonly keepState: boolean;
  /**
   * Whether the circuit begins in |0…0⟩ with all bits 0. A piece of a circuit with loops, or one after
   * an assignment, may begin in any state. It does unless this is false.
   */
  readonly startsFresh?: boolean;
}

/** One rewriting of a circuit. */
export interface Pass {
  /** Kebab-case, as reports show it. */
  readonly name: string;
  run(circuit: Circuit, requested: Requested): Circuit;
}

/** What a pass did, counted in gates, unitaries, measurements and resets. */
export interface PassReport {
  readonly name: string;
  readonly operationsBefore: number;
  readonly operationsAfter: number;
}
