/** Collects the faults of an input, so that one answer lists them all. */
import { type Fault, MAX_FAULTS } from '../errors/coded-error.ts';

/** Counts every fault and keeps the first 20. */
export class FaultList {
  readonly #kept: Fault[] = [];
  #count = 0;

  /** Adds a fault. `code` is left out where the kind of input implies it. */
  add(path: string, message: string, code?: string): void {
    this.#count++;
    if (this.isFull) return;
    this.#kept.push(code === undefined ? { path, message } : { path, message, code });
  }

  /** First faults, at most 20. */
  get kept(): readonly Fault[] {
    return this.#kept;
  }

  /** Number of faults added. */
  get count(): number {
    return this.#count;
  }

  /** Whether further faults are only counted, so that costly messages need not be built. */
  get isFull(): boolean {
    return this.#kept.length >= MAX_FAULTS;
  }
}

/** A count with its noun: "1 qubit", "2 qubits". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
