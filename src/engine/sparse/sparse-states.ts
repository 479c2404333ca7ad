/** Operations of the walk over branches (`shot-tree.ts`) on sparse states, and their outputs. */
import type { Qubit } from '../../circuit/circuit.ts';
import type { PauliFactor, PauliSum } from '../../circuit/observable.ts';
import { MAX_WRITTEN_QUBITS } from '../../circuit/outputs.ts';
import type { Measure, Program, Step } from '../../compiler/program.ts';
import type { BitImages } from '../../math/bit-images.ts';
import { writeBit } from '../classical-bits.ts';
import { StateVectorTooLongError, TooManyAmplitudesError } from '../errors.ts';
import { ENTRIES_PER_CHUNK, type InitialEntries } from '../initial-entries.ts';
import type { QubitMasses, SampleRequest, StateOperations } from '../state-operations.ts';
import { sortedTerminalDraws } from '../terminal-measurement.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import {
  bytesOfAmplitude,
  type SparseKernel,
  SparseState,
  sparseKernels,
  wordsOf,
} from './sparse-state.ts';

/** Units of a kernel for an amplitude, and of a dense one. */
const UNITS_PER_ROW = 4;
const UNITS_PER_MIXED_ROW = 40;

/** A program on sparse states. */
export interface SparseSource {
  readonly numQubits: number;
  /** Steps that sweeps of the run are numbered in; those of segments come with their programs. */
  readonly program: Pick<Program, 'matrices' | 'steps'>;
  /** Measurements after all steps. */
  readonly lastMeasures: readonly Measure[];
  /** Logical qubit → physical qubit, at the end. */
  readonly layout: readonly Qubit[];
  /** Kernels of steps that were run before. */
  readonly kernels: WeakMap<Step, readonly SparseKernel[]>;
  /** Bytes for all states of a run. */
  readonly memoryBytes: number;
}

/** The operations of one run. */
export class SparseStates implements StateOperations<SparseState> {
  readonly #source: SparseSource;
  readonly #slicer: TimeSlicer;
  readonly #limit: number;
  /** Amplitudes of all states. */
  #numHeld = 0;

  constructor(source: SparseSource, slicer: TimeSlicer) {
    this.#source = source;
    this.#slicer = slicer;
    const { memoryBytes, numQubits } = source;
    this.#limit = Math.max(1, Math.floor(memoryBytes / bytesOfAmplitude(numQubits)));
  }

