/**
 * Resets that do nothing, because their qubits are still |0⟩.
 *
 * Programs often begin with a reset of every qubit. Kept, it would make shots part ways, and the run
 * would have no final state to return. Readers of circuits drop such resets, so that all who are
 * handed a circuit agree on what it needs.
 */
import { type Circuit, type Operation, operationQubits, type Qubit } from './circuit.ts';
import { gateNamed } from './gates.ts';

/**
 * The circuit without the resets of qubits that no operation before them has turned.
 *
 * Only what is certain without numbers counts: a gate under a control that is |0⟩ does nothing, a
 * diagonal gate leaves |0⟩ alone, a SWAP exchanges what is known, a reset makes |0⟩.
 */
export function withoutIdleResets(circuit: Circuit): Circuit {
  const { numQubits, operations } = circuit;
  if (operations.every(({ kind }) => kind !== 'reset')) return circuit;
  /** Of each qubit whether it may be anything but |0⟩. */
  const isTurned = new Array<boolean>(numQubits).fill(false);
  const kept: Operation[] = [];
  for (const operation of operations) {
    if (operation.kind !== 'reset') {
      note(operation, isTurned);
      kept.push(operation);
      continue;
    }
    const turned = operation.qubits.filter((qubit) => isTurned[qubit]);
    if (turned.length > 0) kept.push({ ...operation, qubits: turned });
    if (operation.condition === undefined) for (const qubit of turned) isTurned[qubit] = false;
  }
  return { ...circuit, operations: kept };
}

function note(operation: Exclude<Operation, { kind: 'reset' }>, isTurned: boolean[]): void {
  if (operation.kind === 'measure' || operation.kind === 'barrier') return;
  const { controls, targets, condition } = operation;
  if (controls.some((qubit) => !isTurned[qubit])) return;
  if (operation.kind === 'gate') {
    const { name, traits } = gateNamed(operation.gate);
    if (traits.includes('diagonal')) return;
    if (name === 'SWAP' && controls.length === 0 && condition === undefined) {
      const [a, b] = targets as [Qubit, Qubit];
      [isTurned[a], isTurned[b]] = [isTurned[b]!, isTurned[a]!];
      return;
    }
  }
  for (const qubit of operationQubits(operation)) isTurned[qubit] = true;
}
