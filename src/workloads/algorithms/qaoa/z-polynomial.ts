/**
 * Energies of basis states as a sum of products of Z: E(b) = Σ_S w_S·(−1)^|b & S|.
 *
 * Tables of values and weights are Walsh–Hadamard transforms of each other, which costs n·2^n.
 */
import type { PauliSum } from '../../../circuit/observable.ts';
import type { IsingProblem } from './ising-problem.ts';

/** A term: weight times the product of Z over `qubits`, which are distinct and at least one. */
export interface ZTerm {
  readonly qubits: readonly number[];
  readonly weight: number;
}

/** A diagonal observable. */
export interface ZPolynomial {
  readonly numQubits: number;
  readonly offset: number;
  readonly terms: readonly ZTerm[];
}

/** The energies of an Ising problem as a polynomial. */
export function isingPolynomial(problem: IsingProblem): ZPolynomial {
  const { numQubits, offset, fields, couplings } = problem;
  const terms = [
    ...fields.map((weight, qubit) => ({ qubits: [qubit], weight })),
    ...couplings.map(({ i, j, value }) => ({ qubits: [i, j], weight: value })),
  ];
  return { numQubits, offset, terms: terms.filter(({ weight }) => weight !== 0) };
}

/** Collects functions of few bits into one polynomial. */
export class ZPolynomialBuilder {
  readonly #numQubits: number;
  readonly #weights = new Map<number, number>();

  /** @param numQubits - At most 30. */
  constructor(numQubits: number) {
    this.#numQubits = numQubits;
  }

  /**
   * Adds a function of some of the bits.
   *
   * @param qubits - Bit k of an index into the values is `qubits[k]`.
   * @param values - Length 2^qubits.length.
   */
  add(qubits: readonly number[], values: Float64Array): void {
    const weights = transformed(values);
    for (const [index, weight] of weights.entries()) {
      const mask = qubits.reduce((bits, q, k) => bits | (((index >> k) & 1) << q), 0);
      this.#weights.set(mask, (this.#weights.get(mask) ?? 0) + weight / weights.length);
    }
  }

  /** The sum of the added functions, without terms that cancelled. */
  build(): ZPolynomial {
    const largest = Math.max(0, ...[...this.#weights.values()].map(Math.abs));
    const terms = [...this.#weights]
      .filter(([mask, weight]) => mask !== 0 && Math.abs(weight) > 1e-13 * largest)
      .sort(([a], [b]) => a - b)
      .map(([mask, weight]) => ({ qubits: this.#qubitsOf(mask), weight }));
    return { numQubits: this.#numQubits, offset: this.#weights.get(0) ?? 0, terms };
  }

  #qubitsOf(mask: number): readonly number[] {
    return Array.from({ length: this.#numQubits }, (_, q) => q).filter((q) => (mask >> q) & 1);
  }
}

/**
 * Energies of all basis states.
 *
 * @returns Length 2^numQubits, by basis index.
 */
export function energiesOf({ numQubits, offset, terms }: ZPolynomial): Float64Array {
  const weights = new Float64Array(2 ** numQubits);
  weights[0] = offset;
  for (const { qubits, weight } of terms) {
    weights[qubits.reduce((mask, qubit) => mask | (1 << qubit), 0)]! += weight;
  }
  return transformed(weights);
}

/** The energy of one basis state. */
export function energyAt({ offset, terms }: ZPolynomial, basisIndex: number): number {
  let energy = offset;
  for (const { qubits, weight } of terms) {
    const ones = qubits.reduce((sum, qubit) => sum + ((basisIndex >>> qubit) & 1), 0);
    energy += ones % 2 === 0 ? weight : -weight;
  }
  return energy;
}

/** The observable for engines, without the offset. */
export function observableOf({ terms }: ZPolynomial): PauliSum {
  return terms.map(({ qubits, weight }) => ({
    coefficient: weight,
    factors: qubits.map((qubit) => ({ pauli: 'Z', qubit })),
  }));
}

/** The unnormalised Walsh–Hadamard transform; the input is unchanged. */
function transformed(values: Float64Array): Float64Array {
  const out = values.slice();
  for (let half = 1; half < out.length; half *= 2) {
    for (let start = 0; start < out.length; start += 2 * half) {
      for (let i = start; i < start + half; i++) {
        const low = out[i]!;
        const high = out[i + half]!;
        out[i] = low + high;
        out[i + half] = low - high;
      }
    }
  }
  return out;
}
