/**
 * Circuits that a worker has compiled and prepared, kept for when they come again: the same small
 * circuit is often sampled many times, and compiling it takes longer than running it.
 *
 * Only those of a bounded size are kept, and few, so that what they hold does not count; the least
 * recently used goes first.
 */
import { createHash } from 'node:crypto';
import type { Circuit } from '../circuit/circuit.ts';
import type { CompilationReport } from '../compiler/compile.ts';
import type { Executable } from '../engine/engine.ts';
import type { SerializedCircuit } from './serialized-circuit.ts';

const MAX_KEPT = 16;

/** Which circuits are worth keeping. */
export interface KeptCircuits {
  readonly maxQubits: number;
  /** Beyond this a key costs more than it is likely to save. */
  readonly maxOperations: number;
  /** The same of a circuit that comes as bytes. */
  readonly maxBytes: number;
}

/**
 * On the CPU engine, whose programs hold their states: 16 KiB in double precision at 10 qubits, and
 * as much again for each branch that a run had at once.
 */
export const KEPT_ON_CPU: KeptCircuits = { maxQubits: 10, maxOperations: 64, maxBytes: 0 };

/** On an adapter, whose programs hold no state: their code and its tables. */
export const KEPT_ON_ADAPTER: KeptCircuits = {
  maxQubits: 64,
  maxOperations: 4096,
  maxBytes: 2 ** 20,
};

/** A circuit made ready for an engine. */
export interface PreparedRun {
  readonly executable: Executable;
  readonly report: CompilationReport;
}

/** The circuits kept for one engine, by key. */
export class PreparedCircuits {
  /** In the order of use, the oldest first. */
  readonly #kept = new Map<string, PreparedRun>();
  readonly limits: KeptCircuits;

  constructor(limits: KeptCircuits) {
    this.limits = limits;
  }

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
export function keyOfCircuit(
  circuit: Circuit | SerializedCircuit,
  { maxQubits, maxOperations, maxBytes }: KeptCircuits,
): string | undefined {
  if (circuit.numQubits > maxQubits) return undefined;
  if ('bytes' in circuit) {
    if (circuit.bytes.length > maxBytes) return undefined;
    return createHash('sha256').update(circuit.bytes).digest('base64');
  }
  const { numQubits, numBits, operations } = circuit;
  if (operations.length > maxOperations) return undefined;
  if (operations.some(({ kind }) => kind === 'unitary')) return undefined;
  return JSON.stringify([numQubits, numBits, operations]);
}
