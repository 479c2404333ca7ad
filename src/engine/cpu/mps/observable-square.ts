/** The square of an observable, as a sum of Pauli strings. */
import type { PauliFactor, PauliSum, PauliTerm } from '../../../circuit/observable.ts';

/** O², in which products of strings that anticommute have cancelled. */
export function observableSquare(observable: PauliSum): PauliSum {
  const terms = new Map<string, PauliTerm>();
  const add = (coefficient: number, factors: readonly PauliFactor[]) => {
    const key = factors.map(({ pauli, qubit }) => `${pauli}${qubit}`).join(' ');
    terms.set(key, { coefficient: coefficient + (terms.get(key)?.coefficient ?? 0), factors });
  };
  for (const [i, a] of observable.entries()) {
    add(a.coefficient ** 2, []);
    for (const b of observable.slice(0, i)) {
      const { factors, quarterTurns } = productOf(a, b);
      // Strings commute where their product is real: both orders give the same.
      if (quarterTurns % 2 === 1) continue;
      const sign = quarterTurns === 0 ? 1 : -1;
      add(2 * sign * a.coefficient * b.coefficient, factors);
    }
  }
  return [...terms.values()];
}

const NEXT = { X: 'Y', Y: 'Z', Z: 'X' } as const;

/** Product of two strings: i^quarterTurns times the factors, in ascending order of their qubits. */
function productOf(a: PauliTerm, b: PauliTerm) {
  const paulis = new Map(a.factors.map(({ pauli, qubit }) => [qubit, pauli]));
  let quarterTurns = 0;
  for (const { pauli, qubit } of b.factors) {
    const other = paulis.get(qubit);
    if (other === undefined) paulis.set(qubit, pauli);
    else if (other === pauli) paulis.delete(qubit);
    else {
      // XY = iZ and round; the other order has the opposite sign.
      const isForward = NEXT[other] === pauli;
      quarterTurns += isForward ? 1 : 3;
      paulis.set(qubit, isForward ? NEXT[pauli] : NEXT[other]);
    }
  }
  const factors = [...paulis]
    .map(([qubit, pauli]): PauliFactor => ({ pauli, qubit }))
    .sort((x, y) => x.qubit - y.qubit);
  return { factors, quarterTurns: quarterTurns % 4 };
}
