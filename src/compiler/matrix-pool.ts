/** The pool of a program's matrix entries; what is already in it is not stored twice. */

/** Grows while a circuit is compiled. */
export class MatrixPool {
  readonly #offsets = new Map<string, number>();
  /** The same by array: most circuits use few matrices, and use each often. */
  readonly #arrayOffsets = new Map<Float64Array, number>();
  readonly #chunks: Float64Array[] = [];
  #length = 0;

  /**
   * Puts entries in the pool, or finds them there.
   *
   * @param entries - Interleaved re, im; not changed afterwards.
   * @returns Where they begin, counted in complex numbers.
   */
  add(entries: Float64Array): number {
    const added = this.#arrayOffsets.get(entries);
    if (added !== undefined) return added;
    const offset = this.#addByContent(entries);
    this.#arrayOffsets.set(entries, offset);
    return offset;
  }

  #addByContent(entries: Float64Array): number {
    // Adding zero turns −0 into 0, so that equal numbers are equal bytes, here and in the hash.
    const normalized = entries.map((entry) => entry + 0);
    const key = Buffer.from(normalized.buffer).toString('latin1');
    const known = this.#offsets.get(key);
    if (known !== undefined) return known;
    const offset = this.#length / 2;
    this.#offsets.set(key, offset);
    this.#chunks.push(normalized);
    this.#length += normalized.length;
    return offset;
  }

  /** All entries, interleaved re, im. */
  entries(): Float64Array {
    const out = new Float64Array(this.#length);
    let next = 0;
    for (const chunk of this.#chunks) {
      out.set(chunk, next);
      next += chunk.length;
    }
    return out;
  }
}
