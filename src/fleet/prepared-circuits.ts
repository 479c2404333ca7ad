/**
 * Circuits that a worker has compiled and prepared, kept for when they come again: the same small
 * circuit is often sampled many times, and compiling it takes longer than running it.
 *
 * Only small ones are kept, and few, so that what they hold does not count; the least recently used
 * goes first.
 */
import type { Circuit } from '../circuit/circuit.ts';
import type { CompilationReport } from '../compiler/compile.ts';
import type { Executable } from '../engine/engine.ts';
import type { SerializedCircuit } from './serialized-circuit.ts';

const MAX_KEPT = 16;
/** 16 KiB in double precision, and as much again for each branch that a run had at once. */
const MAX_QUBITS = 10;
/** Beyond this a key costs more than it is likely to save. */
const MAX_OPERATIONS = 64;

/** A circuit made ready for an engine. */
export interface PreparedRun {
  readonly executable: Executable;
  readonly report: CompilationReport;
}

/** The circuits kept for one engine, by key. */
export class PreparedCircuits {
  /** In the order of use, the oldest first. */
  readonly #kept = new Map<string, PreparedRun>();

  /** Takes a circuit out; `keep` puts it back after a run. */
  take(key: string): PreparedRun | undefined {
    const prepared = this.#kept.get(key);
    this.#kept.delete(key);
    return prepared;
  }

  /** Keeps a circuit that is not among the kept ones. */
  async keep(key: string, prepared: PreparedRun): Promise<void> {
    this.#kept.set(key, prepared);
    if (this.#kept.size <= MAX_KEPT) return;
    const [oldest] = this.#kept;
    if (oldest === undefined) return;
    this.#kept.delete(oldest[0]);
    await oldest[1].executable[Symbol.asyncDispose]();
  }
}

/** What tells a circuit from all others; undefined for one that is not worth keeping. */
export function keyOfCircuit(circuit: Circuit | SerializedCircuit): string | undefined {
  if ('bytes' in circuit || circuit.numQubits > MAX_QUBITS) return undefined;
  const { numQubits, numBits, operations } = circuit;
  if (operations.length > MAX_OPERATIONS) return undefined;
  if (operations.some(({ kind }) => kind === 'unitary')) return undefined;
  return JSON.stringify([numQubits, numBits, operations]);
}
