/** Whether a circuit loses qubits, and the circuit that does not. */
import { allOperations, type DynamicCircuit, type DynamicOperation, isLoop } from '../circuit.ts';

/** Whether qubits of a circuit may be lost, or it asks whether they are. */
export function hasLoss({ operations }: Pick<DynamicCircuit, 'operations'>): boolean {
  return allOperations(operations).some(
    (operation) =>
      (operation.kind === 'noise' && operation.channel.kind === 'loss') ||
      (operation.kind === 'measure' && operation.readsLoss === true),
  );
}

/** The circuit where no qubit is ever lost; its other noise stays. */
export function withoutLoss(circuit: DynamicCircuit): DynamicCircuit {
  if (!hasLoss(circuit)) return circuit;
  const kept = (operations: readonly DynamicOperation[]): readonly DynamicOperation[] =>
    operations.flatMap((operation): readonly DynamicOperation[] => {
      if (isLoop(operation)) return [{ ...operation, body: kept(operation.body) }];
      const isLoss = operation.kind === 'noise' && operation.channel.kind === 'loss';
      // A bit that nothing writes reads 0.
      const isHerald = operation.kind === 'measure' && operation.readsLoss === true;
      return isLoss || isHerald ? [] : [operation];
    });
  return { ...circuit, operations: kept(circuit.operations) };
}
