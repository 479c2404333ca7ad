/**
 * Expectation values by Pauli propagation: an observable is taken back through a circuit as a sum of Pauli strings, and
 * read off |0…0⟩. It needs no state, so that its cost is that of the strings.
 *
 * What is left out has a bound: no circuit or channel makes the expectation value of a string exceed 1, so that the sum
 * of the absolute coefficients left out bounds the error of the value.
 */
import type { PauliSum } from '../../circuit/observable.ts';
import type { PauliLimits, PauliMap, PauliProgram } from '../../compiler/program.ts';
import { hashOfWords } from '../../math/word-hash.ts';
import { CountsBuilder } from '../counts-builder.ts';
import type { Executable, RunRequest, RunResult } from '../engine.ts';
import { OutputNeedsFinalStateError, TooManyTermsError } from '../errors.ts';
import type { Mutex } from '../mutex.ts';
import { TimeSlicer } from '../time-slicer.ts';

/** Units of reading a string, and of adding one. */
const UNITS_PER_TERM = 2;
const UNITS_PER_IMAGE = 20;
/** Part by which strings may exceed their limit before the smallest are left out: each time they are sorted. */
const EXCESS = 1.25;

/** Prepares a program; runs of one mutex come one after the other. */
export function paulisExecutable(program: PauliProgram, mutex: Mutex): Executable {
  return mutex.executable(
    (request: RunRequest, signal) => run(program, request, signal),
    () => {},
  );
}

async function run(
  program: PauliProgram,
  { observables, onProgress, ...others }: RunRequest,
  signal: AbortSignal,
): Promise<RunResult> {
  signal.throwIfAborted();
  const { statevector, amplitudes, probabilities, variances } = others;
  if (statevector || amplitudes || probabilities || variances) {
    throw new OutputNeedsFinalStateError('An output other than expectation values');
  }
  const started = performance.now();
  const { maps } = program;
  let [numDone, truncationError] = [0, 0];
  const slicer = new TimeSlicer(signal, () =>
    onProgress?.(numDone / (maps.length * (observables?.length ?? 1))),
  );
  const expectations: number[] = [];
  for (const observable of observables ?? []) {
    const strings = new PauliStrings(program, observable);
    for (const map of maps) {
      strings.apply(map);
      numDone++;
      if (slicer.spend(strings.spent())) await slicer.pause();
    }
    expectations.push(strings.valueOnZeros());
    truncationError = Math.max(truncationError, strings.leftOut);
  }
  return {
    counts: await new CountsBuilder(program.numBits).finish(slicer),
    expectations,
    truncationError,
    statePasses: 0,
    timing: { evolutionMs: performance.now() - started, samplingMs: 0 },
  };
}

/** Words and coefficients of strings, one after the other: the words of the X part of each, then those of its Z part. */
interface StringRows {
  words: Uint32Array;
  coefficients: Float64Array;
}

/** A sum of Pauli strings. */
class PauliStrings {
  /** Sum of the absolute coefficients that were left out. */
  leftOut = 0;
  readonly #limits: PauliLimits;
  /** Words of a string. */
  readonly #stride: number;
  readonly #rows: StringRows;
  /** Strings that a map changes, while it does. */
  readonly #moved: StringRows;
  #count = 0;
  /** Coefficients up to this are what rounding left of a 0. */
  readonly #least: number;
  #units = 0;

