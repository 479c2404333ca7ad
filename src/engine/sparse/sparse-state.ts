/**
 * A state as the list of its non-zero amplitudes, and the kernels on it.
 *
 * Basis states are columns of words, word w of all amplitudes together, so that a gate reads only the words of its
 * qubits, one after the other. Permutations and diagonals change rows in place. A dense kernel finds the rows that
 * differ in its targets alone by a hash of their other bits, and makes a new list.
 *
 * @see Jaques & Häner, "Leveraging state sparsity for more efficient quantum simulations", 2021.
 */
import type { Qubit } from '../../circuit/circuit.ts';
import type { MatrixKernel, Program } from '../../compiler/program.ts';
import { TooManyAmplitudesError } from '../errors.ts';

/** Bits of one word of a basis state. */
interface WordMask {
  readonly word: number;
  /** Signed. */
  readonly mask: number;
}

/** A kernel on rows of words. */
export interface SparseKernel {
  readonly kind: 'dense' | 'diagonal' | 'permutation';
  /** Rows on which it acts have all of these bits. */
  readonly controls: readonly WordMask[];
  /** Bit of each target, bit 0 of the kernel's index first. */
  readonly targets: readonly WordMask[];
  /** As in `program.ts`. */
  readonly entries: Float64Array;
  readonly rows: readonly number[];
  /** Whether all entries of a permutation are 1. */
  readonly isPlain: boolean;
}

/**
 * An amplitude below this part of the state's norm that a dense kernel leaves is what rounding left of a 0. It is removed.
 */
const ROUNDING = 1e-14;

/** Words of a basis state. */
export const wordsOf = (numQubits: number): number => Math.max(1, Math.ceil(numQubits / 32));

/** Bytes of an amplitude and its basis state: a dense kernel holds the old and the new list, and links rows of the old one. */
export const bytesOfAmplitude = (numQubits: number): number => 3 * (16 + 4 * wordsOf(numQubits));

const maskOf = (qubit: Qubit): WordMask => ({ word: qubit >>> 5, mask: 1 << (qubit & 31) });

/** The kernels of a sweep. */
export function sparseKernels(
  kernels: readonly MatrixKernel[],
  { matrices }: Pick<Program, 'matrices'>,
): readonly SparseKernel[] {
  return kernels.map((kernel): SparseKernel => {
    const { kind, targets, controls, offset } = kernel;
    if (kind === 'map') throw new Error('unreachable: maps act on density matrices');
    const d = 2 ** targets.length;
    const numEntries = kind === 'dense' ? d * d : d;
    const entries = matrices.subarray(2 * offset, 2 * (offset + numEntries));
    const byWord = new Map<number, number>();
    for (const { word, mask } of controls.map(maskOf)) {
      byWord.set(word, (byWord.get(word) ?? 0) | mask);
    }
    return {
      kind,
      controls: [...byWord].map(([word, mask]) => ({ word, mask })),
      targets: targets.map(maskOf),
      entries,
      rows: kind === 'permutation' ? kernel.rows : [],
      isPlain: entries.every((part, i) => part === (i % 2 === 0 ? 1 : 0)),
    };
  });
}

/** Room for the amplitudes of a state beside those of other branches. */
export interface AmplitudeRoom {
  /** Amplitudes that this state may have. */
  readonly most: number;
  /** Amplitudes of all states together, and the bytes that one of them takes. */
  readonly limit: number;
  readonly bytes: number;
}

/** The amplitudes. Basis states are distinct. */
export class SparseState {
  readonly numWords: number;
  /** Number of amplitudes. */
  count: number;
  /** Word w of basis state i is `words[w · capacity + i]`. */
  words: Uint32Array;
  /** Interleaved re, im. */
  parts: Float64Array;
  #capacity: number;

  private constructor(numWords: number, words: Uint32Array, parts: Float64Array, count: number) {
    this.numWords = numWords;
    this.words = words;
    this.parts = parts;
    this.count = count;
    this.#capacity = parts.length / 2;
  }

