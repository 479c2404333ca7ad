/**
 * Takes in what gates do to qubits that are still known to be |0⟩ or |1⟩, as all are at the start
 * and again after a reset: a control that is |0⟩ drops its gate, one that is |1⟩ drops out of it, a
 * diagonal becomes a phase, and a permutation only changes what is known.
 *
 * A qubit's value may therefore run ahead of its state. An X makes up for that before anything
 * that needs the state: a gate that makes a superposition, a measurement, a barrier, the end. Since
 * one X can stand for many gates but one gate may flip many qubits, the books are kept: a gate is
 * taken in only while what it may cost later has been saved.
 *
 * Knowledge is classical on purpose. Following qubits in other product states (|+⟩, say) finds more
 * in circuits made for it and nothing in most others.
 */
import {
  type Circuit,
  type Condition,
  type MeasureOperation,
  type Operation,
  operationQubits,
  type Qubit,
  type ResetOperation,
} from '../../circuit/circuit.ts';
import type { Bit } from '../../circuit/classical-expression.ts';
import { sumOfAngles } from '../../math/angles.ts';
import type { ComplexMatrix } from '../../math/complex-matrix.ts';
import { factsNamed, nameUnderControls } from './gate-facts.ts';
import { conditionOf, type GateLike, matrixOf, phaseOn } from './gate-like.ts';
import { operationOf } from './operation-of-matrix.ts';
import type { Pass, Requested } from './pass.ts';
import { basisImage, phaseOf, restricted } from './restrict-matrix.ts';

/** Keeps the state made of |0…0⟩. */
export const absorbKnownStates: Pass = {
  name: 'absorb-known-states',
  run(circuit, requested) {
    const absorber = new Absorber(circuit, requested);
    for (const operation of circuit.operations) absorber.add(operation);
    return { ...circuit, operations: absorber.finish() };
  },
};

type Unbarred = Exclude<Operation, { kind: 'barrier' }>;

/** Value of a qubit or bit that is not known. */
const UNKNOWN = -1;

class Absorber {
  /** 0, 1 or unknown: what the circuit has made of each qubit so far. */
  readonly #values: Int8Array;
  /** What the operations that are left have made of it; means nothing while unknown. */
  readonly #states: Int8Array;
  readonly #bits: KnownBits;
  readonly #keepState: boolean;
  readonly #left: Operation[] = [];
  #phase = 0;
  #hasPhase = false;
  /** Operations dropped, less those that values ahead of states and the phase may yet cost. */
  #saved = 0;

  constructor({ numQubits, numBits }: Circuit, { keepState, startsFresh = true }: Requested) {
    this.#values = new Int8Array(numQubits).fill(startsFresh ? 0 : UNKNOWN);
    this.#states = new Int8Array(numQubits);
    this.#bits = new KnownBits(numBits, startsFresh);
    this.#keepState = keepState;
  }

  add(operation: Operation): void {
    if (operation.kind === 'barrier') {
      this.#catchUp(operation.qubits);
      this.#left.push(operation);
      return;
    }
    const holds = this.#bits.holds(operation.condition);
    if (holds === 'never') this.#saved++;
    else this.#addIf(holds === 'always' ? unconditioned(operation) : operation);
  }

