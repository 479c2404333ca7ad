/**
 * Hamiltonians of time evolutions, and what can be said of them before the time is known: which of their terms
 * commute, and which act on qubits of their own.
 */

import type { Qubit } from '../circuit.ts';
import { counted, type FaultList, LIMIT_EXCEEDED } from '../errors.ts';
import type { GateAngle, HamiltonianTermObject } from '../gate-object.ts';
import type { OpenNumber } from '../gate-object-inputs.ts';
import { type PauliFactor, pauliFactors } from '../observable.ts';
import { CommutationGraph } from './commutation-graph.ts';

/** Most terms of a Hamiltonian; each pair of them is compared. */
export const MAX_HAMILTONIAN_TERMS = 10_000;

/** A term of a Hamiltonian. */
export interface HamiltonianTerm {
  readonly factors: readonly PauliFactor[];
  readonly coefficient: OpenNumber;
  /** The coefficient as it was written. */
  readonly written: GateAngle;
}

/** Terms of a Hamiltonian that share no qubit with its others, in the order in which they were written. */
export interface Component {
  readonly terms: readonly HamiltonianTerm[];
  /** Ascending; empty for the identity. */
  readonly qubits: readonly Qubit[];
  /** Undefined where all terms commute. */
  readonly graph: CommutationGraph | undefined;
}

/**
 * Reads the terms of a Hamiltonian; undefined after reporting their faults. Terms whose coefficient is 0 are left out.
 *
 * @param path - Path of the list in messages: `circuit[3].hamiltonian`.
 * @param read - Reads a coefficient, or reports its fault.
 */
export function readHamiltonian(
  terms: readonly HamiltonianTermObject[],
  { numQubits, controls }: { readonly numQubits: number; readonly controls: readonly Qubit[] },
  path: string,
  faults: FaultList,
  read: (written: GateAngle, path: string) => OpenNumber | undefined,
): readonly HamiltonianTerm[] | undefined {
  if (terms.length > MAX_HAMILTONIAN_TERMS) {
    const problem = `${terms.length} terms; the limit is ${MAX_HAMILTONIAN_TERMS}.`;
    faults.add(path, problem, LIMIT_EXCEEDED);
    return undefined;
  }
  if (terms.length === 0) faults.add(path, 'A Hamiltonian has at least one term.');
  const before = faults.count;
  const out: HamiltonianTerm[] = [];
  for (const [i, { pauli, coefficient: written = 1 }] of terms.entries()) {
    const factors = pauliFactors(pauli, numQubits, `${path}[${i}].pauli`, faults);
    const shared = factors?.find(({ qubit }) => controls.includes(qubit));
    if (shared !== undefined) {
      const problem = `Qubit ${shared.qubit} is a control of this EVOLVE, too.`;
      faults.add(`${path}[${i}].pauli`, problem);
    }
    const coefficient = read(written, `${path}[${i}].coefficient`);
    if (factors !== undefined && coefficient !== undefined && written !== 0) {
      out.push({ factors, coefficient, written });
    }
  }
  return faults.count === before && terms.length > 0 ? out : undefined;
}

/** The components of a Hamiltonian, in the order of their first terms. */
export function componentsOf(terms: readonly HamiltonianTerm[]): readonly Component[] {
  /** The qubit that stands for all qubits of a component. */
  const leaders = new Map<Qubit, Qubit>();
  const leaderOf = (qubit: Qubit): Qubit => {
    let leader = qubit;
    for (let next = leaders.get(leader); next !== undefined; next = leaders.get(leader)) {
      leader = next;
    }
    // Later searches are short.
    if (leader !== qubit) leaders.set(qubit, leader);
    return leader;
  };
  for (const { factors } of terms) {
    for (const { qubit } of factors) {
      const [first, other] = [leaderOf(factors[0]!.qubit), leaderOf(qubit)];
      if (first !== other) leaders.set(other, first);
    }
  }
  const byLeader = new Map<Qubit, HamiltonianTerm[]>();
  for (const term of terms) {
    const [first] = term.factors;
    const leader = first === undefined ? -1 : leaderOf(first.qubit);
    const others = byLeader.get(leader);
    if (others === undefined) byLeader.set(leader, [term]);
    else others.push(term);
  }
  return [...byLeader.values()].map((own) => {
    const qubits = new Set(own.flatMap(({ factors }) => factors.map(({ qubit }) => qubit)));
    const graph = new CommutationGraph(own.map(({ factors }) => factors));
    const doCommute = own.every((_, i) => graph.commutesWithAll(i));
    return {
      terms: own,
      qubits: [...qubits].sort((a, b) => a - b),
      graph: doCommute ? undefined : graph,
    };
  });
}

/** Words for the components that can only be evolved by a formula. */
export const inWords = ({ terms, qubits }: Component): string =>
  `${counted(terms.length, 'term')} on ${counted(qubits.length, 'qubit')}`;