  create(): SparseState {
    this.#numHeld++;
    return SparseState.ofZeros(this.#source.numQubits);
  }

  async initialize(state: SparseState, entries: InitialEntries): Promise<void> {
    const length = 2 ** entries.numQubits;
    const chunk = new Float64Array(2 * Math.min(length, ENTRIES_PER_CHUNK));
    const [basisStates, parts]: [number[], number[]] = [[], []];
    for (let first = 0; first < length; first += chunk.length / 2) {
      entries.fill(first, chunk);
      for (let i = 0; i < chunk.length; i += 2) {
        if (chunk[i] === 0 && chunk[i + 1] === 0) continue;
        basisStates.push(first + i / 2);
        parts.push(chunk[i]!, chunk[i + 1]!);
      }
      if (this.#slicer.spend(chunk.length)) await this.#slicer.pause();
    }
    this.#numHeld += basisStates.length - state.count;
    if (this.#numHeld > this.#limit) throw this.#tooMany();
    state.assign(Uint32Array.from(basisStates), Float64Array.from(parts));
  }

  #tooMany(): TooManyAmplitudesError {
    return new TooManyAmplitudesError(this.#limit, bytesOfAmplitude(this.#source.numQubits));
  }

  copy(state: SparseState): SparseState {
    if (this.#numHeld + state.count > this.#limit) throw this.#tooMany();
    this.#numHeld += state.count;
    return state.copy();
  }

  release(state: SparseState): void {
    this.#numHeld -= state.count;
  }

  applySweep(
    state: SparseState,
    stepIndex: number,
    onPasses: (passesDone: number) => void,
  ): Promise<void> {
    return this.applyStepOf(this.#source.program, state, stepIndex, onPasses);
  }

  async applyStepOf(
    program: Pick<Program, 'matrices' | 'steps'>,
    state: SparseState,
    stepIndex: number,
    onPasses: (passesDone: number) => void,
  ): Promise<void> {
    for (const [index, kernel] of this.#kernelsOf(program, stepIndex).entries()) {
      const { count } = state;
      const most = this.#limit - this.#numHeld + count;
      const bytes = bytesOfAmplitude(this.#source.numQubits);
      state.apply(kernel, { most, limit: this.#limit, bytes });
      this.#numHeld += state.count - count;
      const units = kernel.kind === 'dense' ? UNITS_PER_MIXED_ROW : UNITS_PER_ROW;
      if (!this.#slicer.spend(units * Math.max(count, state.count))) continue;
      onPasses(index + 1);
      await this.#slicer.pause();
    }
  }

  #kernelsOf(
    program: Pick<Program, 'matrices' | 'steps'>,
    stepIndex: number,
  ): readonly SparseKernel[] {
    const { kernels } = this.#source;
    const step = program.steps[stepIndex]!;
    if (step.kind !== 'sweep') throw new Error(`unreachable: ${step.kind} on a sparse state`);
    let known = kernels.get(step);
    if (known === undefined) {
      const written = step.kernels.filter((kernel) => kernel.kind !== 'probe');
      known = sparseKernels(written, program);
      kernels.set(step, known);
    }
    return known;
  }

  qubitMasses(state: SparseState, qubit: Qubit): QubitMasses {
    return state.masses(qubit);
  }

  collapse(state: SparseState, qubit: Qubit, outcome: 0 | 1, left: 0 | 1, mass: number): void {
    const { count } = state;
    state.project(qubit, outcome, left, 1 / Math.sqrt(mass));
    this.#numHeld += state.count - count;
  }

  /** One draw a shot picks the basis state, as `engine.ts` defines it for state vectors. */
  async countShots(
    state: SparseState,
    request: SampleRequest,
    bits: Uint32Array,
    count: (register: Uint32Array, shots: number) => void,
  ): Promise<void> {
    const { lastMeasures } = this.#source;
    const record = (row: number, shots: number) => {
      const register = bits.slice();
      for (const { qubits, bits: written } of lastMeasures) {
        for (const [i, bit] of written.entries())
          writeBit(register, bit, state.bitAt(row, qubits[i]!));
      }
      count(register, shots);
    };
    if (state.count === 1 || lastMeasures.length === 0) {
      record(0, request.shots.count);
      return;
    }
    const { parts } = state;
    const order = ascendingRows(state, this.#source.layout);
    if (this.#slicer.spend(UNITS_PER_MIXED_ROW * state.count)) await this.#slicer.pause();
    const massOf = (row: number) => parts[2 * row]! ** 2 + parts[2 * row + 1]! ** 2;
    const draws = await sortedTerminalDraws(request, this.#slicer);
    const norm = order.reduce((sum, row) => sum + massOf(row), 0);
    let [cumulative, next] = [0, 0];
    for (const [place, row] of order.entries()) {
      cumulative += massOf(row);
      const first = next;
      // A draw just below 1, times the norm, may round up to the norm.
      const isLast = place === order.length - 1;
      while (next < draws.length && (isLast || draws[next]! * norm < cumulative)) next++;
      if (next > first) record(row, next - first);
      if (next === draws.length) break;
    }
  }

  statevector(state: SparseState): Float64Array {
    const { numQubits, layout } = this.#source;
    if (numQubits > MAX_WRITTEN_QUBITS) {
      throw new StateVectorTooLongError(numQubits, MAX_WRITTEN_QUBITS);
    }
    const vector = new Float64Array(2 * 2 ** numQubits);
    for (let row = 0; row < state.count; row++) {
      let index = 0;
      for (const [q, physical] of layout.entries()) index |= state.bitAt(row, physical) << q;
      vector[2 * index] = state.parts[2 * row]!;
      vector[2 * index + 1] = state.parts[2 * row + 1]!;
    }
    return vector;
  }

  amplitudes(state: SparseState, basisIndices: readonly bigint[]): Float64Array {
    const { layout } = this.#source;
    const rows = new RowsByState(state);
    const words = new Uint32Array(wordsOf(layout.length));
    return Float64Array.from(
      basisIndices.flatMap((index) => {
        words.fill(0);
        for (const [q, physical] of layout.entries()) {
          if (((index >> BigInt(q)) & 1n) === 1n) writeBit(words, physical, 1);
        }
        const row = rows.find(words);
        return row < 0 ? [0, 0] : [state.parts[2 * row]!, state.parts[2 * row + 1]!];
      }),
    );
  }

  probabilities(state: SparseState, { images }: BitImages, numBits: number): Float64Array {
    const out = new Float64Array(2 ** numBits);
    const read = images.flatMap((image, qubit) => (image === 0 ? [] : [{ qubit, image }]));
    for (let row = 0; row < state.count; row++) {
      let outcome = 0;
      for (const { qubit, image } of read) {
        if (state.bitAt(row, qubit) === 1) outcome |= image;
      }
      out[outcome]! += state.parts[2 * row]! ** 2 + state.parts[2 * row + 1]! ** 2;
    }
    return out;
  }

  async expectations(
    state: SparseState,
    observables: readonly PauliSum[],
  ): Promise<readonly number[]> {
    const rows = new RowsByState(state);
    const values: number[] = [];
    for (const observable of observables) {
      let value = 0;
      for (const { coefficient, factors } of observable) {
        value += coefficient * this.#expectation(state, rows, factors);
        if (this.#slicer.spend(UNITS_PER_MIXED_ROW * state.count)) await this.#slicer.pause();
      }
      values.push(value);
    }
    return values;
  }

  /** Real part of ⟨ψ|P|ψ⟩. */
  #expectation(state: SparseState, rows: RowsByState, factors: readonly PauliFactor[]): number {
    const string = this.#stringOf(factors);
    const { parts } = state;
    let sum = 0;
    for (let row = 0; row < state.count; row++) {
      const image = string.flips.length === 0 ? row : rows.find(string.flipped(state, row));
      if (image < 0) continue;
      const [re, im] = string.times(state, row);
      sum += parts[2 * image]! * re + parts[2 * image + 1]! * im;
    }
    return sum;
  }

  #stringOf(factors: readonly PauliFactor[]): SparseString {
    const { layout } = this.#source;
    const on = factors.map(({ pauli, qubit }) => ({ pauli, qubit: layout[qubit]! }));
    return new SparseString(on, layout.length);
  }

  applyObservable(state: SparseState, observable: PauliSum, image: SparseState): void {
    const { count } = image;
    const sums = new Map<string, { readonly words: Uint32Array; re: number; im: number }>();
    for (const { coefficient, factors } of observable) {
      const string = this.#stringOf(factors);
      for (let row = 0; row < state.count; row++) {
        const words = string.flipped(state, row);
        const key = words.join();
        const sum = sums.get(key) ?? { words: words.slice(), re: 0, im: 0 };
        const [re, im] = string.times(state, row);
        sum.re += coefficient * re;
        sum.im += coefficient * im;
        sums.set(key, sum);
      }
    }
    image.fill([...sums.values()]);
    this.#numHeld += image.count - count;
  }
}

/** A Pauli string on physical qubits. */
class SparseString {
  /** Qubits with X or Y. */
  readonly flips: readonly Qubit[];
  readonly #signs: readonly Qubit[];
  readonly #numY: number;
  readonly #words: Uint32Array;

  constructor(factors: readonly PauliFactor[], numQubits: number) {
    const qubitsOf = (kept: readonly PauliFactor[]) => kept.map(({ qubit }) => qubit);
    this.flips = qubitsOf(factors.filter(({ pauli }) => pauli !== 'Z'));
    this.#signs = qubitsOf(factors.filter(({ pauli }) => pauli !== 'X'));
    this.#numY = factors.filter(({ pauli }) => pauli === 'Y').length;
    this.#words = new Uint32Array(wordsOf(numQubits));
  }

  /** The basis state that a row is sent to; overwritten by the next call. */
  flipped(state: SparseState, row: number): Uint32Array {
    for (let w = 0; w < this.#words.length; w++) {
      this.#words[w] = state.words[w * state.capacity + row]!;
    }
    for (const qubit of this.flips) this.#words[qubit >>> 5]! ^= 1 << (qubit & 31);
    return this.#words;
  }

  /** The amplitude of a row times i^numY and its sign. */
  times(state: SparseState, row: number): readonly [re: number, im: number] {
    let turns = this.#numY;
    for (const qubit of this.#signs) turns += 2 * state.bitAt(row, qubit);
    const [re, im] = [state.parts[2 * row]!, state.parts[2 * row + 1]!];
    switch (turns & 3) {
      case 0:
        return [re, im];
      case 1:
        return [-im, re];
      case 2:
        return [-re, -im];
      default:
        return [im, -re];
    }
  }
}

/** Rows of a state by their basis states. */
class RowsByState {
  readonly #state: SparseState;
  #rows: ReadonlyMap<string, number> | undefined;

  constructor(state: SparseState) {
    this.#state = state;
  }

  /** The row of a basis state, or -1. */
  find(words: Uint32Array): number {
    this.#rows ??= rowsByKey(this.#state);
    return this.#rows.get(words.join()) ?? -1;
  }
}

function rowsByKey(state: SparseState): ReadonlyMap<string, number> {
  const columns = Array.from({ length: state.numWords }, (_, w) => state.column(w));
  return new Map(
    Array.from({ length: state.count }, (_, row) => [
      columns.map((column) => column[row]!).join(),
      row,
    ]),
  );
}

/** The rows in ascending order of their logical basis states. */
function ascendingRows(state: SparseState, layout: readonly Qubit[]): Uint32Array {
  const isHome = layout.every((physical, q) => physical === q);
  let order = Uint32Array.from({ length: state.count }, (_, row) => row);
  let other = new Uint32Array(state.count);
  // From the lowest byte to the highest: rows stay in order where a byte is the same.
  for (let w = 0; w < state.numWords; w++) {
    const column = isHome ? state.column(w) : logicalColumn(state, layout, w);
    const differing = column.reduce((bits, word) => bits | (word ^ column[0]!), 0);
    for (let shift = 0; shift < 32; shift += 8) {
      if (((differing >>> shift) & 255) === 0) continue;
      const starts = new Uint32Array(257);
      for (const word of column) starts[((word >>> shift) & 255) + 1]!++;
      for (let byte = 1; byte < 256; byte++) starts[byte]! += starts[byte - 1]!;
      for (const row of order) other[starts[(column[row]! >>> shift) & 255]!++] = row;
      [order, other] = [other, order];
    }
  }
  return order;
}

/** Word w of the logical basis states of all rows. */
function logicalColumn(state: SparseState, layout: readonly Qubit[], w: number): Uint32Array {
  const qubits = layout.slice(32 * w, 32 * (w + 1));
  return Uint32Array.from({ length: state.count }, (_, row) =>
    qubits.reduce((word, physical, bit) => word | (state.bitAt(row, physical) << bit), 0),
  );
}
