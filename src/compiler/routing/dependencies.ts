/**
 * Dependency graph of a circuit: each operation depends on the last one before it on each of its qubits and
 * bits.
 */
import { type Circuit, type Operation, operationQubits } from '../../circuit/circuit.ts';

/** Operations as a graph. */
export interface Dependencies {
  readonly operations: readonly Operation[];
  /** For each operation, those that depend on it, each once. */
  readonly next: readonly (readonly number[])[];
  /** Number of operations that each one depends on. */
  readonly numBefore: Uint32Array;
}

/** Builds the dependency graph of a circuit. */
export function dependenciesOf({ numQubits, numBits, operations }: Circuit): Dependencies {
  const last = new Array<number | undefined>(numQubits + numBits).fill(undefined);
  const next: number[][] = operations.map(() => []);
  const numBefore = new Uint32Array(operations.length);
  for (const [i, operation] of operations.entries()) {
    const places = [...operationQubits(operation), ...bitsOf(operation).map((b) => numQubits + b)];
    const before = new Set<number>();
    for (const place of places) {
      const earlier = last[place];
      if (earlier !== undefined && earlier !== i) before.add(earlier);
      last[place] = i;
    }
    for (const earlier of before) next[earlier]!.push(i);
    numBefore[i] = before.size;
  }
  return { operations, next, numBefore };
}

/** Classical bits that an operation writes or reads. Operations that read one bit keep their order too. */
function bitsOf(operation: Operation): readonly number[] {
  if (operation.kind === 'barrier') return [];
  const read = operation.condition?.bits ?? [];
  return operation.kind === 'measure' ? [...operation.bits, ...read] : read;
}
