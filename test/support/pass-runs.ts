/** Short ways to write circuits for passes and to run one. */
import type { Operation, Qubit } from '../../src/circuit/circuit.ts';
import type { Bit } from '../../src/circuit/classical-expression.ts';
import type { Pass, Requested } from '../../src/compiler/passes/pass.ts';

/** Operations on four qubits and four bits, rewritten by a pass. */
export function rewritten(
  pass: Pass,
  operations: readonly Operation[],
  requested: Requested = { keepState: true },
): readonly Operation[] {
  return pass.run({ numQubits: 4, numBits: 4, operations }, requested).operations;
}

export const measure = (qubits: readonly Qubit[], bits: readonly Bit[]): Operation => ({
  kind: 'measure',
  qubits,
  bits,
});
export const reset = (qubits: readonly Qubit[]): Operation => ({ kind: 'reset', qubits });
export const barrier = (qubits: readonly Qubit[]): Operation => ({ kind: 'barrier', qubits });

/** Under the condition that bit 0 reads a value. */
export function onlyIf<T extends Operation>(operation: T, value = 1): T {
  return { ...operation, condition: { bits: [0], value } };
}