  /** The operations that are left; with the state asked for, it is as it would have been. */
  finish(): readonly Operation[] {
    if (!this.#keepState) return this.#left;
    const trailing = this.#left.splice(lengthBeforeTrailingMeasurements(this.#left));
    const measured = new Set(trailing.flatMap(operationQubits));
    this.#catchUp([...this.#values.keys()].filter((qubit) => !measured.has(qubit)));
    for (const measurement of trailing) this.#left.push(measurement);
    // Flipped after it was measured.
    this.#catchUp(measured);
    const phase = phaseOn([], this.#phase, {});
    return phase === undefined ? this.#left : [phase, ...this.#left];
  }

  #addIf(operation: Unbarred): void {
    switch (operation.kind) {
      case 'gate':
      case 'unitary':
        this.#addGate(operation);
        return;
      case 'measure':
        this.#addMeasurement(operation);
        return;
      case 'reset':
        this.#addReset(operation);
        return;
    }
  }

  #addGate(operation: GateLike): void {
    const controls = operation.controls.filter((qubit) => this.#values[qubit] === UNKNOWN);
    if (operation.controls.some((qubit) => this.#values[qubit] === 0)) {
      this.#saved++;
      return;
    }
    const isKnown = (qubit: Qubit) => this.#values[qubit] !== UNKNOWN;
    const isAboutKnown = operation.targets.length === 0 || operation.targets.some(isKnown);
    if (!isAboutKnown) {
      this.#emit(operation, controls, operation.targets);
      return;
    }
    const { matrix, targets } = this.#knownBlock(operation);
    if (targets.length === 0) {
      const phase = phaseOf(matrix[0]!, matrix[1]!);
      if (phase !== undefined && this.#takesPhase(operation, controls, phase)) return;
      // A matrix unitary only within its tolerance stays, and leaves its qubits known.
      this.#push(withControls(operation, controls), operation.targets);
      return;
    }
    const isFree = controls.length === 0 && operation.condition === undefined;
    if (isFree && this.#takesPermutation(matrix, targets)) return;
    this.#emit(operation, controls, targets, matrix);
  }

  /** The operation without the known targets whose values it keeps. */
  #knownBlock(operation: GateLike) {
    let matrix = matrixOf(operation);
    let targets = operation.targets;
    for (let i = 0; i < targets.length; ) {
      const value = this.#values[targets[i]!]!;
      const smaller = value === UNKNOWN ? undefined : restricted(matrix, i, value);
      if (smaller === undefined) {
        i++;
      } else {
        matrix = smaller;
        targets = targets.toSpliced(i, 1);
        // What stayed before may be free to go now.
        i = 0;
      }
    }
    return { matrix, targets };
  }

  /** Takes a gate in that only multiplies, where its controls are |1⟩. */
  #takesPhase(operation: GateLike, controls: readonly Qubit[], phase: number): boolean {
    if (controls.length > 0) {
      const rest = phaseOn(controls, phase, conditionOf(operation));
      if (rest === undefined) this.#saved++;
      else this.#left.push(rest);
      return true;
    }
    return operation.condition !== undefined || this.#takes(0, phase);
  }

  /** Takes a gate in that sends the basis state of its targets to another. */
  #takesPermutation(matrix: ComplexMatrix, targets: readonly Qubit[]): boolean {
    const values = targets.map((qubit) => this.#values[qubit]!);
    if (values.includes(UNKNOWN)) return false;
    const image = basisImage(
      matrix,
      values.reduce((column, value, i) => column + value * 2 ** i, 0),
    );
    if (image === undefined) return false;
    const flipped = targets.filter((_, i) => ((image.row >> i) & 1) !== values[i]);
    const cost = flipped.reduce(
      (sum, qubit) => sum + (this.#values[qubit] === this.#states[qubit] ? 1 : -1),
      0,
    );
    if (!this.#takes(cost, image.phase)) return false;
    for (const qubit of flipped) this.#values[qubit]! ^= 1;
    return true;
  }

  /** Drops an operation for a number of later ones and a phase, if that can be afforded. */
  #takes(cost: number, phase: number): boolean {
    const isPhase = this.#keepState && phaseOn([], phase, {}) !== undefined;
    const saved = this.#saved + 1 - cost - (isPhase && !this.#hasPhase ? 1 : 0);
    if (saved < 0) return false;
    this.#saved = saved;
    if (isPhase) {
      this.#phase = sumOfAngles(this.#phase, phase);
      this.#hasPhase = true;
    }
    return true;
  }

  /** @param matrix - On those targets; the operation's own when they are all. */
  #emit(
    operation: GateLike,
    controls: readonly Qubit[],
    targets: readonly Qubit[],
    matrix?: ComplexMatrix,
  ): void {
    const rest =
      matrix === undefined || targets.length === operation.targets.length
        ? withControls(operation, controls)
        : operationOf(matrix, { controls, targets, ...conditionOf(operation) });
    if (rest === undefined) {
      this.#saved++;
      return;
    }
    this.#push(rest, targets);
    for (const qubit of targets) this.#values[qubit] = UNKNOWN;
  }

  #push(operation: Operation, needed: Iterable<Qubit>): void {
    this.#catchUp(needed);
    this.#left.push(operation);
  }

  /** Brings states up to their values. */
  #catchUp(qubits: Iterable<Qubit>): void {
    for (const qubit of qubits) {
      const value = this.#values[qubit]!;
      if (value === UNKNOWN || value === this.#states[qubit]) continue;
      this.#left.push({ kind: 'gate', gate: 'X', controls: [], targets: [qubit], angles: [] });
      this.#states[qubit] = value;
    }
  }

  #addMeasurement(operation: MeasureOperation): void {
    this.#push(operation, operation.qubits);
    for (const [i, qubit] of operation.qubits.entries()) {
      const value = this.#values[qubit]!;
      const outcome = value === 0 || value === 1 ? value : undefined;
      this.#bits.write(operation.bits[i]!, outcome, operation.condition);
    }
  }

