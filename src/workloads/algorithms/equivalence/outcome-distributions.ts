/**
 * Compares the outcomes of two circuits with measurements anywhere, by exact distributions: measurements
 * are deferred to the end, initial states are random, and the remaining qubits are measured along random
 * axes.
 *
 * Deferring rewrites a circuit as one without measurements, resets and conditions: a measurement
 * copies its outcome to a qubit of its own, a condition becomes controls on such qubits, and a reset
 * continues on a fresh qubit. Nothing observable changes.
 *
 * @see Nielsen & Chuang, section 4.4 (principle of deferred measurement).
 */
import {
  type Circuit,
  type Condition,
  type GateOperation,
  type Operation,
  operationQubits,
} from '../../../circuit/circuit.ts';
import type { GateLike } from '../../../compiler/passes/gate-like.ts';
import { onPlaces } from '../../../compiler/routing/route-circuit.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { Chance } from '../chance.ts';
import { asWritten, MAX_STATE_QUBITS, randomState, randomTurn } from './whole-unitary.ts';

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
function deferredCircuit(circuit: Circuit): DeferredCircuit | undefined {
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

/** Tolerance for probabilities; the rounding of both engine precisions stays below it. */
const TOLERANCE = 1e-4;
/** Most bits of a distribution. */
const MAX_BITS = 16;
const NUM_STATES = 3;

/** Options of a comparison of outcomes. */
export interface OutcomeOptions {
  readonly seed: number;
  /** Initial states: all, or |0…0⟩ alone. */
  readonly on: 'all' | 'zero';
  /** Whether the qubits' final states count, beside the classical bits. */
  readonly withQubits: boolean;
}

/** Result of a comparison. */
export interface ComparedOutcomes {
  readonly method: 'outcome_distributions';
  readonly states: number;
  /** The largest total variation distance. */
  readonly distance: number;
  readonly tolerance: number;
}

/** Compares two circuits of one width; undefined if that is not feasible. */
export async function compareOutcomes(
  a: Circuit,
  b: Circuit,
  { seed, on, withQubits }: OutcomeOptions,
  context: ProcedureContext,
): Promise<ComparedOutcomes | undefined> {
  const [first, second] = [deferredCircuit(a), deferredCircuit(b)];
  if (first === undefined || second === undefined) return undefined;
  const width = Math.max(first.numQubits, second.numQubits);
  if (width > Math.min(MAX_STATE_QUBITS, context.circuits.maxQubits)) return undefined;
  // A bit that only one of them writes stays 0 in the other.
  const bits = [...first.bits.keys()].filter(
    (bit) => first.bits[bit] !== undefined || second.bits[bit] !== undefined,
  );
  if (bits.length + (withQubits ? a.numQubits : 0) > MAX_BITS) return undefined;
  const numStates = on === 'zero' && !withQubits ? 1 : NUM_STATES;
  let distance = 0;
  for (let k = 0; k < numStates; k++) {
    const chance = new Chance(seed, k);
    const start = on === 'zero' ? [] : randomState(a.numQubits, chance).operations;
    const turns = withQubits ? a.numQubits : 0;
    const axes = Array.from({ length: turns }, () => randomTurn(0, chance));
    const [p, q] = [
      await distributionOf(first, start, axes, bits, context),
      await distributionOf(second, start, axes, bits, context),
    ];
    let apart = 0;
    for (let i = 0; i < p.length; i++) apart += Math.abs(p[i]! - q[i]!) / 2;
    distance = Math.max(distance, apart);
  }
  return { method: 'outcome_distributions', states: numStates, distance, tolerance: TOLERANCE };
}

async function distributionOf(
  deferred: DeferredCircuit,
  start: readonly Operation[],
  axes: readonly ReturnType<typeof randomTurn>[],
  bits: readonly number[],
  { circuits, signal }: ProcedureContext,
): Promise<Float64Array> {
  signal.throwIfAborted();
  const turned = axes.map((turn, i) => ({ ...turn, targets: [deferred.qubits[i]!] }));
  // A bit that nothing wrote reads a fresh qubit.
  let numQubits = deferred.numQubits;
  const read = [
    ...bits.map((bit) => deferred.bits[bit] ?? numQubits++),
    ...turned.flatMap(({ targets }) => targets),
  ];
  const { probabilities } = await circuits.run(
    {
      numQubits,
      numBits: read.length,
      operations: [
        ...start,
        ...asWritten([...deferred.operations, ...turned]),
        { kind: 'measure', qubits: read, bits: [...read.keys()] },
      ],
    },
    { probabilities: true },
  );
  if (probabilities === undefined) {
    throw new Error('unreachable: a run without what was asked for');
  }
  return probabilities;
}
