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
import { type ComplexMatrix, multiply } from '../../math/complex-matrix.ts';
import { absorbKnownStates } from '../passes/absorb-known-states.ts';
import { optimize } from '../passes/pipeline.ts';
import { isDiagonalGate, type PairGate } from './gate-front.ts';
import {
  bondFactor,
  GateMatrices,
  onPair,
  operatorWeights,
  productFactors,
} from './operator-weights.ts';

/** Widest graph that is looked at: factoring its matrix takes the third power, a few milliseconds for these. */
const MAX_QUBITS = 256;
/** Gates on pairs, per qubit, after which the graph is looked at again. */
const PAIRS_PER_LOOK = 4;

/**
 * Whether the gates of a circuit allow the widest bond at every cut of every order of the qubits: 2^k where k qubits
 * are on the smaller side.
 *
 * False also where unknown: on more than 256 qubits, and with gates on three or more qubits, conditions or loops.
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
      case 'initialize':
      case 'while':
      case 'track':
      case 'repeat':
        return false;
      case 'measure':
      case 'reset':
        if (operation.condition !== undefined) return false;
        break;
      // Noise keeps gates apart, so that there are more of them than here, where they are fused across it.
      case 'noise':
      case 'save':
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
      facts = { weight: Math.log(bondFactor(isSwap ? swapped : plain)), isSwap };
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

  /** Whether the second smallest eigenvalue exceeds 2 log 2: M − 2 log 2 + c·11ᵀ has a Cholesky factor. */
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

// Gates on one and two qubits fused where they meet, wherever the qubits are: gates on the same pair one after the
// other, diagonal ones also past other diagonal gates, as the compiler of matrix product states brings them together.

/** A unitary that entangles two qubits, but for gates on one of them. */
export interface FusedPair {
  /** The more significant bit of the matrix's index. */
  readonly first: Qubit;
  readonly second: Qubit;
  readonly matrix: ComplexMatrix;
}

/** Gates on a pair that no gate of another pair divides. */
interface Run {
  readonly first: Qubit;
  readonly second: Qubit;
  /** The gate of one that began it; later ones are in `matrix`. */
  matrix: ComplexMatrix;
  /** Gates on one qubit that are not in `matrix` yet. */
  readonly single: PairGate[];
  /** The runs before it on its qubits. */
  readonly before: readonly (Run | undefined)[];
  isGone: boolean;
}

/** Gathers gates. */
export class PairFusion {
  readonly #matrices = new GateMatrices();
  readonly #runs: Run[] = [];
  readonly #last: (Run | undefined)[];
  /** Number of gates on each qubit so far that diagonal gates cannot pass. */
  readonly #epochs: number[];
  /** The runs of diagonal gates that others may still join. */
  readonly #diagonal = new Map<string, Run>();

  constructor(numQubits: number) {
    this.#last = new Array<Run | undefined>(numQubits).fill(undefined);
    this.#epochs = new Array<number>(numQubits).fill(0);
  }

  /** Adds a gate on one or two qubits. */
  add(gate: PairGate): void {
    const [a = 0, b] = operationQubits(gate);
    const isDiagonal = isDiagonalGate(gate);
    if (!isDiagonal) this.#epochs[a]!++;
    if (b === undefined) {
      this.#lastOn(a)?.single.push(gate);
      return;
    }
    if (!isDiagonal) this.#epochs[b]!++;
    const [first, second] = [Math.min(a, b), Math.max(a, b)];
    const key = `${first}:${this.#epochs[first]} ${second}:${this.#epochs[second]}`;
    const run = this.#lastOn(first);
    const joined = isDiagonal ? this.#diagonal.get(key) : undefined;
    if (joined !== undefined && !joined.isGone) this.#join(joined, gate);
    else if (run !== undefined && run === this.#lastOn(second)) this.#join(run, gate);
    else {
      const before = [run, this.#lastOn(second)];
      const matrix = this.#matrixOf(gate, first);
      const next: Run = { first, second, matrix, single: [], before, isGone: false };
      this.#runs.push(next);
      this.#last[first] = next;
      this.#last[second] = next;
      if (isDiagonal) this.#diagonal.set(key, next);
    }
  }

  /** The pairs that entangle, in an order of execution. */
  *pairs(): Generator<FusedPair> {
    for (const run of this.#runs) if (!run.isGone) yield run;
  }

  #matrixOf(gate: PairGate, first: Qubit): ComplexMatrix {
    return this.#matrices.of(gate, (qubit) => (qubit === first ? 1 : 0), 2);
  }

  #lastOn(qubit: Qubit): Run | undefined {
    let run = this.#last[qubit];
    while (run?.isGone) run = run.before[run.first === qubit ? 0 : 1];
    this.#last[qubit] = run;
    return run;
  }

  #join(run: Run, gate: PairGate): void {
    for (const single of run.single) this.#multiply(run, single);
    run.single.length = 0;
    this.#multiply(run, gate);
    const factors = productFactors(run.matrix);
    if (factors === undefined) return;
    run.isGone = true;
    // The factors belong to the runs before.
    for (const [i, matrix] of factors.entries()) {
      const qubit = i === 0 ? run.first : run.second;
      const target = { kind: 'unitary', controls: [], targets: [qubit], matrix } as const;
      this.#lastOn(qubit)?.single.push(target);
    }
  }

  #multiply(run: Run, gate: PairGate): void {
    const [a = 0, b] = operationQubits(gate);
    const matrix =
      b === undefined
        ? onPair(
            this.#matrices.of(gate, () => 0, 1),
            a === run.first,
          )
        : this.#matrixOf(gate, run.first);
    run.matrix = multiply(matrix, run.matrix);
  }
}
