/** Stabilizers as a method: what a circuit would need by it, before anything runs. */
import type { DynamicCircuit } from '../circuit/circuit.ts';
import { findNotClifford } from '../compiler/clifford/compile-stabilizer.ts';
import { roundedSize } from './method-limits.ts';
import type { MethodFigures } from './schedule/scheduled-run.ts';

/** Bytes of a tableau with its transpose, divided by the square of the qubits. */
const TABLEAU_BYTES = 1;

/** Bytes of a tableau. */
export const tableauBytes = (numQubits: number): number => TABLEAU_BYTES * numQubits ** 2;

/** Qubits of the widest tableau that fits. */
export const maxTableauQubits = (bytes: number): number =>
  Math.floor(Math.sqrt(bytes / TABLEAU_BYTES));

/** Needs of a Clifford circuit on stabilizers. */
export interface StabilizerNeeds {
  readonly figures: MethodFigures;
  /** Memory of the tableau: `976 KiB`. */
  readonly size: string;
}
