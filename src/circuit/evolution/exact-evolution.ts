/** The exponential of a sum of Pauli strings on a few qubits, by its eigenvectors. */
import {
  adjoint,
  type ComplexMatrix,
  multiply,
  orthonormalizedRows,
} from '../../math/complex-matrix.ts';
import { type Eigenvectors, hermitianEigenvectors } from '../../math/hermitian-eigenvectors.ts';
import type { Qubit } from '../circuit.ts';
import { type PauliSum, pauliMasks } from '../observable.ts';

/** Eigenvalues and eigenvectors of a sum of strings on `qubits`, of which `qubits[0]` is the lowest bit of an index. */
export function eigenvectorsOf(sum: PauliSum, qubits: readonly Qubit[]): Eigenvectors {
  const d = 2 ** qubits.length;
  const matrix: ComplexMatrix = new Float64Array(2 * d * d);
  for (const { coefficient, factors } of sum) {
    const { flips, signs, numY } = pauliMasks(factors, (qubit) => 1 << qubits.indexOf(qubit));
    for (let column = 0; column < d; column++) {
      // |column⟩ goes to i^numY · (−1)^|column & signs| · |column ^ flips⟩.
      let turns = numY;
      for (let bits = column & signs; bits !== 0; bits &= bits - 1) turns += 2;
      const at = 2 * ((column ^ flips) * d + column) + (turns & 1);
      matrix[at]! += (turns & 2) === 0 ? coefficient : -coefficient;
    }
  }
  return hermitianEigenvectors(matrix);
}

/** exp(−i·time·H) of a matrix H with these eigenvectors. */
export function exponentialOf({ values, vectors }: Eigenvectors, time: number): ComplexMatrix {
  const d = values.length;
  const turned = vectors.slice();
  for (let row = 0; row < d; row++) {
    for (let k = 0; k < d; k++) {
      const [c, s] = [Math.cos(time * values[k]!), -Math.sin(time * values[k]!)];
      const at = 2 * (row * d + k);
      const [re, im] = [vectors[at]!, vectors[at + 1]!];
      turned[at] = re * c - im * s;
      turned[at + 1] = re * s + im * c;
    }
  }
  // Rounding errors of unitaries would add up over many evolutions.
  return orthonormalizedRows(multiply(turned, adjoint(vectors)));
}

/**
 * Energies as a sum over sets of qubits: `energies[b]` is the sum of the entries of the result whose index has no
 * bits but those of b. Entry s is the phase rate of a phase gate under the qubits of s.
 */
export function ratesOfSets(energies: Float64Array): Float64Array {
  const rates = energies.slice();
  for (let bit = 1; bit < rates.length; bit *= 2) {
    for (let i = 0; i < rates.length; i++) if ((i & bit) !== 0) rates[i]! -= rates[i ^ bit]!;
  }
  return rates;
}
