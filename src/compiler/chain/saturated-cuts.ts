/**
 * A bound on the bonds of a circuit that holds for every order of its qubits on a chain, so that circuits for which
 * matrix product states are of no use need not be compiled to know it.
 *
 * Qubits are the nodes of a graph, and gates its edges, which weigh what a gate may multiply a bond by, as a logarithm.
 * The edges between k of n qubits and the others weigh at least λ k (n − k) / n, where λ is the second smallest
 * eigenvalue of the graph's Laplacian. If λ ≥ 2 log 2, that is log 2^k for all k ≤ n/2: the gates allow the widest bond
 * there is at every cut of every order.
 *
 * Gates are fused as the compiler does it, because a gate and its inverse entangle nothing.
 *
 * @see Fiedler, "Algebraic connectivity of graphs", Czechoslovak Mathematical Journal 23, 298 (1973).
 */
import { type DynamicCircuit, operationQubits, type Qubit } from '../../circuit/circuit.ts';
import type { ComplexMatrix } from '../../math/complex-matrix.ts';
import { absorbKnownStates } from '../passes/absorb-known-states.ts';
import { optimize } from '../passes/pipeline.ts';
import { bondGrowth, operatorWeights } from './operator-weights.ts';
import { type FusedPair, PairFusion } from './pair-fusion.ts';

/** Widest graph that is looked at: factoring its matrix takes the third power, a few milliseconds for these. */
const MAX_QUBITS = 256;
/** Gates on pairs, per qubit, after which the graph is looked at again. */
const PAIRS_PER_LOOK = 4;

/**
 * Whether the gates of a circuit allow the widest bond at every cut of every order of the qubits: 2^k where k qubits are
 * on the smaller side.
 *
 * False also where that is not known: on more than 256 qubits, and with gates on three or more qubits, conditions, loops
 * or noise.
 */
export function saturatesEveryCut(circuit: DynamicCircuit): boolean {
  const { numQubits } = circuit;
  if (numQubits > MAX_QUBITS) return false;
  const most = new QubitGraph(numQubits);
  for (const operation of circuit.operations) {
    switch (operation.kind) {
      case 'gate':
      case 'unitary': {
        const [a, b, c] = operationQubits(operation);
        if (operation.condition !== undefined || a === undefined || c !== undefined) return false;
        if (b !== undefined) most.add(a, b, Math.log(4));
        break;
      }
      case 'while':
      case 'noise':
        return false;
      case 'measure':
      case 'reset':
        if (operation.condition !== undefined) return false;
        break;
      case 'barrier':
      case 'misread':
      case 'assign':
        break;
    }
  }
  // Most circuits stop here, at the most that gates on two qubits can do.
  if (!most.isSaturated()) return false;
  const { operations } = optimize(circuit, {
    keepState: true,
    passes: [absorbKnownStates],
  }).circuit;
  const fusion = new PairFusion(numQubits);
  for (const operation of operations) {
    if (operation.kind === 'gate' || operation.kind === 'unitary') fusion.add(operation);
  }
  return saturate(numQubits, fusion.pairs());
}

/** Whether gates on pairs saturate all cuts; a gate that exchanges its qubits entangles what is left of it. */
function saturate(numQubits: number, pairs: Iterable<FusedPair>): boolean {
  const graph = new QubitGraph(numQubits);
  const labels = Array.from({ length: numQubits }, (_, qubit) => qubit);
  const known = new Map<ComplexMatrix, { weight: number; isSwap: boolean }>();
  let numPairs = 0;
  for (const { first, second, matrix } of pairs) {
    let facts = known.get(matrix);
    if (facts === undefined) {
      const [plain, swapped] = [operatorWeights(matrix, 0), operatorWeights(matrix, 0, true)];
      const isSwap = swapped.entropy < plain.entropy;
      facts = { weight: Math.log(bondGrowth(isSwap ? swapped : plain)), isSwap };
      known.set(matrix, facts);
    }
    const [a, b] = [labels[first]!, labels[second]!];
    graph.add(a, b, facts.weight);
    if (facts.isSwap) [labels[first], labels[second]] = [b, a];
    if (++numPairs % (PAIRS_PER_LOOK * numQubits) === 0 && graph.isSaturated()) return true;
  }
  return graph.isSaturated();
}

/** Qubits, and how much the gates between each two of them entangle. */
class QubitGraph {
  readonly #numQubits: number;
  /** Laplacian, row-major. */
  readonly #laplacian: Float64Array;

  constructor(numQubits: number) {
    this.#numQubits = numQubits;
    this.#laplacian = new Float64Array(numQubits ** 2);
  }

  add(a: Qubit, b: Qubit, weight: number): void {
    const n = this.#numQubits;
    for (const [row, column] of [
      [a, b],
      [b, a],
    ] as const) {
      this.#laplacian[row * n + row]! += weight;
      this.#laplacian[row * n + column]! -= weight;
    }
  }

  /** Whether the second smallest eigenvalue exceeds 2 log 2: the matrix less that, with the constant vector lifted, has a Cholesky factor. */
  isSaturated(): boolean {
    const n = this.#numQubits;
    const least = 2 * Math.log(2);
    const factor = new Float64Array(n * n);
    for (let row = 0; row < n; row++) {
      for (let column = 0; column <= row; column++) {
        let entry = this.#laplacian[row * n + column]! + (2 * least) / n;
        if (row === column) entry -= least;
        for (let k = 0; k < column; k++) entry -= factor[row * n + k]! * factor[column * n + k]!;
        if (row === column) {
          if (entry <= 1e-9) return false;
          factor[row * n + row] = Math.sqrt(entry);
        } else factor[row * n + column] = entry / factor[column * n + column]!;
      }
    }
    return true;
  }
}
