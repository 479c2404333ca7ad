/**
 * Gates on one and two qubits fused where they meet, wherever the qubits are: gates on the same pair one after the other,
 * diagonal ones also past other diagonal gates, as the compiler of matrix product states brings them together.
 */
import { operationQubits, type Qubit } from '../../circuit/circuit.ts';
import { type ComplexMatrix, multiply } from '../../math/complex-matrix.ts';
import { isDiagonalGate, type PairGate } from './gate-front.ts';
import { productFactors } from './operator-weights.ts';
import { GateMatrices, onPair } from './pair-matrices.ts';

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
  /** How many gates so far keep diagonal ones on a qubit from passing. */
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
