/**
 * The oracle's states: a vector of n qubits, or a density matrix as a vector of 2n, with every branch of the
 * outcomes that were measured. It shares no code with src/.
 */
import { type Complex, type Matrix, times } from './matrices.ts';

/** A qubit that controls a gate, and the value on which the gate acts. */
export interface Control {
  readonly qubit: number;
  readonly value: number;
}

/** An unnormalised state, pure or mixed; its weight is the probability of its branch. */
export class State {
  readonly qubits: number;
  readonly mixed: boolean;
  /** Amplitudes by basis index; of a mixed state ρ[row][column] at row + column · 2^n. */
  entries: Complex[];

  constructor(qubits: number, mixed: boolean, entries?: Complex[]) {
    this.qubits = qubits;
    this.mixed = mixed;
    const length = 2 ** (mixed ? 2 * qubits : qubits);
    this.entries = entries ?? Array.from({ length }, (_, i) => [i === 0 ? 1 : 0, 0]);
  }

  /** Applies a matrix to `targets`, where the controls have their values. */
  apply(matrix: Matrix, targets: readonly number[], controls: readonly Control[] = []): void {
    this.#multiply(matrix, targets, controls);
    if (!this.mixed) return;
    const n = this.qubits;
    const conjugate = matrix.map((row) => row.map(([re, im]): Complex => [re, -im]));
    const shifted = controls.map(({ qubit, value }) => ({ qubit: qubit + n, value }));
    this.#multiply(
      conjugate,
      targets.map((t) => t + n),
      shifted,
    );
  }

  #multiply(matrix: Matrix, targets: readonly number[], controls: readonly Control[]): void {
    const offsets = matrix.map((_, row) =>
      targets.reduce((sum, target, bit) => sum + ((row >> bit) & 1) * 2 ** target, 0),
    );
    const mask = targets.reduce((sum, target) => sum + 2 ** target, 0);
    const { entries } = this;
    this.entries = entries.map((entry, index) => {
      if (controls.some(({ qubit, value }) => ((index >> qubit) & 1) !== value)) return entry;
      const row = matrix[targets.reduce((sum, t, bit) => sum + (((index >> t) & 1) << bit), 0)]!;
      const rest = index & ~mask;
      let [re, im] = [0, 0];
      row.forEach((factor, column) => {
        const [a, b] = times(factor, entries[rest + offsets[column]!]!);
        re += a;
        im += b;
      });
      return [re, im];
    });
  }

  /** Applies the channel of these Kraus matrices to a mixed state. */
  channel(kraus: readonly Matrix[], targets: readonly number[]): void {
    const terms = kraus.map((matrix) => {
      const term = this.copy();
      term.apply(matrix, targets);
      return term;
    });
    this.entries = this.entries.map((_, i) => [
      terms.reduce((sum, term) => sum + term.entries[i]![0], 0),
      terms.reduce((sum, term) => sum + term.entries[i]![1], 0),
    ]);
  }

  /** The part of the state in which a qubit has a value. */
  projected(qubit: number, value: number): State {
    const part = this.copy();
    const zero: Complex = [0, 0];
    const isOut = (index: number, place: number) => ((index >> place) & 1) !== value;
    part.entries = this.entries.map((entry, index) =>
      isOut(index, qubit) || (this.mixed && isOut(index, qubit + this.qubits)) ? zero : entry,
    );
    return part;
  }

  /** Norm squared, or trace. */
  weight(): number {
    return this.diagonal().reduce((sum, p) => sum + p, 0);
  }

  /** Probability of each basis state. */
  diagonal(): number[] {
    const size = 2 ** this.qubits;
    return Array.from({ length: size }, (_, i) => {
      const [re, im] = this.entries[this.mixed ? i * (size + 1) : i]!;
      return this.mixed ? re : re * re + im * im;
    });
  }

  /** ρ[row][column]. */
  element(row: number, column: number): Complex {
    if (this.mixed) return this.entries[row + column * 2 ** this.qubits]!;
    const [re, im] = this.entries[column]!;
    return times(this.entries[row]!, [re, -im]);
  }

  /** tr ρP for a Pauli string, letters by qubit. */
  expectation(letters: ReadonlyMap<number, string>): number {
    const size = 2 ** this.qubits;
    let total = 0;
    for (let column = 0; column < size; column++) {
      let row = column;
      let factor: Complex = [1, 0];
      for (const [qubit, letter] of letters) {
        const sign = (column >> qubit) & 1 ? -1 : 1;
        if (letter === 'Z') factor = times(factor, [sign, 0]);
        if (letter === 'Y') factor = times(factor, [0, sign]);
        if (letter === 'X' || letter === 'Y') row ^= 1 << qubit;
      }
      // tr ρP = Σ ρ[column][row] P[row][column].
      total += times(factor, this.element(column, row))[0];
    }
    return total;
  }

  copy(): State {
    return new State(this.qubits, this.mixed, this.entries);
  }

  /** Adds another branch with the same outcomes; for mixed states. */
  add(other: State): void {
    this.entries = this.entries.map(([re, im], i) => {
      const [a, b] = other.entries[i]!;
      return [re + a, im + b];
    });
  }

  multiply(factor: number): State {
    const scale = this.mixed ? factor : Math.sqrt(factor);
    this.entries = this.entries.map(([re, im]) => [re * scale, im * scale]);
    return this;
  }
}

/** One history of outcomes: the state after it, and what the program remembers. */
export interface Branch<Memory> {
  readonly state: State;
  readonly memory: Memory;
}

/** Branches of less probability are dropped. */
const NEGLIGIBLE = 1e-15;

/** Measures a qubit: one branch for each outcome and each report of it. */
export function measured<Memory>(
  { state, memory }: Branch<Memory>,
  qubit: number,
  write: (memory: Memory, outcome: number) => Memory,
  /** Probabilities that a 0 is reported as 1, and a 1 as 0. */
  readout: readonly [number, number] = [0, 0],
): Branch<Memory>[] {
  return [0, 1].flatMap((outcome) => {
    const part = state.projected(qubit, outcome);
    if (part.weight() < NEGLIGIBLE) return [];
    return [0, 1].flatMap((reported) => {
      const wrong = readout[outcome as 0 | 1];
      const probability = reported === outcome ? 1 - wrong : wrong;
      if (probability === 0) return [];
      return { state: part.copy().multiply(probability), memory: write(memory, reported) };
    });
  });
}

/** Resets a qubit to |0⟩. */
export function reset<Memory>(branch: Branch<Memory>, qubit: number): Branch<Memory>[] {
  const flip: Matrix = [
    [
      [0, 0],
      [1, 0],
    ],
    [
      [1, 0],
      [0, 0],
    ],
  ];
  const parts = measured(branch, qubit, (memory) => memory);
  for (const { state } of parts) {
    if (state.projected(qubit, 1).weight() > 0) state.apply(flip, [qubit]);
  }
  return joined(parts);
}

/** Joins branches that remember the same, if their states are mixed. */
export function joined<Memory>(branches: readonly Branch<Memory>[]): Branch<Memory>[] {
  if (!branches[0]?.state.mixed) return [...branches];
  const found = new Map<string, Branch<Memory>>();
  for (const branch of branches) {
    const key = JSON.stringify(branch.memory);
    const known = found.get(key);
    if (known) known.state.add(branch.state);
    else found.set(key, branch);
  }
  return [...found.values()];
}