  /** |0…0⟩. */
  static ofZeros(numQubits: number): SparseState {
    const numWords = wordsOf(numQubits);
    return new SparseState(numWords, new Uint32Array(numWords), Float64Array.of(1, 0), 1);
  }

  /**
   * Replaces all amplitudes, of at most 32 qubits.
   *
   * @param parts - Interleaved re, im, of each of the distinct basis states.
   */
  assign(basisStates: Uint32Array, parts: Float64Array): void {
    this.count = basisStates.length;
    this.#capacity = this.count;
    this.words = basisStates;
    this.parts = parts;
  }

  get capacity(): number {
    return this.#capacity;
  }

  copy(): SparseState {
    const { count, numWords } = this;
    const words = new Uint32Array(numWords * count);
    for (let w = 0; w < numWords; w++) words.set(this.column(w), w * count);
    return new SparseState(numWords, words, this.parts.slice(0, 2 * count), count);
  }

  /** Word w of all basis states. */
  column(word: number): Uint32Array {
    const from = word * this.#capacity;
    return this.words.subarray(from, from + this.count);
  }

  bitAt(row: number, qubit: Qubit): 0 | 1 {
    const word = this.words[(qubit >>> 5) * this.#capacity + row]!;
    return ((word >>> (qubit & 31)) & 1) === 1 ? 1 : 0;
  }

  /**
   * Applies a kernel.
   *
   * @throws {TooManyAmplitudesError} if there is no room for the amplitudes after it.
   */
  apply(kernel: SparseKernel, room: AmplitudeRoom): void {
    if (kernel.kind === 'diagonal') this.#multiply(kernel);
    else if (kernel.kind === 'permutation') this.#permute(kernel);
    else this.#mix(kernel, room);
  }

  #holds(controls: readonly WordMask[], row: number): boolean {
    for (let c = 0; c < controls.length; c++) {
      const { word, mask } = controls[c]!;
      if ((this.words[word * this.#capacity + row]! & mask) !== mask) return false;
    }
    return true;
  }

  /** Value of the targets in a row. */
  #valueOf(targets: readonly WordMask[], row: number): number {
    let value = 0;
    for (let t = 0; t < targets.length; t++) {
      const { word, mask } = targets[t]!;
      if ((this.words[word * this.#capacity + row]! & mask) !== 0) value |= 1 << t;
    }
    return value;
  }

  #multiply({ controls, targets, entries }: SparseKernel): void {
    for (let row = 0; row < this.count; row++) {
      if (this.#holds(controls, row)) this.#scale(row, entries, this.#valueOf(targets, row));
    }
  }

  /** Multiplies the amplitude of a row by an entry. */
  #scale(row: number, entries: Float64Array, entry: number): void {
    const { parts } = this;
    const [a, b] = [entries[2 * entry]!, entries[2 * entry + 1]!];
    const [re, im] = [parts[2 * row]!, parts[2 * row + 1]!];
    parts[2 * row] = a * re - b * im;
    parts[2 * row + 1] = a * im + b * re;
  }

  #permute({ controls, targets, rows, entries, isPlain }: SparseKernel): void {
    const [target, second] = targets;
    if (isPlain && target !== undefined && second === undefined) {
      this.#flip(target, controls);
      return;
    }
    for (let row = 0; row < this.count; row++) {
      if (!this.#holds(controls, row)) continue;
      const value = this.#valueOf(targets, row);
      if (!isPlain) this.#scale(row, entries, value);
      const flips = value ^ rows[value]!;
      for (let t = 0; t < targets.length; t++) {
        if (((flips >>> t) & 1) === 0) continue;
        const { word, mask } = targets[t]!;
        this.words[word * this.#capacity + row]! ^= mask;
      }
    }
  }

  /** Flips a bit where controls hold; most gates of a reversible circuit do. */
  #flip({ word, mask }: WordMask, controls: readonly WordMask[]): void {
    const { words, count } = this;
    const at = word * this.#capacity;
    const [first, second] = controls;
    if (first === undefined) {
      for (let row = 0; row < count; row++) words[at + row]! ^= mask;
    } else {
      const [from, held] = [first.word * this.#capacity, first.mask];
      for (let row = 0; row < count; row++) {
        if ((words[from + row]! & held) !== held) continue;
        if (second === undefined || this.#holds(controls, row)) words[at + row]! ^= mask;
      }
    }
  }

  /** Multiplies by a matrix each group of rows that differ in the targets alone. */
  #mix({ controls, targets, entries }: SparseKernel, room: AmplitudeRoom): void {
    const { count, numWords, parts } = this;
    const d = 2 ** targets.length;
    const kept = new Int32Array(numWords).fill(-1);
    for (const { word, mask } of targets) kept[word]! &= ~mask;
    const { heads, next, norm } = this.#grouped(kept, controls);
    const least = ROUNDING ** 2 * norm;
    const list = new RowList(Math.min(room.most, 2 * count), room);
    const input = new Float64Array(2 * d);
    for (const head of heads) {
      if (next[head] === UNTOUCHED) {
        list.add(head, this.#valueOf(targets, head), parts[2 * head]!, parts[2 * head + 1]!);
        continue;
      }
      input.fill(0);
      for (let row = head; row >= 0; row = next[row]!) {
        const value = this.#valueOf(targets, row);
        input[2 * value] = parts[2 * row]!;
        input[2 * value + 1] = parts[2 * row + 1]!;
      }
      for (let value = 0; value < d; value++) {
        let [re, im] = [0, 0];
        for (let j = 0, m = 2 * value * d; j < 2 * d; j += 2, m += 2) {
          re += entries[m]! * input[j]! - entries[m + 1]! * input[j + 1]!;
          im += entries[m]! * input[j + 1]! + entries[m + 1]! * input[j]!;
        }
        if (re * re + im * im > least) list.add(head, value, re, im);
      }
    }
    this.#take(list, kept, targets);
  }

  /**
   * Links the rows that are alike in the kept bits.
   *
   * @returns The first row of each group; for each row the next one of its group, or -1, or `UNTOUCHED` for a row on
   *   which the kernel does not act; and the sum of all |amplitude|².
   */
  #grouped(kept: Int32Array, controls: readonly WordMask[]) {
    const { count, numWords, words, parts } = this;
    const capacity = this.#capacity;
    const hashes = new Int32Array(count);
    for (let w = 0; w < numWords; w++) {
      const mask = kept[w]!;
      for (let row = 0, at = w * capacity; row < count; row++, at++) {
        const mixed = Math.imul(hashes[row]! ^ (words[at]! & mask), 0x9e3779b1);
        hashes[row] = mixed ^ (mixed >>> 15);
      }
    }
    const size = 2 ** Math.ceil(Math.log2(2 * count));
    /** Number of a row plus 1, or 0. */
    const table = new Int32Array(size);
    const next = new Int32Array(count).fill(-1);
    const heads = new Int32Array(count);
    let numHeads = 0;
    let norm = 0;
    for (let row = 0; row < count; row++) {
      norm += parts[2 * row]! ** 2 + parts[2 * row + 1]! ** 2;
      if (!this.#holds(controls, row)) {
        next[row] = UNTOUCHED;
        heads[numHeads++] = row;
        continue;
      }
      let slot = hashes[row]! & (size - 1);
      while (table[slot] !== 0 && !this.#areAlike(table[slot]! - 1, row, kept)) {
        slot = (slot + 1) & (size - 1);
      }
      const head = table[slot]! - 1;
      if (head < 0) {
        table[slot] = row + 1;
        heads[numHeads++] = row;
      } else {
        next[row] = next[head]!;
        next[head] = row;
      }
    }
    return { heads: heads.subarray(0, numHeads), next, norm };
  }

  #areAlike(a: number, b: number, kept: Int32Array): boolean {
    for (let w = 0, at = 0; w < this.numWords; w++, at += this.#capacity) {
      if (((this.words[at + a]! ^ this.words[at + b]!) & kept[w]!) !== 0) return false;
    }
    return true;
  }

  /** Replaces all rows by those of a list: old ones but for the values of the targets. */
  #take(list: RowList, kept: Int32Array, targets: readonly WordMask[]): void {
    const { numWords, words } = this;
    const { count } = list;
    const taken = new Uint32Array(numWords * count);
    for (let w = 0; w < numWords; w++) {
      const mask = kept[w]!;
      const [from, to] = [w * this.#capacity, w * count];
      for (let i = 0; i < count; i++) taken[to + i] = words[from + list.origins[i]!]! & mask;
    }
    for (const [t, { word, mask }] of targets.entries()) {
      const to = word * count;
      for (let i = 0; i < count; i++) {
        if (((list.values[i]! >>> t) & 1) === 1) taken[to + i]! |= mask;
      }
    }
    this.words = taken;
    this.parts = list.parts.slice(0, 2 * count);
    this.count = count;
    this.#capacity = count;
  }

  /** Replaces all amplitudes. */
  fill(rows: readonly { readonly words: Uint32Array; readonly re: number; readonly im: number }[]) {
    this.count = rows.length;
    this.#capacity = rows.length;
    this.parts = Float64Array.from(rows.flatMap(({ re, im }) => [re, im]));
    this.words = new Uint32Array(this.numWords * rows.length);
    for (const [row, { words }] of rows.entries()) {
      for (const [w, word] of words.entries()) this.words[w * rows.length + row] = word;
    }
  }

  /** Sums of |amplitude|² by the value of a qubit. */
  masses(qubit: Qubit): { readonly zero: number; readonly one: number } {
    const sums = [0, 0];
    for (let row = 0; row < this.count; row++) {
      sums[this.bitAt(row, qubit)]! += this.parts[2 * row]! ** 2 + this.parts[2 * row + 1]! ** 2;
    }
    return { zero: sums[0]!, one: sums[1]! };
  }

  /** Keeps the rows in which a qubit has a value, gives it another, and multiplies the amplitudes. */
  project(qubit: Qubit, outcome: 0 | 1, left: 0 | 1, factor: number): void {
    const { numWords, words, parts } = this;
    const { word, mask } = maskOf(qubit);
    let kept = 0;
    for (let row = 0; row < this.count; row++) {
      if (this.bitAt(row, qubit) !== outcome) continue;
      for (let w = 0, at = 0; w < numWords; w++, at += this.#capacity) {
        words[at + kept] = words[at + row]!;
      }
      if (left !== outcome) words[word * this.#capacity + kept]! ^= mask;
      parts[2 * kept] = factor * parts[2 * row]!;
      parts[2 * kept + 1] = factor * parts[2 * row + 1]!;
      kept++;
    }
    this.count = kept;
  }
}

/** In place of the next row of a group: the kernel does not act on this row. */
const UNTOUCHED = -2;

/** Rows of a new list of amplitudes. */
class RowList {
  count = 0;
  /** The old row that a row has its bits of, but for the targets. */
  origins: Int32Array;
  /** Value of its targets. */
  values: Int32Array;
  parts: Float64Array;
  readonly #room: AmplitudeRoom;

  constructor(capacity: number, room: AmplitudeRoom) {
    this.origins = new Int32Array(capacity);
    this.values = new Int32Array(capacity);
    this.parts = new Float64Array(2 * capacity);
    this.#room = room;
  }

  add(origin: number, value: number, re: number, im: number): void {
    if (this.count === this.origins.length) this.#grow();
    this.origins[this.count] = origin;
    this.values[this.count] = value;
    this.parts[2 * this.count] = re;
    this.parts[2 * this.count + 1] = im;
    this.count++;
  }

  #grow(): void {
    const { most, limit, bytes } = this.#room;
    if (this.count >= most) throw new TooManyAmplitudesError(limit, bytes);
    const capacity = Math.min(most, 2 * this.count + 2);
    const grown = <T extends Int32Array | Float64Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.origins = grown(this.origins, new Int32Array(capacity));
    this.values = grown(this.values, new Int32Array(capacity));
    this.parts = grown(this.parts, new Float64Array(2 * capacity));
  }
}
