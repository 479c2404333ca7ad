/**
 * A circuit that is being searched for windows: its operations in numbered slots, some empty, with derived
 * facts.
 *
 * Entries are created on demand and can be dropped: a circuit has many operations and a window looks at few,
 * so most entries become garbage early, which costs far less than keeping them.
 */
import type { Operation } from '../../circuit/circuit.ts';
import { bitsOf, type Entry, entryOf } from './window-entry.ts';

/** Operations in slots. The number of slots is fixed; rewriting may leave slots empty. */
export class GateSlots {
  /** For each slot one bit per qubit, modulo 32; 0 for an empty slot. */
  readonly bits: Int32Array;
  readonly #operations: (Operation | undefined)[];
  readonly #entries: (Entry | undefined)[];

  constructor(operations: readonly Operation[]) {
    this.#operations = [...operations];
    this.#entries = new Array<Entry | undefined>(operations.length).fill(undefined);
    this.bits = new Int32Array(operations.length);
    for (let slot = 0; slot < operations.length; slot++)
      this.bits[slot] = bitsOf(operations[slot]!);
  }

  get length(): number {
    return this.#operations.length;
  }

  operationAt(slot: number): Operation | undefined {
    return this.#operations[slot];
  }

  /** Returns the entry of the operation in a slot; undefined for an empty slot. */
  entryAt(slot: number): Entry | undefined {
    const known = this.#entries[slot];
    if (known !== undefined) return known;
    const operation = this.#operations[slot];
    if (operation === undefined) return undefined;
    const entry = entryOf(operation);
    this.#entries[slot] = entry;
    return entry;
  }

  /** Drops an entry, but not its operation. */
  forget(slot: number): void {
    this.#entries[slot] = undefined;
  }

  /** Fills the slots from `start` to `end`; the last ones may stay empty. */
  rewrite(start: number, end: number, operations: readonly Operation[]): void {
    for (let slot = start; slot < end; slot++) {
      const operation = operations[slot - start];
      this.#operations[slot] = operation;
      this.#entries[slot] = undefined;
      this.bits[slot] = operation === undefined ? 0 : bitsOf(operation);
    }
  }

  /** All operations, in order. */
  operations(): Operation[] {
    const left: Operation[] = [];
    for (const operation of this.#operations) if (operation !== undefined) left.push(operation);
    return left;
  }
}
