/**
 * Encodes sweeps as quads of words for shaders/sweep.wgsl, which has the same opcodes and fields.
 *
 * An instruction begins with its code, which includes register bits and pairs of registers, and a
 * condition: a mask of index bits outside the registers, which must all be 1.
 */

/** Lowest byte of an instruction. */
const OPCODES = { rotate: 1, flip: 2, phase: 3, dense: 4 } as const;

/** log2 of the registers in which a thread holds amplitudes. */
export const REGISTER_QUBITS = 4;
const NUM_REGISTERS = 2 ** REGISTER_QUBITS;

/** A factor of a diagonal; it applies where all index bits of `mask` are 1. */
export interface PhaseFactor {
  readonly mask: number;
  readonly re: number;
  readonly im: number;
}

/** Growing list of 32-bit words; floats are stored by their bits. */
export class WordWriter {
  #words = new Uint32Array(256);
  #length = 0;
  readonly #float = new Float32Array(1);
  readonly #bits = new Uint32Array(this.#float.buffer);

  get length(): number {
    return this.#length;
  }

  words(...values: readonly number[]): void {
    while (this.#length + values.length > this.#words.length) {
      const grown = new Uint32Array(2 * this.#words.length);
      grown.set(this.#words);
      this.#words = grown;
    }
    for (const value of values) this.#words[this.#length++] = value;
  }

  float(value: number): void {
    this.#float[0] = value;
    this.words(this.#bits[0]!);
  }

  /** Pads the last quad with zeros. */
  endQuad(): void {
    while (this.#length % 4 !== 0) this.words(0);
  }

  /** Overwrites a word. */
  put(at: number, value: number): void {
    this.#words[at] = value;
  }

  /** Overwrites a word with a float's bits. */
  putFloat(at: number, value: number): void {
    this.#float[0] = value;
    this.#words[at] = this.#bits[0]!;
  }

  toArray(): Uint32Array<ArrayBuffer> {
    return this.#words.slice(0, this.#length);
  }
}

/** Writes [[1, −t], [t, 1]] on a register bit, for the selected pairs of registers. */
export function writeRotate(
  out: WordWriter,
  bit: number,
  pairs: number,
  condition: number,
  t: number,
): void {
  writeCode(out, 'rotate', bit, pairs, condition);
  out.float(t);
  out.endQuad();
}

/** Writes an exchange of the two registers of each selected pair. */
export function writeFlip(out: WordWriter, bit: number, pairs: number, condition: number): void {
  writeCode(out, 'flip', bit, pairs, condition);
  out.endQuad();
}

/**
 * Writes factors for the registers that have all of these bits.
 *
 * @param registers - Mask of register bits.
 */
export function writePhase(
  out: WordWriter,
  registers: number,
  factors: readonly PhaseFactor[],
): void {
  writeCode(out, 'phase', registers, 0, 0);
  out.words(factors.length);
  out.endQuad();
  for (const { mask, re, im } of factors) {
    out.words(mask);
    out.float(re);
    out.float(im);
    out.endQuad();
  }
}

/** Writes a matrix on all registers: 16 × 16 entries, row-major, interleaved re, im. */
export function writeDense(out: WordWriter, condition: number, entries: Float64Array): void {
  writeCode(out, 'dense', 0, 0, condition);
  out.words(NUM_REGISTERS);
  out.endQuad();
  for (const x of entries) out.float(x);
}

/** Operation of a block in workgroup memory. */
export type WideBlock =
  /** 4^targets entries, row-major, interleaved re, im. */
  | { readonly kind: 'dense'; readonly entries: Float64Array }
  /** |j⟩ → |rows[j]⟩. */
  | { readonly kind: 'permutation'; readonly rows: readonly number[] };

/**
 * Writes a block on tile bits, done in workgroup memory.
 *
 * @param targets - Masks of tile bits; at most eight.
 */
export function writeWide(
  out: WordWriter,
  targets: readonly number[],
  condition: number,
  block: WideBlock,
): void {
  out.words(targets.length, Number(block.kind === 'permutation'), condition, 0);
  out.words(...Array.from({ length: 8 }, (_, i) => targets[i] ?? 0));
  if (block.kind === 'dense') for (const x of block.entries) out.float(x);
  else out.words(...block.rows.map((_, row) => block.rows.indexOf(row)));
  out.endQuad();
}

function writeCode(
  out: WordWriter,
  name: keyof typeof OPCODES,
  bits: number,
  pairs: number,
  condition: number,
): void {
  out.words(OPCODES[name] | (bits << 8) | (pairs << 16), condition);
}
