/** Pool of a program's matrix entries, which stores equal matrices once. */
import { hashOfWords } from '../math/word-hash.ts';
import type { BlockForm } from './block.ts';

/** Collects entries while a circuit is compiled. */
export class MatrixPool {
  /** Offset of entries with each hash. Of different entries with one hash, the latest is found again. */
  readonly #offsets = new Map<number, number>();
  /** Offsets by array object: most circuits use few matrices, each of them often. */
  readonly #arrayOffsets = new Map<Float64Array, number>();
  #entries = new Float64Array(512);
  #bits = new Int32Array(this.#entries.buffer);
  #length = 0;
  readonly #parametric = new Map<number, BlockForm>();

  /** By offset, the forms whose entries depend on parameters. */
  get parametric(): ReadonlyMap<number, BlockForm> {
    return this.#parametric;
  }

  /**
   * Adds the entries of a form, which may depend on parameters. Those that do are shared by blocks of one form only:
   * parts of canonical forms may be equal at the angles of a shape and differ at others.
   */
  addForm(form: BlockForm): number {
    const { entries, source } = form;
    if (source === undefined) return this.add(entries);
    const added = this.#arrayOffsets.get(entries);
    if (added !== undefined) return added;
    const offset = this.#append(entries) / 2;
    this.#length += entries.length;
    this.#arrayOffsets.set(entries, offset);
    this.#parametric.set(offset, form);
    return offset;
  }

  /**
   * Adds entries to the pool, or finds equal ones there.
   *
   * @param entries - Interleaved re, im; not changed afterwards.
   * @returns Offset of the first entry, in complex numbers.
   */
  add(entries: Float64Array): number {
    const added = this.#arrayOffsets.get(entries);
    if (added !== undefined) return added;
    const offset = this.#addByContent(entries);
    this.#arrayOffsets.set(entries, offset);
    return offset;
  }

  #addByContent(entries: Float64Array): number {
    const start = this.#append(entries);
    const end = start + entries.length;
    const hash = hashOfWords(this.#bits, 2 * start, 2 * end);
    const known = this.#offsets.get(hash);
    if (known !== undefined && this.#isAt(2 * known, start, entries.length)) return known;
    this.#length = end;
    this.#offsets.set(hash, start / 2);
    return start / 2;
  }

  /** Writes entries behind the last ones, to which they do not belong yet; returns where they begin. */
  #append(entries: Float64Array): number {
    const start = this.#length;
    const end = start + entries.length;
    if (end > this.#entries.length) this.#grow(end);
    const all = this.#entries;
    // Adding zero turns −0 into 0, so that equal numbers are equal bytes, here and in the hash.
    for (let i = 0; i < entries.length; i++) all[start + i] = entries[i]! + 0;
    return start;
  }

  /** Whether the entries from `start` on, not added yet, are those from `known` on. */
  #isAt(known: number, start: number, length: number): boolean {
    // Entries of another length with the same hash may end behind the last ones.
    if (known + length > start) return false;
    for (let i = 0; i < length; i++) {
      if (this.#entries[known + i] !== this.#entries[start + i]) return false;
    }
    return true;
  }

  #grow(least: number): void {
    const grown = new Float64Array(Math.max(least, 2 * this.#entries.length));
    grown.set(this.#entries);
    this.#entries = grown;
    this.#bits = new Int32Array(grown.buffer);
  }

  /** All entries, interleaved re, im. */
  entries(): Float64Array {
    return this.#entries.slice(0, this.#length);
  }
}
