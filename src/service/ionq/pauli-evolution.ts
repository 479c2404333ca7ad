/**
 * Gates of exp(−i·t·H) for a sum H of Pauli strings: the gate `pauliexp` of IonQ's interface.
 *
 * Strings that commute give a product of rotations, each of which is exact. Otherwise the exponential of the whole sum
 * is one unitary, as long as it acts on few qubits. A product formula would be an approximation that the caller did not
 * ask for.
 */

import type { Qubit } from '../../circuit/circuit.ts';
import { MAX_UNITARY_QUBITS, StepsSpentError } from '../../circuit/circuit-limits.ts';
import type { GateObject } from '../../circuit/gate-object.ts';
import type { PauliFactor, PauliSum } from '../../circuit/observable.ts';
import { type ComplexMatrix, dimension } from '../../math/complex-matrix.ts';
import { exponential } from '../../workloads/algorithms/hamiltonians/observable-action.ts';

/** Pauli strings with coefficients, and the time of the evolution. */
export interface PauliEvolution {
  /** Strings of I, X, Y and Z, one character a target; the last character acts on `targets[0]`. */
  readonly terms: readonly string[];
  readonly coefficients: readonly number[];
  readonly time: number;
  readonly targets: readonly Qubit[];
}

const PAULIS = ['X', 'Y', 'Z'] as const;

/** Qubits up to which an exponential is short: it takes 0.2 ms on three qubits, and 16 ms on six. */
const SHORT_QUBITS = 3;

/**
 * Gates of an evolution; undefined if its strings do not commute and act on more qubits than a unitary may.
 *
 * @param mayTakeLong - Whether the exponential of a wide sum may be computed.
 * @throws {StepsSpentError} if it is needed and may not be computed.
 */
export function evolutionGates(
  evolution: PauliEvolution,
  mayTakeLong: boolean,
): readonly GateObject[] | undefined {
  const { terms, coefficients, time, targets } = evolution;
  if (doCommute(terms)) {
    return terms.flatMap((term, i) => rotation(term, 2 * time * (coefficients[i] ?? 0), targets));
  }
  if (targets.length > MAX_UNITARY_QUBITS) return undefined;
  if (!mayTakeLong && targets.length > SHORT_QUBITS) throw new StepsSpentError();
  return [
    {
      gate: 'UNITARY',
      targets,
      matrix: rowsOf(exponential(observableOf(evolution), targets.length, time)),
    },
  ];
}

/** Whether all strings commute: two do if they differ in an even number of places where neither has I. */
function doCommute(terms: readonly string[]): boolean {
  const distinct = [...new Set(terms)];
  for (const [i, term] of distinct.entries()) {
    for (let j = 0; j < i; j++) if (!doPairCommute(term, distinct[j]!)) return false;
  }
  return true;
}

function doPairCommute(term: string, other: string): boolean {
  let differing = 0;
  for (let at = 0; at < term.length; at++) {
    if (term[at] !== 'I' && other[at] !== 'I' && term[at] !== other[at]) differing++;
  }
  return differing % 2 === 0;
}

/** Gates of exp(−i·θ/2·P). */
function rotation(term: string, theta: number, targets: readonly Qubit[]): readonly GateObject[] {
  const factors = [...term]
    .map((pauli, at) => ({ pauli, qubit: targets[term.length - 1 - at]! }))
    .filter(({ pauli }) => pauli !== 'I');
  const qubits = factors.map(({ qubit }) => qubit);
  const [first] = factors;
  const last = qubits.at(-1);
  // A string of I alone is a global phase.
  if (first === undefined || last === undefined) return [];
  const isUniform = factors.every(({ pauli }) => pauli === first.pauli);
  if (factors.length === 1) return [{ gate: `R${first.pauli}`, targets: qubits, theta }];
  if (factors.length === 2 && isUniform) {
    return [{ gate: `R${first.pauli}${first.pauli}`, targets: qubits, theta }];
  }
  const toZ = factors.flatMap(({ pauli, qubit }) => TO_Z[pauli]?.(qubit) ?? []);
  const fromZ = factors.flatMap(({ pauli, qubit }) => FROM_Z[pauli]?.(qubit) ?? []);
  const ladder = qubits.slice(1).map((target, i) => ({ gate: 'CX', control: qubits[i]!, target }));
  return [...toZ, ...ladder, { gate: 'RZ', target: last, theta }, ...ladder.toReversed(), ...fromZ];
}

type Basis = Readonly<Record<string, (target: Qubit) => readonly GateObject[]>>;

/** Gates that turn a Pauli operator into Z, and back: X = H Z H, Y = (S H) Z (H S†). */
const TO_Z: Basis = {
  X: (target) => [{ gate: 'H', target }],
  Y: (target) => [
    { gate: 'SDG', target },
    { gate: 'H', target },
  ],
};
const FROM_Z: Basis = {
  X: (target) => [{ gate: 'H', target }],
  Y: (target) => [
    { gate: 'H', target },
    { gate: 'S', target },
  ],
};

/** The sum as an observable; qubit i is `targets[i]`. */
function observableOf({ terms, coefficients }: PauliEvolution): PauliSum {
  return terms.map((term, i) => ({
    coefficient: coefficients[i] ?? 0,
    factors: [...term].reverse().flatMap((letter, qubit): readonly PauliFactor[] => {
      const pauli = PAULIS.find((each) => each === letter);
      return pauli === undefined ? [] : [{ pauli, qubit }];
    }),
  }));
}

function rowsOf(matrix: ComplexMatrix): NonNullable<GateObject['matrix']> {
  const d = dimension(matrix);
  return Array.from({ length: d }, (_, row) =>
    Array.from({ length: d }, (_, column) => {
      const at = 2 * (row * d + column);
      return [matrix[at]!, matrix[at + 1]!] as [number, number];
    }),
  );
}
