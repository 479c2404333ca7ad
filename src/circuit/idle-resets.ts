/**
 * Removes resets of qubits that are still |0⟩.
 *
 * Programs often begin with a reset of every qubit. Such a reset would make the run branch into shots,
 * without one final state to return.
 *
 * Readers of circuits without noise remove it, so that all users of a circuit agree on its needs. Other readers
 * keep it, because a noise model may warm a qubit that waits: users of their circuits remove idle resets once the noise
 * is in.
 */
import {
  allOperations,
  type Circuit,
  type DynamicCircuit,
  type DynamicOperation,
  type GateOperation,
  isLoop,
  operationQubits,
  type Qubit,
  type UnitaryOperation,
} from './circuit.ts';
import { gateNamed } from './gates.ts';

/**
 * Returns the circuit without resets of qubits that are certainly |0⟩.
 *
 * No numbers are computed: a gate under a control that is |0⟩ does nothing, a diagonal gate leaves |0⟩ alone,
 * a SWAP exchanges the known values, a reset makes |0⟩. Resets inside loops are kept.
 */
export function withoutIdleResets(circuit: Circuit): Circuit;
export function withoutIdleResets(circuit: DynamicCircuit): DynamicCircuit;
export function withoutIdleResets(circuit: DynamicCircuit): DynamicCircuit {
  const { numQubits, operations } = circuit;
  if (operations.every(({ kind }) => kind !== 'reset')) return circuit;
  /** Whether each qubit may be other than |0⟩. */
  const isDirty = new Array<boolean>(numQubits).fill(false);
  const kept: DynamicOperation[] = [];
  for (const operation of operations) {
    if (operation.kind !== 'reset') {
      track(operation, isDirty);
      kept.push(operation);
      continue;
    }
    const dirty = operation.qubits.filter((qubit) => isDirty[qubit]);
    if (dirty.length > 0) kept.push({ ...operation, qubits: dirty });
    if (operation.condition === undefined) for (const qubit of dirty) isDirty[qubit] = false;
  }
  return { ...circuit, operations: kept };
}

/** Returns the circuit without its delays. */
export function withoutDelays(circuit: DynamicCircuit): DynamicCircuit {
  const operations = undelayed(circuit.operations);
  return operations === circuit.operations ? circuit : { ...circuit, operations };
}

function undelayed(operations: readonly DynamicOperation[]): readonly DynamicOperation[] {
  const has = (operation: DynamicOperation): boolean =>
    isLoop(operation) ? operation.body.some(has) : isDelay(operation);
  if (!operations.some(has)) return operations;
  return operations
    .filter((operation) => !isDelay(operation))
    .map((operation) =>
      isLoop(operation) ? { ...operation, body: undelayed(operation.body) } : operation,
    );
}

const isDelay = (operation: DynamicOperation): boolean =>
  operation.kind === 'barrier' && operation.duration !== undefined;

function track(operation: Exclude<DynamicOperation, { kind: 'reset' }>, isDirty: boolean[]): void {
  switch (operation.kind) {
    case 'gate':
    case 'unitary':
      trackGate(operation, isDirty);
      return;
    case 'while':
    case 'repeat':
      // A qubit that one round changes is changed before the next round.
      for (const inner of allOperations(operation.body)) {
        if (inner.kind === 'assign' || inner.kind === 'misread') continue;
        for (const qubit of operationQubits(inner)) isDirty[qubit] = true;
      }
      return;
    case 'initialize':
    case 'noise':
      for (const qubit of operation.qubits) isDirty[qubit] = true;
      return;
    case 'save':
    case 'measure':
    case 'barrier':
    case 'assign':
    case 'misread':
    case 'track':
      return;
  }
}

function trackGate(operation: GateOperation | UnitaryOperation, isDirty: boolean[]): void {
  const { controls, targets, condition } = operation;
  if (controls.some((qubit) => !isDirty[qubit])) return;
  if (operation.kind === 'gate') {
    const { name, traits } = gateNamed(operation.gate);
    if (traits.includes('diagonal')) return;
    if (name === 'SWAP' && controls.length === 0 && condition === undefined) {
      const [a, b] = targets as [Qubit, Qubit];
      [isDirty[a], isDirty[b]] = [isDirty[b]!, isDirty[a]!];
      return;
    }
  }
  for (const qubit of operationQubits(operation)) isDirty[qubit] = true;
}
