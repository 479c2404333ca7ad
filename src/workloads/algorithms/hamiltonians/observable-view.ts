/** Observables as JSON. */
import type { PauliSum } from '../../../circuit/observable.ts';

/** A term of an observable. */
export interface TermView {
  readonly pauli: string;
  readonly coefficient: number;
  readonly [name: string]: string | number;
}

/** Terms of an observable; the identity is "I". */
export function observableView(observable: PauliSum): readonly TermView[] {
  return observable.map(({ coefficient, factors }) => ({
    pauli: factors.map(({ pauli, qubit }) => `${pauli}${qubit}`).join(' ') || 'I',
    coefficient,
  }));
}
