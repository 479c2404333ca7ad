/** Sweeps as the words that shaders/sweep.wgsl reads; the same numbers and fields stand there. */

/** First word of an instruction. */
const OPCODES = { rotate: 1, flip: 2, phases: 3, dense: 4 } as const;

/** Registers that a thread holds amplitudes in, as a power of two. */
export const REGISTER_QUBITS = 4;
const NUM_REGISTERS = 2 ** REGISTER_QUBITS;

/** Where an instruction applies: where `mask` of the basis index, registers aside, reads `value`. */
export interface IndexCondition {
  readonly mask: number;
  readonly value: number;
}

/** A factor of a diagonal: multiplies where all qubits of `mask` and of `registers` are 1. */
export interface PhaseFactor {
  readonly registers: number;
  readonly mask: number;
  readonly re: number;
  readonly im: number;
}

/** 32-bit words that grow; floats by their bits. */
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

/** [[1, −t], [t, 1]] on a register bit, in the pairs of registers whose bits are set. */
export function writeRotate(
  out: WordWriter,
  bit: number,
  { mask, value }: IndexCondition,
  pairs: number,
  t: number,
): void {
  out.words(OPCODES.rotate, 7, bit, mask, value, pairs);
  out.float(t);
}

/** Exchanges the halves of pairs that differ in a register bit. */
export function writeFlip(
  out: WordWriter,
  bit: number,
  { mask, value }: IndexCondition,
  pairs: number,
): void {
  out.words(OPCODES.flip, 6, bit, mask, value, pairs);
}

/** Multiplies by a product of factors. */
export function writePhases(out: WordWriter, factors: readonly PhaseFactor[]): void {
  const bySubset = Array.from({ length: NUM_REGISTERS }, (_, registers) =>
    factors.filter((factor) => factor.registers === registers),
  );
  out.words(OPCODES.phases, 2 + NUM_REGISTERS + 3 * factors.length);
  out.words(...bySubset.map((subset) => subset.length));
  for (const { mask, re, im } of bySubset.flat()) {
    out.words(mask);
    out.float(re);
    out.float(im);
  }
}

/** What a block in workgroup memory does to its targets. */
export type WideBlock =
  /** 4^targets entries, row-major, interleaved re, im. */
  | { readonly kind: 'dense'; readonly entries: Float64Array }
  /** |j⟩ → |rows[j]⟩. */
  | { readonly kind: 'permutation'; readonly rows: readonly number[] };

/**
 * A block on bits of the tile, in workgroup memory.
 *
 * @param targets - Masks of tile bits.
 */
export function writeWide(
  out: WordWriter,
  targets: readonly number[],
  { mask, value }: IndexCondition,
  block: WideBlock,
): void {
  out.words(targets.length, Number(block.kind === 'permutation'), mask, value, ...targets);
  if (block.kind === 'dense') for (const x of block.entries) out.float(x);
  else out.words(...block.rows.map((_, row) => block.rows.indexOf(row)));
}

/** A general matrix on the registers: 16 × 16 entries, row-major, interleaved re, im. */
export function writeDense(
  out: WordWriter,
  { mask, value }: IndexCondition,
  entries: Float64Array,
): void {
  out.words(OPCODES.dense, 4 + entries.length, mask, value);
  for (const x of entries) out.float(x);
}
