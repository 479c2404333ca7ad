/**
 * Groups operations into blocks on pairs of qubits: gates on the same two qubits with no other gate on either
 * of them in between. A block is one two-qubit unitary, which may take fewer gates than it was written in.
 */
import { type Operation, operationQubits, type Qubit } from '../../circuit/circuit.ts';
import type { GateLike } from '../passes/gate-like.ts';

/** Consecutive gates on two qubits. Gates on one of them may precede the first on both. */
export interface PairBlock {
  readonly kind: 'pair';
  readonly qubits: readonly [Qubit, Qubit];
  readonly operations: readonly GateLike[];
}

/** Any other operation, unchanged. */
export interface SingleItem {
  readonly kind: 'single';
  readonly operation: Operation;
}

/** Divides operations into blocks and single ones, in an equivalent order. */
export function pairBlocks(
  operations: readonly Operation[],
  numQubits: number,
): readonly (PairBlock | SingleItem)[] {
  const collector = new Collector(numQubits);
  for (const operation of operations) collector.add(operation);
  return collector.finish();
}

interface OpenBlock {
  readonly kind: 'pair';
  readonly qubits: readonly [Qubit, Qubit];
  readonly operations: GateLike[];
}

class Collector {
  readonly #items: (PairBlock | SingleItem)[] = [];
  readonly #open: (OpenBlock | undefined)[];
  /** One-qubit gates that wait for a block to join. */
  readonly #waiting: GateLike[][];

  constructor(numQubits: number) {
    this.#open = new Array<OpenBlock | undefined>(numQubits).fill(undefined);
    this.#waiting = Array.from({ length: numQubits }, () => []);
  }

  add(operation: Operation): void {
    const qubits = operationQubits(operation);
    const [a, b] = qubits;
    if (isPlainGate(operation) && a !== undefined && qubits.length === 1) {
      (this.#open[a]?.operations ?? this.#waiting[a]!).push(operation);
      return;
    }
    if (isPlainGate(operation) && a !== undefined && b !== undefined && qubits.length === 2) {
      this.#addPair(operation, a, b);
      return;
    }
    for (const qubit of qubits) this.#close(qubit);
    this.#items.push({ kind: 'single', operation });
  }

  finish(): readonly (PairBlock | SingleItem)[] {
    for (const qubit of this.#open.keys()) this.#close(qubit);
    return this.#items;
  }

  #addPair(operation: GateLike, a: Qubit, b: Qubit): void {
    const open = this.#open[a];
    if (open !== undefined && open === this.#open[b]) {
      open.operations.push(operation);
      return;
    }
    for (const qubit of [a, b]) if (this.#open[qubit] !== undefined) this.#close(qubit);
    const earlier = [...this.#waiting[a]!.splice(0), ...this.#waiting[b]!.splice(0)];
    const block: OpenBlock = { kind: 'pair', qubits: [a, b], operations: [...earlier, operation] };
    this.#open[a] = block;
    this.#open[b] = block;
  }

  /** Ends the block on a qubit and flushes the gates that wait on it. */
  #close(qubit: Qubit): void {
    const block = this.#open[qubit];
    if (block !== undefined) {
      this.#items.push(block);
      for (const each of block.qubits) this.#open[each] = undefined;
    }
    for (const operation of this.#waiting[qubit]!.splice(0)) {
      this.#items.push({ kind: 'single', operation });
    }
  }
}

function isPlainGate(operation: Operation): operation is GateLike {
  return (
    (operation.kind === 'gate' || operation.kind === 'unitary') && operation.condition === undefined
  );
}
