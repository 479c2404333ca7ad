/**
 * A circuit while windows are looked for in it: its operations in numbered slots, some empty, and
 * what is asked of them often.
 *
 * Entries are made when they are first asked for, and can be forgotten: a circuit has many
 * operations and a window looks at few, so that most entries are garbage soon after they were made,
 * which costs far less than to keep them.
 */
import type { Operation } from '../../circuit/circuit.ts';
import { bitsOf, type Entry, entryOf } from './window-entry.ts';

/** Grows never; rewriting leaves slots empty. */
export class GateSlots {
  /** For each slot a bit for each qubit, modulo 32; none for an empty slot. */
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

  /** What is asked of the operation in a slot. */
  entryAt(slot: number): Entry | undefined {
    const known = this.#entries[slot];
    if (known !== undefined) return known;
    const operation = this.#operations[slot];
    if (operation === undefined) return undefined;
    const entry = entryOf(operation);
    this.#entries[slot] = entry;
    return entry;
  }

  /** Drops an entry, not its operation. */
  forget(slot: number): void {
    this.#entries[slot] = undefined;
  }

  /** Fills the slots from `start` to `end`, of which the last ones may stay empty. */
  rewrite(start: number, end: number, operations: readonly Operation[]): void {
    for (let slot = start; slot < end; slot++) {
      const operation = operations[slot - start];
      this.#operations[slot] = operation;
      this.#entries[slot] = undefined;
      this.bits[slot] = operation === undefined ? 0 : bitsOf(operation);
    }
  }

  /** All that is there, in order. */
  operations(): Operation[] {
    const left: Operation[] = [];
    for (const operation of this.#operations) if (operation !== undefined) left.push(operation);
    return left;
  }
}
