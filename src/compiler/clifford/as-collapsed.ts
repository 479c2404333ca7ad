/**
 * The circuit whose reference sample is Stim's: a random outcome there is that of eigenvalue +1 of the operator that an
 * instruction measures or resets, one operator after the other.
 *
 * The order of these operators decides all outcomes. It is that of the targets for Z, and of ascending qubits for X and
 * Y. A reset measures in its own basis, and `!` inverts an outcome that is already there.
 */
import {
  type DynamicCircuit,
  type DynamicOperation,
  isLoop,
  type MeasureOperation,
  type ResetOperation,
} from '../../circuit/circuit.ts';
import { FROM_Z, TO_Z } from '../../circuit/stim/pauli-string.ts';

/** The circuit with measurements and resets as Stim collapses qubits; its outcomes have the same distribution. */
export const asCollapsed = (circuit: DynamicCircuit): DynamicCircuit => ({
  ...circuit,
  operations: collapses(circuit.operations),
});

function collapses(operations: readonly DynamicOperation[]): readonly DynamicOperation[] {
  const collapsed: DynamicOperation[] = [];
  for (const [i, operation] of operations.entries()) {
    if (isLoop(operation)) collapsed.push({ ...operation, body: collapses(operation.body) });
    else if (operation.kind === 'reset') {
      const turns = turnsBack(operations, i + 1);
      collapsed.push(...turns, turns.length === 0 ? operation : ascending(operation));
    } else if (operation.kind === 'measure') {
      let at = collapsed.length;
      while (at > 0 && isOpening(collapsed[at - 1]!, 'X')) at--;
      const before = collapsed[at - 1];
      const isTurned =
        before !== undefined && [TO_Z.X, TO_Z.Y].some((gate) => isOpening(before, gate));
      const measure = isTurned ? ascending(operation) : operation;
      if (at < collapsed.length) collapsed.splice(at, 0, measure);
      collapsed.push(measure);
    } else collapsed.push(operation);
  }
  return collapsed;
}

const isOpening = (operation: DynamicOperation, gate: string): boolean =>
  operation.kind === 'gate' && operation.role === 'opening' && operation.gate === gate;

/** The inverses of the gates from `from` on by which a reset prepares an eigenstate of X or Y. */
function turnsBack(operations: readonly DynamicOperation[], from: number): DynamicOperation[] {
  const turns: DynamicOperation[] = [];
  for (let i = from; i < operations.length; i++) {
    const operation = operations[i]!;
    if (operation.kind !== 'gate' || operation.role !== 'closing') break;
    turns.push({ ...operation, gate: operation.gate === FROM_Z.X ? TO_Z.X : TO_Z.Y });
  }
  return turns;
}

function ascending<Operation extends MeasureOperation | ResetOperation>(
  operation: Operation,
): Operation {
  const order = operation.qubits
    .map((_, i) => i)
    .sort((a, b) => operation.qubits[a]! - operation.qubits[b]!);
  const sorted = <T>(values: readonly T[]) => order.map((i) => values[i]!);
  const qubits = sorted(operation.qubits);
  return operation.kind === 'measure'
    ? { ...operation, qubits, bits: sorted(operation.bits) }
    : { ...operation, qubits };
}
