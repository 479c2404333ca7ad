/**
 * Removes resets of qubits that are still |0⟩.
 *
 * Programs often begin with a reset of every qubit. Such a reset would make the run branch into shots,
 * without one final state to return. Readers of circuits remove it, so that all users of a circuit agree
 * on what it needs.
 */
import {
  allOperations,
  type Circuit,
  type DynamicCircuit,
  type DynamicOperation,
  type GateOperation,
  operationQubits,
  type Qubit,
  type UnitaryOperation,
} from './circuit.ts';
import { gateNamed } from './gates.ts';

/**
 * Returns the circuit without resets of qubits that are certainly |0⟩.
 *
 * No numbers are computed: a gate under a control that is |0⟩ does nothing, a diagonal gate leaves |0⟩
 * alone, a SWAP exchanges what is known, a reset makes |0⟩. Resets inside loops are kept.
 */
export function withoutIdleResets(circuit: Circuit): Circuit;
export function withoutIdleResets(circuit: DynamicCircuit): DynamicCircuit;
export function withoutIdleResets(circuit: DynamicCircuit): DynamicCircuit {
  const { numQubits, operations } = circuit;
  if (operations.every(({ kind }) => kind !== 'reset')) return circuit;
  /** Whether each qubit may be other than |0⟩. */
  const isTurned = new Array<boolean>(numQubits).fill(false);
  const kept: DynamicOperation[] = [];
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

function note(operation: Exclude<DynamicOperation, { kind: 'reset' }>, isTurned: boolean[]): void {
  switch (operation.kind) {
    case 'gate':
    case 'unitary':
      noteGate(operation, isTurned);
      return;
    case 'while':
      // A qubit that one round changes is changed before the next round.
      for (const inner of allOperations(operation.body)) {
        if (inner.kind === 'assign') continue;
        for (const qubit of operationQubits(inner)) isTurned[qubit] = true;
      }
      return;
    case 'measure':
    case 'barrier':
    case 'assign':
      return;
  }
}

function noteGate(operation: GateOperation | UnitaryOperation, isTurned: boolean[]): void {
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
