/**
 * Ising problems: minimise an energy of fields and couplings over bits,
 * E(s) = offset + Σ h_i·s_i + Σ J_ij·s_i·s_j.
 *
 * s_i is the value of Z on qubit i: +1 if bit i is 0, −1 if it is 1.
 *
 * @see Lucas, "Ising formulations of many NP problems" (2014).
 */

/** Coupling J of one pair of spins. */
export interface Coupling {
  readonly i: number;
  readonly j: number;
  readonly value: number;
}

/** An Ising problem; lower energy is better. */
export interface IsingProblem {
  readonly numQubits: number;
  readonly offset: number;
  /** Fields h; length numQubits. */
  readonly fields: readonly number[];
  /** Each pair at most once, i < j. */
  readonly couplings: readonly Coupling[];
}

/** Parts of an Ising problem; those left out are 0. */
export interface IsingParts {
  readonly numQubits: number;
  readonly offset?: number;
  readonly fields?: readonly number[];
  /** In any order; those of one pair are added up. */
  readonly couplings?: readonly Coupling[];
}

/** An edge of a graph. */
export interface WeightedEdge {
  readonly from: number;
  readonly to: number;
  /** Weight; 1 unless given. */
  readonly weight?: number | undefined;
}

/**
 * Makes a problem: couplings sorted, each pair once.
 *
 * @throws {RangeError} unless there is one field per qubit, each coupling is of two existing qubits, and
 *   all numbers are finite.
 */
export function isingProblem(parts: IsingParts): IsingProblem {
  const {
    numQubits,
    offset = 0,
    fields = Array<number>(numQubits).fill(0),
    couplings = [],
  } = parts;
  if (fields.length !== numQubits) {
    throw new RangeError(`There are ${fields.length} fields for ${numQubits} qubits.`);
  }
  const sums = new Map<number, Coupling>();
  for (const { i, j, value } of couplings) {
    const isQubit = (q: number) => Number.isInteger(q) && q >= 0 && q < numQubits;
    if (!isQubit(i) || !isQubit(j) || i === j) {
      throw new RangeError(`A coupling is of two of ${numQubits} qubits, not of ${i} and ${j}.`);
    }
    const [low, high] = i < j ? [i, j] : [j, i];
    const key = low * numQubits + high;
    sums.set(key, { i: low, j: high, value: value + (sums.get(key)?.value ?? 0) });
  }
  const inOrder = [...sums].sort(([a], [b]) => a - b).map(([, coupling]) => coupling);
  const numbers = [offset, ...fields, ...inOrder.map(({ value }) => value)];
  if (!numbers.every(Number.isFinite)) throw new RangeError('An energy is not a finite number.');
  return { numQubits, offset, fields, couplings: inOrder };
}

/**
 * Max-cut of a graph as an Ising problem: the energy of an assignment of vertices to sides is minus the
 * weight of the edges between the sides.
 *
 * @throws {RangeError} as `isingProblem`.
 */
export function maxCutProblem(numVertices: number, edges: readonly WeightedEdge[]): IsingProblem {
  // An edge is cut where s_i·s_j = −1: its share is −w·(1 − s_i·s_j)/2.
  return isingProblem({
    numQubits: numVertices,
    offset: edges.reduce((sum, { weight = 1 }) => sum - weight / 2, 0),
    couplings: edges.map(({ from, to, weight = 1 }) => ({ i: from, j: to, value: weight / 2 })),
  });
}
