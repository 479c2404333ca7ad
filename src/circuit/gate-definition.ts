/** What the gate table says of a gate: the one type that gates.ts fills and everything else reads. */
import type { ComplexMatrix } from '../math/complex-matrix.ts';

/** Angles a gate may take, by the names callers write. */
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
 * A claim about the target matrix that holds for every angle; tests check each claim.
 *
 * `permutation`: one nonzero entry a column (a permutation with phases). `self-inverse`: U·U = 1.
 */
export type GateTrait = 'diagonal' | 'permutation' | 'real' | 'self-inverse';

/** How OpenQASM writes the gate. */
export interface OpenQasmName {
  readonly name: string;
  /**
   * Where the name is defined: both standard libraries, one of them, or nowhere, in which case a
   * printed program carries the definition itself.
   */
  readonly library: 'qelib1+stdgates' | 'qelib1' | 'stdgates' | 'builtin' | 'none';
}

/** The gate that undoes a gate, on the same controls. */
export interface InverseGate {
  readonly gate: string;
  readonly angles: readonly number[];
  /** Set where the inverse takes the targets in another order: positions into the old targets. */
  readonly targetOrder?: readonly number[];
}

/** One record of the gate table. */
export interface GateDefinition {
  /** Canonical, upper case. */
  readonly name: string;
  /** Also accepted, in any case: the names of OpenQASM, Qiskit, IonQ, Braket, Cirq. */
  readonly aliases: readonly string[];
  readonly summary: string;
  /** Controls that are part of the gate; callers may add further ones. */
  readonly numControls: number;
  readonly numTargets: number;
  readonly parameters: readonly ParameterName[];
  /** What acts on the targets where the controls are |1⟩; 2^numTargets rows. */
  matrix(angles: readonly number[]): ComplexMatrix;
  /** The target matrix as a formula for people. */
  readonly formula: string;
  readonly traits: readonly GateTrait[];
  inverse(angles: readonly number[]): InverseGate;
  readonly openqasm: OpenQasmName;
}
