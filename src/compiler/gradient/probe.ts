/**
 * Probes as operations of a circuit: barriers on their qubits at which sums are taken. What knows nothing of them keeps
 * operations on those qubits from moving across.
 */
import type { Operation, Qubit } from '../../circuit/circuit.ts';
import type { ProbeSums } from '../program.ts';

/** A probe on qubits of a circuit, of which `program.ts` says what it sums up. */
export interface Probe extends Extract<Operation, { readonly kind: 'barrier' }> {
  readonly targets: readonly Qubit[];
  readonly controls: readonly Qubit[];
  /** Absent where sums are taken from two states. */
  readonly ancilla: Qubit | undefined;
  readonly sums: ProbeSums;
  /** Action on each target, as of a block: what acts alike there may be applied before or after. */
  readonly actions: readonly number[];
}

/** Whether a barrier is a probe. */
export function isProbe(operation: Operation): operation is Probe {
  return 'ancilla' in operation;
}
