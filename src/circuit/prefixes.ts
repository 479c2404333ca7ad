/**
 * Snapshots by methods that hold no state: the circuit up to a snapshot, whose final outputs are those of the snapshot.
 * Methods on states read them on the way instead.
 */
import type { DynamicCircuit, DynamicOperation, SaveOperation } from './circuit.ts';

/** The circuit without its snapshots. */
export function withoutSaves<C extends DynamicCircuit>(circuit: C): C {
  if (!circuit.operations.some(({ kind }) => kind === 'save')) return circuit;
  // The cast is safe: operations are taken away.
  return { ...circuit, operations: circuit.operations.filter(({ kind }) => kind !== 'save') } as C;
}

/**
 * The circuit before a snapshot, for a method whose values do not depend on outcomes. Its bits are the qubits that the
 * snapshot reads; those of its own measurements, which nothing reads, are one scratch bit.
 */
export function prefixOf(circuit: DynamicCircuit, save: SaveOperation): DynamicCircuit {
  const { numQubits } = circuit;
  const of = save.output.what === 'probabilities' ? save.output.of : [];
  const operations: DynamicOperation[] = [];
  for (const operation of circuit.operations.slice(0, circuit.operations.indexOf(save))) {
    switch (operation.kind) {
      case 'save':
      case 'assign':
      case 'misread':
        break;
      case 'measure':
        for (const qubit of operation.qubits) {
          operations.push({ ...operation, qubits: [qubit], bits: [of.length] });
          // A measurement that nothing follows would be put off, and the state not collapse before it is read.
          if (of.length === 0) operations.push(idle(qubit));
        }
        break;
      default:
        operations.push(operation);
    }
  }
  if (of.length > 0) operations.push({ kind: 'measure', qubits: of, bits: [...of.keys()] });
  const control = { numScratchBits: 1, maxRounds: 0 };
  return { numQubits, numBits: of.length, control, operations };
}

const idle = (qubit: number): DynamicOperation => {
  return { kind: 'gate', gate: 'ID', controls: [], targets: [qubit], angles: [] };
};
