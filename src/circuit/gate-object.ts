/**
 * The JSON form of an operation: what a caller writes, before it is known to make sense.
 *
 * One loose shape with optional fields rather than a union by gate: which fields a gate takes is
 * the gate table's knowledge, and a fault should name the field, not a union's branches.
 */
import type { Condition, Qubit } from './circuit.ts';
import { MAX_UNITARY_QUBITS } from './circuit-limits.ts';
import type { Bit } from './classical-expression.ts';
import type { GateDefinition } from './gate-definition.ts';
import { findGate, GATES } from './gates.ts';

/** A matrix as rows of `[re, im]`. */
export type MatrixRows = readonly (readonly (readonly [re: number, im: number])[])[];

/** One entry of a circuit in JSON. Qubits and bits count from 0; angles are radians. */
export interface GateObject {
  /** A catalog name or alias, in any case. */
  readonly gate: string;
  readonly qubit?: Qubit | undefined;
  readonly target?: Qubit | undefined;
  readonly control?: Qubit | undefined;
  readonly controls?: readonly Qubit[] | undefined;
  readonly qubits?: readonly Qubit[] | undefined;
  readonly targets?: readonly Qubit[] | undefined;
  readonly theta?: number | undefined;
  readonly phi?: number | undefined;
  readonly lambda?: number | undefined;
  readonly gamma?: number | undefined;
  readonly beta?: number | undefined;
  /** `UNITARY` only. */
  readonly matrix?: MatrixRows | undefined;
  /** `M` only: the classical bit of each qubit. */
  readonly bits?: readonly Bit[] | undefined;
  readonly condition?: Condition | undefined;
}

/** The four names under which the targets may stand; a gate object uses one. */
export const TARGET_FIELDS = ['qubit', 'target', 'qubits', 'targets'] as const;
/** One of the four. */
export type TargetField = (typeof TARGET_FIELDS)[number];

/** An operation that is no named gate of the gate table. */
export interface SpecialOperation {
  readonly name: 'UNITARY' | 'M' | 'RESET' | 'BARRIER';
  /** Also accepted, in any case. */
  readonly aliases: readonly string[];
  readonly summary: string;
}

/** What a circuit may hold beside the gates of the gate table. */
export const SPECIAL_OPERATIONS: readonly SpecialOperation[] = [
  {
    name: 'UNITARY',
    aliases: [],
    summary: `Any unitary matrix on 1 to ${MAX_UNITARY_QUBITS} qubits`,
  },
  {
    name: 'M',
    aliases: ['measure', 'mz'],
    summary: 'Measurement in the computational basis, anywhere in a circuit',
  },
  { name: 'RESET', aliases: [], summary: 'Returns qubits to |0⟩' },
  { name: 'BARRIER', aliases: [], summary: 'No operation is moved across it' },
];

const specialByName = new Map<string, SpecialOperation>();
for (const operation of SPECIAL_OPERATIONS) {
  for (const name of [operation.name, ...operation.aliases]) {
    specialByName.set(name.toLowerCase(), operation);
  }
}

/** What a gate object's `gate` names, in any case; undefined when nothing is called that. */
export function findOperation(name: string): GateDefinition | SpecialOperation | undefined {
  return findGate(name) ?? specialByName.get(name.toLowerCase());
}

/** Every name and alias a gate object's `gate` may hold. */
export function operationNames(): readonly string[] {
  return [...GATES, ...SPECIAL_OPERATIONS].flatMap(({ name, aliases }) => [name, ...aliases]);
}
