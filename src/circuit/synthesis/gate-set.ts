/**
 * A set of gates that any circuit can be written in, and how: from the names of gates.
 *
 * A set can do it if its one-qubit gates make any rotation, and it has a two-qubit gate that a CX
 * becomes by rotations before and after it.
 */
import type { GateDefinition } from '../gate-definition.ts';
import { findGate, GATES } from '../gates.ts';

/** How any one-qubit gate is written: by the axes of three rotations, or by the gates used. */
export type OneQubitBasis = 'u' | 'zyz' | 'zxz' | 'xyx' | 'zsx' | 'prx';

/** A set of gates. */
export interface GateSet {
  /** Canonical names. */
  readonly names: ReadonlySet<string>;
  /** Whether explicit unitaries and further controls are as good as gates with names. */
  readonly takesAnything: boolean;
  /** One-qubit gates without angles. */
  readonly fixed: readonly GateDefinition[];
  readonly basis: OneQubitBasis;
  /** The two-qubit gate that others are made of. */
  readonly entangler: Entangler;
}

/** A gate that one-qubit gates make a CX of. */
export interface Entangler {
  readonly gate: string;
  readonly angles: readonly number[];
}

/** Two-qubit gates that a CX can be made of with one, and at which angles; the first is preferred. */
const ENTANGLERS: readonly Entangler[] = [
  { gate: 'CX', angles: [] },
  { gate: 'CZ', angles: [] },
  { gate: 'ECR', angles: [] },
  { gate: 'CY', angles: [] },
  { gate: 'RZZ', angles: [Math.PI / 2] },
  { gate: 'RXX', angles: [Math.PI / 2] },
  { gate: 'RYY', angles: [Math.PI / 2] },
  { gate: 'RZX', angles: [Math.PI / 2] },
  { gate: 'CP', angles: [Math.PI] },
];

/** What one-qubit gates a basis is made of; the first that a set has is taken. */
const BASES: readonly { readonly basis: OneQubitBasis; readonly needs: readonly string[] }[] = [
  { basis: 'u', needs: ['U'] },
  { basis: 'zsx', needs: ['RZ', 'SX'] },
  { basis: 'zyz', needs: ['RZ', 'RY'] },
  { basis: 'zxz', needs: ['RZ', 'RX'] },
  { basis: 'xyx', needs: ['RX', 'RY'] },
  { basis: 'prx', needs: ['PRX'] },
];

/** Every gate: one-qubit gates by name where they have one, else as U. */
export const ALL_GATES: GateSet = {
  ...gateSet(GATES.map(({ name }) => name)),
  takesAnything: true,
};

/** The gate set of these names; undefined where they are not enough, or one is unknown. */
export function findGateSet(names: readonly string[]): GateSet | undefined {
  return gateSetFaults(names).length === 0 ? gateSet(names) : undefined;
}

/** What is wrong with a list of names: positions (undefined: the whole list) and messages. */
export function gateSetFaults(
  names: readonly string[],
): readonly { readonly index?: number; readonly message: string }[] {
  const faults = names.flatMap((name, index) =>
    findGate(name) === undefined ? [{ index, message: `No gate is called ${name}.` }] : [],
  );
  if (faults.length > 0) return faults;
  const known = new Set(names.map((name) => findGate(name)?.name ?? name));
  const lacks: { readonly message: string }[] = [];
  if (basisOf(known) === undefined) {
    const ways = BASES.map(({ needs }) => needs.join(' and ')).join(', ');
    lacks.push({ message: `Its one-qubit gates do not make all rotations; these do: ${ways}.` });
  }
  if (entanglerOf(known) === undefined) {
    const ways = ENTANGLERS.map(({ gate }) => gate).join(', ');
    lacks.push({ message: `It has no two-qubit gate to make a CX of; it needs one of ${ways}.` });
  }
  return lacks;
}

function gateSet(given: readonly string[]): GateSet {
  const definitions = given.flatMap((name) => findGate(name) ?? []);
  const names = new Set(definitions.map(({ name }) => name));
  const [basis, entangler] = [basisOf(names), entanglerOf(names)];
  if (basis === undefined || entangler === undefined) {
    throw new Error('unreachable: a gate set that was not checked');
  }
  const fixed = definitions.filter(
    ({ numControls, numTargets, parameters, name }) =>
      numControls === 0 && numTargets === 1 && parameters.length === 0 && name !== 'ID',
  );
  return { names, takesAnything: false, fixed, basis, entangler };
}

function basisOf(names: ReadonlySet<string>): OneQubitBasis | undefined {
  return BASES.find(({ needs }) => needs.every((gate) => names.has(gate)))?.basis;
}

function entanglerOf(names: ReadonlySet<string>): Entangler | undefined {
  return ENTANGLERS.find(({ gate }) => names.has(gate));
}
