/**
 * Pass that simplifies gates on qubits known to be |0⟩ or |1⟩, as all are at the start and after a reset. A
 * control that is |0⟩ removes its gate, a control that is |1⟩ is removed from its gate, a diagonal becomes a
 * phase, and a permutation only changes the known values.
 *
 * A qubit's known value may thus run ahead of its actual state. An X corrects the state before anything that
 * needs it: a gate that makes a superposition, a measurement, a barrier, the end. One X can replace many
 * gates, but one gate may flip many qubits. So the pass counts the gates saved, and absorbs a gate only
 * while the saving covers the X gates that this may cost later.
 *
 * Only classical values are tracked. Tracking other product states (|+⟩, say) finds more in circuits made for
 * it and nothing in most others.
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
import { isParametric } from '../parametric.ts';
import { factsNamed, nameUnderControls, Z_AXIS } from './gate-facts.ts';
import { conditionOf, type GateLike, matrixOf, phaseOn, targetAxes } from './gate-like.ts';
import { basisImage, operationOf, phaseOf, restricted } from './operation-of-matrix.ts';
import type { Pass, Requested } from './pass.ts';

/** Keeps the state made from |0…0⟩. */
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
  /** Known value of each qubit after the original operations so far: 0, 1 or UNKNOWN. */
  readonly #values: Int8Array;
  /** Value of each qubit after the operations kept so far; meaningless where it is unknown. */
  readonly #states: Int8Array;
  readonly #bits: KnownBits;
  readonly #keepState: boolean;
  readonly #left: Operation[] = [];
  #phase = 0;
  #hasPhase = false;
  /** Operations dropped, less those that corrections and the phase may still cost. */
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

  /** Returns the operations that are left. They prepare the original state, if the state is requested. */
  finish(): readonly Operation[] {
    if (!this.#keepState) return this.#left;
    const trailing = this.#left.splice(lengthBeforeTrailingMeasurements(this.#left));
    const measured = new Set(trailing.flatMap(operationQubits));
    this.#catchUp([...this.#values.keys()].filter((qubit) => !measured.has(qubit)));
    for (const measurement of trailing) this.#left.push(measurement);
    // Corrects qubits that were measured after the measurement.
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
    if (isParametric(operation)) {
      this.#addParametric(operation, controls);
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
      // A matrix that is unitary only within the tolerance is kept; its qubits stay known.
      this.#push(withControls(operation, controls), operation.targets);
      return;
    }
    const isFree = controls.length === 0 && operation.condition === undefined;
    if (isFree && this.#takesPermutation(matrix, targets)) return;
    this.#emit(operation, controls, targets, matrix);
  }

  /** Adds a gate with parameters, of which only the controls are looked at, and whether it is diagonal. */
  #addParametric(operation: GateLike, controls: readonly Qubit[]): void {
    const { targets } = operation;
    const isPhase =
      controls.length === 0 &&
      targets.every((qubit) => this.#values[qubit] !== UNKNOWN) &&
      targetAxes(operation).every((axes) => (axes & Z_AXIS) !== 0);
    if (!isPhase) this.#emit(operation, controls, targets);
    else if (this.#keepState) this.#push(withControls(operation, controls), targets);
    else this.#saved++;
  }

  /** Removes the known targets whose values the operation keeps. */
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
        // Targets that could not be removed before may be removable now.
        i = 0;
      }
    }
    return { matrix, targets };
  }

  /** Absorbs a gate that only multiplies by a phase where its controls are |1⟩. */
  #takesPhase(operation: GateLike, controls: readonly Qubit[], phase: number): boolean {
    if (controls.length > 0) {
      const rest = phaseOn(controls, phase, conditionOf(operation));
      if (rest === undefined) this.#saved++;
      else this.#left.push(rest);
      return true;
    }
    return operation.condition !== undefined || this.#takes(0, phase);
  }

  /** Absorbs a gate that maps the basis state of its targets to another one. */
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

  /** Drops an operation at the cost of later corrections and a phase, if the saving covers it. */
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

  /**
   * Emits an operation.
   *
   * @param matrix - Matrix on `targets`; the operation's own by default, if no target was removed.
   */
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

  /** Corrects the states of qubits to their known values. */
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
    // For a known qubit whose value and state are both 1, dropping its reset costs an X.
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

  /** A conditional reset keeps |0⟩ and makes |1⟩ unknown. */
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

/** Removes controls that are not needed. */
function withControls(operation: GateLike, controls: readonly Qubit[]): GateLike {
  if (controls.length === operation.controls.length) return operation;
  if (operation.kind === 'unitary') return { ...operation, controls };
  const { base } = factsNamed(operation.gate);
  return { ...operation, gate: nameUnderControls(base, controls.length), controls };
}

function unconditioned(operation: Unbarred): Unbarred {
  if (operation.condition === undefined) return operation;
  const { condition: _, ...rest } = operation;
  return rest;
}

/**
 * Number of operations before the trailing measurements that one final state serves. A barrier among them
 * ends these.
 */
function lengthBeforeTrailingMeasurements(operations: readonly Operation[]): number {
  const last = operations.findLastIndex(
    (operation) => operation.kind !== 'measure' || operation.condition !== undefined,
  );
  return last + 1;
}

/** Tracks the values of classical bits. */
class KnownBits {
  readonly #values: Int8Array;

  /** @param startsCleared - Whether all bits read 0 at first; otherwise none is known. */
  constructor(numBits: number, startsCleared: boolean) {
    this.#values = new Int8Array(numBits).fill(startsCleared ? 0 : UNKNOWN);
  }

  /** Records a measurement, possibly conditional; `outcome` is undefined if it is random. */
  write(bit: Bit, outcome: 0 | 1 | undefined, condition: Condition | undefined): void {
    const value = outcome ?? UNKNOWN;
    const isCertain = condition === undefined || value === this.#values[bit];
    this.#values[bit] = isCertain ? value : UNKNOWN;
  }

  /** Whether a condition holds in every shot, in none, or is unknown. */
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
