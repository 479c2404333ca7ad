/** The pool of a program's matrix entries; what is already in it is not stored twice. */

/** What one call takes as arguments. */
const MAX_UNITS = 2 ** 12;

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
    const key = textOf(new Uint16Array(normalized.buffer));
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

/** A text of these code units: a key that is compared by content. */
function textOf(units: Uint16Array): string {
  let text = '';
  for (let from = 0; from < units.length; from += MAX_UNITS) {
    const part = units.length <= MAX_UNITS ? units : units.subarray(from, from + MAX_UNITS);
    // Not spread, which visits the units one by one and takes five times as long.
    text += Reflect.apply(String.fromCharCode, undefined, part);
  }
  return text;
}
