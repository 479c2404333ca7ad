/**
 * Circuits that a worker has compiled and prepared, kept for when they come again: the same small
 * circuit is often sampled many times, and compiling it takes longer than running it.
 *
 * Only those of a bounded size are kept, and few, so that what they hold does not count; the least
 * recently used goes first.
 */
import { createHash } from 'node:crypto';
import type { CompilationReport } from '../../compiler/compile.ts';
import type { Executable } from '../../engine/engine.ts';
import type { SentCircuit } from './worker-messages.ts';
import { isSameCircuit, type WrittenCircuit } from './written-circuit.ts';

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

/** What tells a circuit from all others: its bytes' digest, or all of it where it is in writing. */
export type CircuitKey = string | WrittenCircuit;

interface Entry {
  readonly key: CircuitKey;
  readonly prepared: PreparedRun;
}

/** The circuits kept for one engine, by key. */
export class PreparedCircuits {
  /** In the order of use, the oldest first. Few enough to look at each. */
  readonly #kept: Entry[] = [];
  readonly limits: KeptCircuits;

  constructor(limits: KeptCircuits) {
    this.limits = limits;
  }

  /** Takes a circuit out; `keep` puts it back after a run. */
  take(key: CircuitKey): PreparedRun | undefined {
    const place = this.#kept.findLastIndex((entry) => isSameKey(entry.key, key));
    return place < 0 ? undefined : this.#kept.splice(place, 1)[0]?.prepared;
  }

  /** Keeps a circuit that is not among the kept ones. */
  async keep(key: CircuitKey, prepared: PreparedRun): Promise<void> {
    this.#kept.push({ key, prepared });
    if (this.#kept.length <= MAX_KEPT) return;
    await this.#kept.shift()?.prepared.executable[Symbol.asyncDispose]();
  }
}

/** The key of a circuit; undefined for one that is not worth keeping. */
export function keyOfCircuit(
  circuit: SentCircuit,
  { maxQubits, maxOperations, maxBytes }: KeptCircuits,
): CircuitKey | undefined {
  if (circuit.numQubits > maxQubits) return undefined;
  if ('bytes' in circuit) {
    if (circuit.bytes.length > maxBytes) return undefined;
    return createHash('sha256').update(circuit.bytes).digest('base64');
  }
  // Objects are what could not be written for its matrices.
  if (!('shape' in circuit) || circuit.numOperations > maxOperations) return undefined;
  return circuit;
}

function isSameKey(a: CircuitKey, b: CircuitKey): boolean {
  return typeof a === 'string' || typeof b === 'string' ? a === b : isSameCircuit(a, b);
}
