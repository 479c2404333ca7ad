/** Pool of a program's matrix entries, which stores equal matrices once. */

/** Most arguments of one function call. */
const MAX_UNITS = 2 ** 12;

/** Collects entries while a circuit is compiled. */
export class MatrixPool {
  readonly #offsets = new Map<string, number>();
  /** Offsets by array object: most circuits use few matrices, each of them often. */
  readonly #arrayOffsets = new Map<Float64Array, number>();
  readonly #chunks: Float64Array[] = [];
  #length = 0;

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

/** Packs code units into a string, for use as a key. */
function textOf(units: Uint16Array): string {
  let text = '';
  for (let from = 0; from < units.length; from += MAX_UNITS) {
    const part = units.length <= MAX_UNITS ? units : units.subarray(from, from + MAX_UNITS);
    // A spread would visit the units one by one and take five times as long.
    text += Reflect.apply(String.fromCharCode, undefined, part);
  }
  return text;
}
