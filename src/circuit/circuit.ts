/**
 * The circuit as its caller meant it: a flat, immutable list of operations on numbered qubits and
 * classical bits.
 *
 * Flat rather than a graph: order is meaning here, passes that want dependencies build them, and a
 * list of plain objects crosses threads by structured clone.
 *
 * Conventions, everywhere in the project: qubit 0 is the least significant bit of a basis index
 * and the rightmost character of a label; `targets[0]` is the least significant bit of a gate
 * matrix's index; angles are radians.
 */
import type { ComplexMatrix } from '../math/complex-matrix.ts';

/** Index of a qubit, from 0. */
export type Qubit = number;
/** Index into the classical register, from 0. */
export type Bit = number;

/** Runs the operation only where the classical `bits`, `bits[0]` least significant, read `value`. */
export interface Condition {
  readonly bits: readonly Bit[];
  readonly value: number;
}

/**
 * A named gate. Its matrix acts on `targets` where every control is |1⟩; `controls` holds the
 * gate's own (one for CX) and any further ones alike.
 */
export interface GateOperation {
  readonly kind: 'gate';
  /** Canonical name in the gate table. */
  readonly gate: string;
  readonly controls: readonly Qubit[];
  readonly targets: readonly Qubit[];
  /** Radians, in the order of the gate's `parameters`. */
  readonly angles: readonly number[];
  readonly condition?: Condition;
}

/** An explicit unitary on one to six targets, under any controls. */
export interface UnitaryOperation {
  readonly kind: 'unitary';
  readonly controls: readonly Qubit[];
  readonly targets: readonly Qubit[];
  readonly matrix: ComplexMatrix;
  readonly condition?: Condition;
}

/** Measures `qubits[i]` in the computational basis into classical bit `bits[i]`. */
export interface MeasureOperation {
  readonly kind: 'measure';
  readonly qubits: readonly Qubit[];
  readonly bits: readonly Bit[];
  readonly condition?: Condition;
}

/** Returns each qubit to |0⟩, whatever it was entangled with. */
export interface ResetOperation {
  readonly kind: 'reset';
  readonly qubits: readonly Qubit[];
  readonly condition?: Condition;
}

/** No operation moves across it; an engine sees nothing of it. */
export interface BarrierOperation {
  readonly kind: 'barrier';
  readonly qubits: readonly Qubit[];
}

/** One entry of a circuit. */
export type Operation =
  | GateOperation
  | UnitaryOperation
  | MeasureOperation
  | ResetOperation
  | BarrierOperation;

/** A circuit on qubits 0 … numQubits − 1 that starts in |0…0⟩. */
export interface Circuit {
  readonly numQubits: number;
  readonly numBits: number;
  readonly operations: readonly Operation[];
}

/** The qubits an operation touches, controls first. */
export function operationQubits(operation: Operation): readonly Qubit[] {
  switch (operation.kind) {
    case 'gate':
    case 'unitary':
      return operation.controls.length === 0
        ? operation.targets
        : [...operation.controls, ...operation.targets];
    case 'measure':
    case 'reset':
    case 'barrier':
      return operation.qubits;
  }
}

/** How many angles the circuit's gates have together. */
export function numAnglesOf(circuit: Circuit): number {
  let count = 0;
  for (const operation of circuit.operations) {
    if (operation.kind === 'gate') count += operation.angles.length;
  }
  return count;
}

/**
 * For each classical bit, the qubit last measured into it; null for a bit never written.
 *
 * @returns Length `numBits`.
 */
export function measuredQubits(circuit: Circuit): readonly (Qubit | null)[] {
  const qubits: (Qubit | null)[] = new Array(circuit.numBits).fill(null);
  for (const operation of circuit.operations) {
    if (operation.kind !== 'measure') continue;
    for (const [i, bit] of operation.bits.entries()) qubits[bit] = operation.qubits[i]!;
  }
  return qubits;
}

/** The circuit itself, or, when it measures nothing, with a measurement of qubit i into bit i. */
export function withFinalMeasurement(circuit: Circuit): Circuit {
  if (circuit.operations.some((operation) => operation.kind === 'measure')) return circuit;
  const all = Array.from({ length: circuit.numQubits }, (_, qubit) => qubit);
  return {
    numQubits: circuit.numQubits,
    numBits: circuit.numQubits,
    operations: [...circuit.operations, { kind: 'measure', qubits: all, bits: all }],
  };
}

/**
 * Whether anything happens after, or because of, a measurement or reset, so that one final state
 * does not describe the run: then shots part ways and there is no single state vector.
 */
export function hasMidCircuitMeasurement(circuit: Circuit): boolean {
  const measured = new Set<Qubit>();
  for (const operation of circuit.operations) {
    if (operation.kind === 'barrier') continue;
    if (operation.kind === 'reset' || operation.condition !== undefined) return true;
    if (operation.kind === 'measure') {
      for (const qubit of operation.qubits) measured.add(qubit);
    } else if (operationQubits(operation).some((qubit) => measured.has(qubit))) {
      return true;
    }
  }
  return false;
}
