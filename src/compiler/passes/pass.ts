/**
 * Interface of a pass, which rewrites a circuit and depends on nothing else.
 *
 * A program always starts in |0…0⟩, so a pass keeps the state that the circuit makes from it, not the
 * unitary; passes that keep the unitary say so. All passes keep the joint distribution of the classical bits,
 * with measurements, resets and conditions anywhere. No pass adds operations or moves anything across a
 * barrier.
 */
import type { Circuit } from '../../circuit/circuit.ts';

/** Results that the run needs, as far as passes may use them. */
export interface Requested {
  /**
   * Whether the state before the trailing measurements matters, including its global phase. Otherwise only
   * the distribution of the classical bits does.
   */
  readonly keepState: boolean;
  /**
   * Whether the circuit begins in |0…0⟩ with all bits 0; true by default. A part of a circuit with loops, or
   * one after an assignment, may begin in any state.
   */
  readonly startsFresh?: boolean;
}

/** One rewriting of a circuit. */
export interface Pass {
  /** In kebab-case, as in reports. */
  readonly name: string;
  run(circuit: Circuit, requested: Requested): Circuit;
}

/** Effect of a pass, counted in gates, unitaries, measurements and resets. */
export interface PassReport {
  readonly name: string;
  readonly operationsBefore: number;
  readonly operationsAfter: number;
}
