/**
 * Gate sets, given by the names of gates, and whether every circuit can be written in one.
 *
 * A set is universal if its one-qubit gates make any rotation, and one of its two-qubit gates makes a CX
 * together with rotations. A single rotation gate is enough if another gate of the set moves its axis.
 */

import { didYouMean } from '../../errors/nearest-names.ts';
import { adjoint, type ComplexMatrix, multiply } from '../../math/complex-matrix.ts';
import type { GateDefinition } from '../gate-definition.ts';
import { eulerAngles, H, RX } from '../gate-matrices.ts';
import { findGate, GATES } from '../gates.ts';

/** Form in which any one-qubit gate is written: the axes of three rotations, or the gates used. */
export type OneQubitBasis =
  | 'u'
  | 'zyz'
  | 'zxz'
  | 'xyx'
  | 'zsx'
  | 'prx'
  | 'u2'
  /** Rotations about one axis, with a fixed gate between them that moves the axis. */
  | Mover;

/**
 * Rotations about one axis, and a fixed gate, which is RZ(after)·RY(ω)·RZ(before) if the axis is taken as Z.
 */
export interface Mover {
  readonly rotation: string;
  readonly gate: string;
  /** Rotation that takes Z to the axis. */
  readonly frame: ComplexMatrix;
  /** ω, in radians, between 0 and π. */
  readonly tilt: number;
  /** Angles about the axis, in radians. */
  readonly before: number;
  readonly after: number;
}

/** A set of gates that every circuit can be written in. */
export interface GateSet {
  /** Canonical names. */
  readonly names: ReadonlySet<string>;
  /** Whether explicit unitaries and further controls are allowed as well. */
  readonly takesAnything: boolean;
  /** One-qubit gates without angles. */
  readonly fixed: readonly GateDefinition[];
  readonly basis: OneQubitBasis;
  /** Two-qubit gate that all others are made of. */
  readonly entangler: Entangler;
}

/**
 * A two-qubit gate at fixed angles that makes a CX with one-qubit gates: one of it, one and a SWAP, or two.
 */
export interface Entangler {
  readonly gate: string;
  readonly angles: readonly number[];
}

const PI = Math.PI;

/** Entanglers with their angles, in order of preference. A CX takes two of each of the last four. */
const ENTANGLERS: readonly Entangler[] = [
  { gate: 'CX', angles: [] },
  { gate: 'CZ', angles: [] },
  { gate: 'ECR', angles: [] },
  { gate: 'CY', angles: [] },
  { gate: 'RZZ', angles: [PI / 2] },
  { gate: 'RXX', angles: [PI / 2] },
  { gate: 'RYY', angles: [PI / 2] },
  { gate: 'RZX', angles: [PI / 2] },
  { gate: 'CP', angles: [PI] },
  { gate: 'CH', angles: [] },
  { gate: 'CRX', angles: [PI] },
  { gate: 'CRY', angles: [PI] },
  { gate: 'CRZ', angles: [PI] },
  { gate: 'CU3', angles: [PI, 0, PI] },
  { gate: 'CU', angles: [PI, 0, PI, 0] },
  { gate: 'FSIM', angles: [0, PI] },
  { gate: 'ISWAP', angles: [] },
  { gate: 'XX+YY', angles: [PI, 0] },
  { gate: 'XX-YY', angles: [PI, 0] },
  { gate: 'CS', angles: [] },
  { gate: 'CSX', angles: [] },
  { gate: 'DCX', angles: [] },
  { gate: 'SQRTISWAP', angles: [] },
];

/** One-qubit bases with the gates that they need, in order of preference. P serves as RZ. */
const BASES = [
  { basis: 'u', needs: ['U'] },
  { basis: 'zsx', needs: ['RZ', 'SX'] },
  { basis: 'zyz', needs: ['RZ', 'RY'] },
  { basis: 'zxz', needs: ['RZ', 'RX'] },
  { basis: 'xyx', needs: ['RX', 'RY'] },
  { basis: 'prx', needs: ['PRX'] },
  { basis: 'u2', needs: ['U2'] },
] as const;

/** Rotations about one axis, with the rotation that takes Z to that axis. */
const AXES: readonly {
  readonly axis: string;
  readonly rotation: string;
  readonly frame: ComplexMatrix;
}[] = [
  { axis: 'Z', rotation: 'RZ', frame: RX(0) },
  { axis: 'Z', rotation: 'P', frame: RX(0) },
  { axis: 'X', rotation: 'RX', frame: H() },
  { axis: 'Y', rotation: 'RY', frame: RX(-PI / 2) },
];