  constructor(program: PauliProgram, observable: PauliSum) {
    this.#limits = program;
    this.#stride = 2 * Math.max(1, Math.ceil(program.numQubits / 32));
    this.#rows = { words: new Uint32Array(0), coefficients: new Float64Array(0) };
    this.#moved = { words: new Uint32Array(0), coefficients: new Float64Array(0) };
    this.#least = 1e-16 * observable.reduce((sum, term) => sum + Math.abs(term.coefficient), 0);
    this.#reserve(this.#rows, observable.length);
    const table = new Int32Array(tableSize(observable.length));
    for (const { coefficient, factors } of observable) {
      const { words } = this.#rows;
      const at = this.#count * this.#stride;
      words.fill(0, at, at + this.#stride);
      for (const { pauli, qubit } of factors) {
        const bit = 1 << (qubit & 31);
        if (pauli !== 'Z') words[at + (qubit >>> 5)]! |= bit;
        if (pauli !== 'X') words[at + this.#stride / 2 + (qubit >>> 5)]! |= bit;
      }
      this.#merge(coefficient, table);
    }
  }

  /** Work since this was last asked, in the slicer's units. */
  spent(): number {
    const units = this.#units;
    this.#units = 0;
    return units;
  }

  /** Expectation value in |0…0⟩: the strings of Z alone. */
  valueOnZeros(): number {
    const { words, coefficients } = this.#rows;
    let sum = 0;
    for (let row = 0; row < this.#count; row++) {
      const at = row * this.#stride;
      if (words.subarray(at, at + this.#stride / 2).every((word) => word === 0)) {
        sum += coefficients[row]!;
      }
    }
    return sum;
  }

  /**
   * Takes the observable back through a gate or channel. Strings that it does not change stay; images of the others come
   * after them, equal ones together.
   *
   * @throws {TooManyTermsError} if there are too many, and none may be left out.
   */
  apply({ qubits, strings }: PauliMap): void {
    const { starts, images, factors } = strings;
    const unchanged = unchangedStrings(strings);
    const half = this.#stride / 2;
    const places = qubits.map((qubit) => ({ word: qubit >>> 5, shift: qubit & 31 }));
    const before = this.#count;
    this.#reserve(this.#moved, before);
    const { words } = this.#rows;
    const stringOf: number[] = [];
    let [kept, numImages] = [0, 0];
    for (let row = 0; row < before; row++) {
      let p = 0;
      for (let j = 0; j < places.length; j++) {
        const at = row * this.#stride + places[j]!.word;
        const { shift } = places[j]!;
        p |= (((words[at]! >>> shift) & 1) | (((words[at + half]! >>> shift) & 1) << 1)) << (2 * j);
      }
      if (unchanged[p] === 1) {
        if (kept < row) this.#copy(this.#rows, row, this.#rows, kept);
        kept++;
      } else {
        this.#copy(this.#rows, row, this.#moved, stringOf.length);
        stringOf.push(p);
        numImages += starts[p + 1]! - starts[p]!;
      }
    }
    this.#units += UNITS_PER_TERM * before + UNITS_PER_IMAGE * numImages;
    this.#count = kept;
    if (stringOf.length === 0) return;
    this.#reserve(this.#rows, kept + numImages);
    const table = new Int32Array(tableSize(numImages));
    for (let from = 0; from < stringOf.length; from++) {
      const p = stringOf[from]!;
      for (let i = starts[p]!; i < starts[p + 1]!; i++) {
        this.#copy(this.#moved, from, this.#rows, this.#count);
        const flips = images[i]! ^ p;
        for (let j = 0; j < places.length; j++) {
          const at = this.#count * this.#stride + places[j]!.word;
          const { shift } = places[j]!;
          this.#rows.words[at]! ^= ((flips >>> (2 * j)) & 1) << shift;
          this.#rows.words[at + half]! ^= ((flips >>> (2 * j + 1)) & 1) << shift;
        }
        this.#merge(this.#moved.coefficients[from]! * factors[i]!, table);
      }
    }
    this.#leaveOut(kept);
  }

  #reserve(rows: StringRows, count: number): void {
    if (rows.coefficients.length >= count) return;
    const room = Math.max(count, 2 * rows.coefficients.length);
    const grown = {
      words: new Uint32Array(room * this.#stride),
      coefficients: new Float64Array(room),
    };
    grown.words.set(rows.words);
    grown.coefficients.set(rows.coefficients);
    Object.assign(rows, grown);
  }

  #copy(from: StringRows, row: number, to: StringRows, place: number): void {
    const [source, target] = [row * this.#stride, place * this.#stride];
    for (let w = 0; w < this.#stride; w++) to.words[target + w] = from.words[source + w]!;
    to.coefficients[place] = from.coefficients[row]!;
  }

  /** Adds the string behind the last one, or its coefficient to an equal string of the table. */
  #merge(coefficient: number, table: Int32Array): void {
    const { words, coefficients } = this.#rows;
    const at = this.#count * this.#stride;
    let slot = hashOfWords(words, at, at + this.#stride) & (table.length - 1);
    for (; table[slot] !== 0; slot = (slot + 1) & (table.length - 1)) {
      const row = table[slot]! - 1;
      if (this.#isEqual(row * this.#stride, at)) {
        coefficients[row]! += coefficient;
        return;
      }
    }
    coefficients[this.#count] = coefficient;
    table[slot] = ++this.#count;
  }

  #isEqual(a: number, b: number): boolean {
    const { words } = this.#rows;
    for (let w = 0; w < this.#stride; w++) if (words[a + w] !== words[b + w]) return false;
    return true;
  }

  /** Leaves out strings from a row on that are beyond the limits, and the smallest of all if there are too many. */
  #leaveOut(from: number): void {
    const { isApproximate, minCoefficient, maxTerms, maxWeight } = this.#limits;
    const least = isApproximate ? Math.max(this.#least, minCoefficient) : this.#least;
    this.#keep(from, (row, size) => size >= least && size > 0 && this.#weightOf(row) <= maxWeight);
    if (this.#count <= maxTerms) return;
    if (!isApproximate) throw new TooManyTermsError(maxTerms);
    if (this.#count <= EXCESS * maxTerms) return;
    const sizes = this.#rows.coefficients.slice(0, this.#count).map(Math.abs).sort();
    const cut = sizes[this.#count - maxTerms]!;
    let numEqual = maxTerms - sizes.reduce((sum, size) => sum + (size > cut ? 1 : 0), 0);
    this.#keep(0, (_, size) => size > cut || (size === cut && numEqual-- > 0));
  }

  #keep(from: number, isKept: (row: number, size: number) => boolean): void {
    let kept = from;
    for (let row = from; row < this.#count; row++) {
      const size = Math.abs(this.#rows.coefficients[row]!);
      if (!isKept(row, size)) {
        this.leftOut += size;
        continue;
      }
      if (kept < row) this.#copy(this.#rows, row, this.#rows, kept);
      kept++;
    }
    this.#count = kept;
  }

  /** Qubits on which a string is not the identity; 0 where no limit asks for it. */
  #weightOf(row: number): number {
    if (this.#limits.maxWeight === Number.POSITIVE_INFINITY) return 0;
    const { words } = this.#rows;
    const half = this.#stride / 2;
    let weight = 0;
    for (let w = 0, at = row * this.#stride; w < half; w++, at++) {
      for (let bits = words[at]! | words[at + half]!; bits !== 0; bits &= bits - 1) weight++;
    }
    return weight;
  }
}

/** Entries of a hash table of so many strings: a power of 2, half of them free. */
const tableSize = (count: number): number => 2 ** Math.ceil(Math.log2(2 * count + 1));

const known = new WeakMap<PauliMap['strings'], Uint8Array>();

/** For each string, whether a map leaves it as it is, and makes it of no other. */
function unchangedStrings(strings: PauliMap['strings']): Uint8Array {
  const found = known.get(strings);
  if (found !== undefined) return found;
  const { starts, images, factors } = strings;
  const isAlone = (p: number) =>
    starts[p + 1]! - starts[p]! === 1 && images[starts[p]!] === p && factors[starts[p]!] === 1;
  const unchanged = Uint8Array.from({ length: starts.length - 1 }, (_, p) => Number(isAlone(p)));
  // What is made of other strings must meet them where it is merged.
  for (let p = 0; p < unchanged.length; p++) {
    for (let i = starts[p]!; i < starts[p + 1]!; i++) {
      if (images[i] !== p) unchanged[images[i]!] = 0;
    }
  }
  known.set(strings, unchanged);
  return unchanged;
}
