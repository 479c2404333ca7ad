/**
 * Gate objects: operations as callers write them in JSON, not yet checked.
 *
 * One type with optional fields rather than a union by gate: the gate table decides which fields a gate
 * takes, and a fault should name a field, not the branches of a union.
 */
import type { Condition, Qubit } from './circuit.ts';
import { MAX_UNITARY_QUBITS } from './circuit-limits.ts';
import type { Bit } from './classical-expression.ts';
import type { GateDefinition } from './gate-definition.ts';
import { findGate, GATES } from './gates.ts';
import type { MatrixRows } from './matrix-rows.ts';
import type { ChannelObject } from './noise/channel-object.ts';
import type { ObservableObject } from './observable.ts';

/** An angle that depends on an input of the circuit: `input · scale + offset`, radians. */
export type InputAngle = {
  /** Name of the input. */
  readonly input: string;
  /** 1 unless given. */
  readonly scale?: number | undefined;
  /** Radians; 0 unless given. */
  readonly offset?: number | undefined;
};

/** An angle as a caller writes it; a number is in radians. */
export type GateAngle = number | InputAngle;

/** One term of a Hamiltonian as a caller writes it. */
export type HamiltonianTermObject = {
  /** Pauli string, for example `"Z0 Z1"`. */
  readonly pauli: string;
  /** 1 by default. */
  readonly coefficient?: GateAngle | undefined;
};

/** One entry of a circuit in JSON. Qubits and bits count from 0; angles are in radians. */
export interface GateObject {
  /** Name or alias from the catalog, in any case. */
  readonly gate: string;
  readonly qubit?: Qubit | undefined;
  readonly target?: Qubit | undefined;
  readonly control?: Qubit | undefined;
  readonly controls?: readonly Qubit[] | undefined;
  readonly qubits?: readonly Qubit[] | undefined;
  readonly targets?: readonly Qubit[] | undefined;
  readonly theta?: GateAngle | undefined;
  readonly phi?: GateAngle | undefined;
  readonly lambda?: GateAngle | undefined;
  readonly gamma?: GateAngle | undefined;
  readonly beta?: GateAngle | undefined;
  /** For `UNITARY` only. */
  readonly matrix?: MatrixRows | undefined;
  /** For `M` only: the classical bit of each qubit. */
  readonly bits?: readonly Bit[] | undefined;
  /** For `SAVE` only: the name of the snapshot in the answer. */
  readonly label?: string | undefined;
  /** For `SAVE` only: the output. */
  readonly what?: string | undefined;
  /** For `SAVE` of `expectation` only. */
  readonly observables?: readonly ObservableObject[] | undefined;
  /** For `SAVE` of `amplitudes` only: labels. */
  readonly basis_states?: readonly string[] | undefined;
  /** For `NOISE` only. */
  readonly channel?: ChannelObject | undefined;
  /** For `EVOLVE` only, as the fields below. */
  readonly hamiltonian?: readonly HamiltonianTermObject[] | undefined;
  readonly time?: GateAngle | undefined;
  /** Order of the product formula: 1, 2 (default) or 4. */
  readonly order?: number | undefined;
  readonly steps?: number | undefined;
  /** Bound on the error, from which the steps follow. */
  readonly max_error?: number | undefined;
  /** Whether the evolution must be exact; false for a product formula where it could be. */
  readonly exact?: boolean | undefined;
  readonly condition?: Condition | undefined;
}

/** Names of the field that holds the targets; a gate object uses one of them. */
export const TARGET_FIELDS = ['qubit', 'target', 'qubits', 'targets'] as const;
/** Name of a field that may hold the targets. */
export type TargetField = (typeof TARGET_FIELDS)[number];

/** An operation that is not in the gate table. */
export interface SpecialOperation {
  readonly name: 'UNITARY' | 'EVOLVE' | 'M' | 'RESET' | 'BARRIER' | 'NOISE' | 'SAVE';
  /** Other accepted names, in any case. */
  readonly aliases: readonly string[];
  readonly summary: string;
}

/** Operations that a circuit may contain beside the gates of the gate table. */
export const SPECIAL_OPERATIONS: readonly SpecialOperation[] = [
  {
    name: 'UNITARY',
    aliases: [],
    summary: `Any unitary matrix on 1 to ${MAX_UNITARY_QUBITS} qubits`,
  },
  {
    name: 'EVOLVE',
    aliases: [],
    summary:
      'Time evolution under a Hamiltonian, written out as rotations, unitaries or a product formula',
  },
  {
    name: 'M',
    aliases: ['measure', 'mz'],
    summary: 'Measurement in the computational basis, anywhere in a circuit',
  },
  { name: 'RESET', aliases: [], summary: 'Returns qubits to |0⟩' },
  { name: 'BARRIER', aliases: [], summary: 'No operation is moved across it' },
  {
    name: 'NOISE',
    aliases: [],
    summary: 'A noise channel; one on one qubit is applied to each of `qubits`',
  },
  {
    name: 'SAVE',
    aliases: [],
    summary: 'Saves an output of the state at this place, for the answer',
  },
];

/** Fields that `EVOLVE` alone has. */
export const EVOLVE_FIELDS = [
  'hamiltonian',
  'time',
  'order',
  'steps',
  'max_error',
  'exact',
] as const;

const specialByName = new Map<string, SpecialOperation>();
for (const operation of SPECIAL_OPERATIONS) {
  for (const name of [operation.name, ...operation.aliases]) {
    specialByName.set(name.toLowerCase(), operation);
  }
}

/** Finds the operation of a name or alias, in any case; undefined where there is none. */
export function findOperation(name: string): GateDefinition | SpecialOperation | undefined {
  return findGate(name) ?? specialByName.get(name.toLowerCase());
}

/** Every name and alias that `gate` of a gate object may have. */
export function operationNames(): readonly string[] {
  return [...GATES, ...SPECIAL_OPERATIONS].flatMap(({ name, aliases }) => [name, ...aliases]);
}
