/** Observables under readout errors: the reading of a Pauli is a sum of the Pauli and the identity. */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { ReadingMap } from '../../../circuit/expectation-estimates.ts';
import type { Confusion } from '../../../circuit/noise/apply-noise.ts';
import type { PauliFactor, PauliSum, PauliTerm } from '../../../circuit/observable.ts';

/** The map of a qubit's readout errors. */
export function readingMap({ p1Given0, p0Given1 }: Confusion): ReadingMap {
  return { offset: p0Given1 - p1Given0, slope: 1 - p1Given0 - p0Given1 };
}

/**
 * The observable whose exact mean is that of readings with errors. A string of w Paulis becomes up to 2^w strings, one
 * if both values of every bit are misread alike.
 */
export function misreadObservable(
  observable: PauliSum,
  mapOf: (qubit: Qubit) => ReadingMap,
): PauliSum {
  return observable.flatMap(({ coefficient, factors }) => {
    let parts: PauliTerm[] = [{ coefficient, factors: [] }];
    for (const factor of factors) parts = parts.flatMap((part) => read(part, factor, mapOf));
    return parts;
  });
}

function read(
  { coefficient, factors }: PauliTerm,
  factor: PauliFactor,
  mapOf: (qubit: Qubit) => ReadingMap,
): PauliTerm[] {
  const { offset, slope } = mapOf(factor.qubit);
  const read = { coefficient: slope * coefficient, factors: [...factors, factor] };
  return offset === 0 ? [read] : [read, { coefficient: offset * coefficient, factors }];
}

/** Number of strings that an observable becomes. */
export function numMisreadStrings(
  observable: PauliSum,
  mapOf: (qubit: Qubit) => ReadingMap,
): number {
  return observable.reduce((sum, { factors }) => {
    const numSplit = factors.filter(({ qubit }) => mapOf(qubit).offset !== 0).length;
    return sum + 2 ** numSplit;
  }, 0);
}