/** Smallest tilt of an axis, in radians, that counts as moving it. */
const UNMOVED = 1e-9;

/** All gates: one-qubit gates by name where they have one, else as U. */
export const ALL_GATES: GateSet = {
  ...gateSet(GATES.map(({ name }) => name)),
  takesAnything: true,
};

/** Returns the gate set of these names; undefined where it is not universal or a name is unknown. */
export function findGateSet(names: readonly string[]): GateSet | undefined {
  return gateSetFaults(names).length === 0 ? gateSet(names) : undefined;
}

/** Returns the faults of a list of names, each with its index, or without one for the whole list. */
export function gateSetFaults(
  names: readonly string[],
): readonly { readonly index?: number; readonly message: string }[] {
  const faults = names.flatMap((name, index) =>
    findGate(name) === undefined ? [{ index, message: unknownGate(name) }] : [],
  );
  if (faults.length > 0) return faults;
  const known = new Set(names.map((name) => findGate(name)?.name ?? name));
  return [oneQubitFault(known), entanglerFault(known)].flatMap((message) =>
    message === undefined ? [] : [{ message }],
  );
}

function unknownGate(name: string): string {
  // MS of trapped ions with both phases 0 is RXX(θ), and RZ around it makes any other phases.
  if (name.toLowerCase() === 'ms') return 'No gate is called ms; name rxx, which MS(0, 0, θ) is.';
  const known = GATES.flatMap((gate) => [gate.name, ...gate.aliases]);
  return `No gate is called ${JSON.stringify(name)}.${didYouMean(name, known)}`;
}

function oneQubitFault(names: ReadonlySet<string>): string | undefined {
  if (basisOf(names) !== undefined) return undefined;
  const own = AXES.find(({ rotation }) => names.has(rotation));
  if (own === undefined) {
    const ways = AXES.map(({ rotation }) => rotation).join(', ');
    return `None of its one-qubit gates has a free angle, and gates such as H and T reach most rotations only nearly; add U, PRX, U2 or one of ${ways}.`;
  }
  const ways = own.axis === 'Z' ? 'H, SX, RX or RY' : 'S, RZ or another rotation';
  return `Its one-qubit gates leave the ${own.axis} axis where it is or reverse it, so that they do not make all rotations; add one that moves it, such as ${ways}.`;
}

function entanglerFault(names: ReadonlySet<string>): string | undefined {
  if (entanglerOf(names) !== undefined) return undefined;
  const ways = ENTANGLERS.map(({ gate }) => gate).join(', ');
  const found = names.has('SWAP')
    ? 'SWAP only exchanges qubits and entangles nothing'
    : 'It has no two-qubit gate that a CX can be made of';
  return `${found}; it needs one of ${ways}.`;
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
  const has = (gate: string) => names.has(gate) || (gate === 'RZ' && names.has('P'));
  return BASES.find(({ needs }) => needs.every(has))?.basis ?? moverOf(names);
}

/** The gate of the set that moves the axis of a rotation furthest. */
function moverOf(names: ReadonlySet<string>): Mover | undefined {
  const movers = AXES.filter(({ rotation }) => names.has(rotation)).flatMap((axis) =>
    [...names].flatMap((name) => moversBy(name, axis)),
  );
  const reach = ({ tilt }: Mover) => Math.min(tilt, PI - tilt);
  return movers.reduce<Mover | undefined>(
    (best, each) => (best !== undefined && reach(best) > reach(each) - UNMOVED ? best : each),
    undefined,
  );
}

function moversBy(name: string, { rotation, frame }: (typeof AXES)[number]): readonly Mover[] {
  const definition = findGate(name);
  if (definition === undefined || definition.numControls + definition.numTargets !== 1) return [];
  if (definition.parameters.length > 0) return [];
  const turned = multiply(multiply(adjoint(frame), definition.matrix([])), frame);
  const { theta, phi, lambda } = eulerAngles(turned);
  if (Math.min(theta, PI - theta) < UNMOVED) return [];
  return [{ rotation, gate: name, frame, tilt: theta, before: lambda, after: phi }];
}

function entanglerOf(names: ReadonlySet<string>): Entangler | undefined {
  return ENTANGLERS.find(({ gate }) => names.has(gate));
}
