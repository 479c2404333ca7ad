/**
 * Rewrites a circuit with measurements, resets and conditions anywhere as one without them: a measurement
 * copies its outcome to a qubit of its own, a condition becomes controls on such qubits, and a reset
 * continues on a fresh qubit. Nothing observable changes.
 *
 * @see Nielsen & Chuang, section 4.4 (principle of deferred measurement).
 */
import type { Circuit, Condition, GateOperation, Operation } from '../../../circuit/circuit.ts';
import { operationQubits } from '../../../circuit/circuit.ts';
import type { GateLike } from '../../../compiler/passes/gate-like.ts';
import { onPlaces } from '../../../compiler/routing/route-circuit.ts';

/** The deferred circuit, and the final positions of qubits and bits. */
export interface DeferredCircuit {
  readonly numQubits: number;
  readonly operations: readonly Operation[];
  /** The qubit that holds each of the circuit's qubits. */
  readonly qubits: readonly number[];
  /** The qubit that holds each classical bit; undefined for a bit that nothing wrote. */
  readonly bits: readonly (number | undefined)[];
}

/** Defers measurements; undefined if a measurement or reset is conditional. */
export function deferredCircuit(circuit: Circuit): DeferredCircuit | undefined {
  const deferrer = new Deferrer(circuit);
  for (const operation of circuit.operations) if (!deferrer.add(operation)) return undefined;
  return deferrer.finish();
}

class Deferrer {
  readonly #qubits: number[];
  readonly #bits: (number | undefined)[];
  readonly #operations: Operation[] = [];
  #numQubits: number;

  constructor({ numQubits, numBits }: Circuit) {
    this.#numQubits = numQubits;
    this.#qubits = Array.from({ length: numQubits }, (_, q) => q);
    this.#bits = new Array<number | undefined>(numBits).fill(undefined);
  }

  /** Returns false if the operation cannot be deferred. */
  add(operation: Operation): boolean {
    switch (operation.kind) {
      case 'gate':
      case 'unitary':
        this.#addGate(operation);
        return true;
      case 'measure':
        if (operation.condition !== undefined) return false;
        for (const [i, qubit] of operation.qubits.entries()) {
          const copy = this.#numQubits++;
          this.#operations.push(x([this.#qubits[qubit]!], copy));
          this.#bits[operation.bits[i]!] = copy;
        }
        return true;
      case 'reset':
        if (operation.condition !== undefined) return false;
        for (const qubit of operation.qubits) this.#qubits[qubit] = this.#numQubits++;
        return true;
      case 'barrier':
        return true;
    }
  }

  finish(): DeferredCircuit {
    return {
      numQubits: this.#numQubits,
      operations: this.#operations,
      qubits: this.#qubits,
      bits: this.#bits,
    };
  }

  #addGate(given: GateLike): void {
    const { condition, ...operation } = given;
    const places = operationQubits(operation).map((qubit) => this.#qubits[qubit]!);
    const placed = onPlaces(operation, places);
    if (placed.kind !== 'gate' && placed.kind !== 'unitary') throw new Error('unreachable');
    const reads = condition === undefined ? [] : this.#reads(condition);
    if (reads === undefined) return;
    const flips = reads.filter(({ isOne }) => !isOne).map(({ qubit }) => x([], qubit));
    const controls = reads.map(({ qubit }) => qubit);
    this.#operations.push(...flips);
    this.#operations.push({ ...placed, controls: [...controls, ...placed.controls] });
    this.#operations.push(...flips);
  }

  /** Qubits that hold the bits of a condition; undefined if a bit that was never written must be 1. */
  #reads({ bits, value }: Condition) {
    const reads: { readonly qubit: number; readonly isOne: boolean }[] = [];
    for (const [i, bit] of bits.entries()) {
      const isOne = Math.floor(value / 2 ** i) % 2 === 1;
      const qubit = this.#bits[bit];
      if (qubit !== undefined) reads.push({ qubit, isOne });
      else if (isOne) return undefined;
    }
    return reads;
  }
}

function x(controls: readonly number[], target: number): GateOperation {
  const gate = controls.length === 1 ? 'CX' : 'X';
  return { kind: 'gate', gate, controls, targets: [target], angles: [] };
}
