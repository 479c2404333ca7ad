/** The type of a gate table record: gates.ts fills it, everything else reads it. */
import type { ComplexMatrix } from '../math/complex-matrix.ts';

/** Names of the angles that a gate may take, as callers write them. */
export type ParameterName = 'theta' | 'phi' | 'lambda' | 'gamma' | 'beta';

/** All parameter names, in the order documents list them. */
export const PARAMETER_NAMES: readonly ParameterName[] = [
  'theta',
  'phi',
  'lambda',
  'gamma',
  'beta',
];

/**
 * A property of the target matrix that holds for every angle; tests check each one.
 *
 * `permutation`: one nonzero entry per column (a permutation with phases). `self-inverse`: U·U = 1.
 */
export type GateTrait = 'diagonal' | 'permutation' | 'real' | 'self-inverse';

/** The gate's name in OpenQASM. */
export interface OpenQasmName {
  readonly name: string;
  /**
   * Library that defines the name: both standard libraries, one of them, or none. A printed program defines a
   * gate of no library itself.
   */
  readonly library: 'qelib1+stdgates' | 'qelib1' | 'stdgates' | 'builtin' | 'none';
}

/** The inverse of a gate, on the same controls. */
export interface InverseGate {
  readonly gate: string;
  readonly angles: readonly number[];
  /** Positions into the gate's targets, where the inverse takes them in another order. */
  readonly targetOrder?: readonly number[];
}

/** One record of the gate table. */
export interface GateDefinition {
  /** Canonical name, upper case. */
  readonly name: string;
  /** Other accepted names, in any case: those of OpenQASM, Qiskit, IonQ, Braket and Cirq. */
  readonly aliases: readonly string[];
  readonly summary: string;
  /** Controls that are part of the gate; callers may add further ones. */
  readonly numControls: number;
  readonly numTargets: number;
  readonly parameters: readonly ParameterName[];
  /**
   * Matrix that acts on the targets where the controls are |1⟩; 2^numTargets rows.
   *
   * @param out - An earlier result of this gate, which may be overwritten and returned.
   */
  matrix(angles: readonly number[], out?: ComplexMatrix): ComplexMatrix;
  /** The target matrix as a formula for readers. */
  readonly formula: string;
  readonly traits: readonly GateTrait[];
  inverse(angles: readonly number[]): InverseGate;
  readonly openqasm: OpenQasmName;
}