  #addReset(operation: ResetOperation): void {
    const { qubits, condition } = operation;
    if (condition !== undefined) {
      this.#addConditionedReset(operation, condition);
      return;
    }
    const unknown = qubits.filter((qubit) => this.#values[qubit] === UNKNOWN);
    // A known qubit whose value and state are both 1 would owe an X instead.
    const owed = qubits.reduce((sum, qubit) => sum + this.#debtOfReset(qubit), 0);
    const saved = this.#saved + (unknown.length === 0 ? 1 : 0) - owed;
    const isWorth = saved >= 0 && unknown.length < qubits.length;
    const kept = isWorth ? unknown : qubits;
    if (isWorth) this.#saved = saved;
    if (kept.length > 0) this.#left.push({ ...operation, qubits: kept });
    for (const qubit of kept) this.#states[qubit] = 0;
    for (const qubit of qubits) this.#values[qubit] = 0;
  }

  #debtOfReset(qubit: Qubit): number {
    const value = this.#values[qubit]!;
    if (value === UNKNOWN) return 0;
    return (this.#states[qubit] === 0 ? 0 : 1) - (this.#states[qubit] === value ? 0 : 1);
  }

  /** A reset that may not happen leaves |0⟩ alone and makes |1⟩ unknown. */
  #addConditionedReset(operation: ResetOperation, condition: Condition): void {
    const qubits = operation.qubits.filter((qubit) => this.#values[qubit] !== 0);
    if (qubits.length === 0) {
      this.#saved++;
      return;
    }
    this.#push({ kind: 'reset', qubits, condition }, qubits);
    for (const qubit of qubits) this.#values[qubit] = UNKNOWN;
  }
}

/** The same operation where no more than these controls are needed. */
function withControls(operation: GateLike, controls: readonly Qubit[]): GateLike {
  if (controls.length === operation.controls.length) return operation;
  if (operation.kind === 'unitary') return { ...operation, controls };
  const { base } = factsNamed(operation.gate);
  return { ...operation, gate: nameUnderControls(base, controls.length), controls };
}

function unconditioned(operation: Unbarred): Unbarred {
  const { condition, ...rest } = operation;
  return condition === undefined ? operation : rest;
}

/** Where the measurements begin that one final state serves; before a barrier it is too early. */
function lengthBeforeTrailingMeasurements(operations: readonly Operation[]): number {
  const last = operations.findLastIndex(
    (operation) => operation.kind !== 'measure' || operation.condition !== undefined,
  );
  return last + 1;
}

/** Follows what is written into bits. */
class KnownBits {
  readonly #values: Int8Array;

  /** @param startsCleared - Whether all bits read 0 at first; else nothing is known of them. */
  constructor(numBits: number, startsCleared: boolean) {
    this.#values = new Int8Array(numBits).fill(startsCleared ? 0 : UNKNOWN);
  }

  /** Notes a measurement, perhaps under a condition that may hold; undefined is any outcome. */
  write(bit: Bit, outcome: 0 | 1 | undefined, condition: Condition | undefined): void {
    const value = outcome ?? UNKNOWN;
    const isCertain = condition === undefined || value === this.#values[bit];
    this.#values[bit] = isCertain ? value : UNKNOWN;
  }

  /** Whether a condition holds in every shot, in none, or that is not known. */
  holds(condition: Condition | undefined): 'always' | 'never' | 'perhaps' {
    if (condition === undefined) return 'always';
    let isKnown = true;
    for (const [i, bit] of condition.bits.entries()) {
      const value = this.#values[bit]!;
      if (value === UNKNOWN) isKnown = false;
      else if (value !== Math.floor(condition.value / 2 ** i) % 2) return 'never';
    }
    return isKnown ? 'always' : 'perhaps';
  }
}
