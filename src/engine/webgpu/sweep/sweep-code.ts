/**
 * Encodes sweeps as quads of words for shaders/sweep.wgsl, which has the same opcodes and fields.
 *
 * An instruction begins with its code, which includes register bits and pairs of registers, and a
 * condition: a mask of index bits outside the registers, which must all be 1.
 */

/** Lowest byte of an instruction. */
const OPCODES = { rotate: 1, flip: 2, phase: 3, dense: 4, dense2: 5, dense3: 6 } as const;

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
  // An even number: the kernel takes two at a time.
  const padded = factors.length % 2 === 0 ? factors : [...factors, { mask: 0, re: 1, im: 0 }];
  out.words(padded.length);
  out.endQuad();
  for (const { mask, re, im } of padded) {
    out.words(mask);
    out.float(re);
    out.float(im);
    out.endQuad();
  }
}

/** Writes a matrix on all registers: 16 × 16 entries, row-major, interleaved re, im. */
export function writeDense(out: WordWriter, condition: number, entries: Float64Array): void {
  writeCode(out, 'dense', 0, 0, condition);
  out.words(NUM_REGISTERS / 4);
  out.endQuad();
  for (const x of entries) out.float(x);
}

/**
 * Exchanges of register bits that bring the bits of a block to the lowest places: pairs of places
 * by the number that stands for them in an instruction; 0 for none.
 */
const BIT_EXCHANGES: readonly (readonly [number, number])[] = [
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 2],
  [0, 3],
  [1, 3],
  [2, 3],
];

/** A block's place among the registers: what `writeBlock` needs of it. */
export interface BlockPlace {
  /** Field of an instruction: the exchanges of register bits around the block. */
  readonly exchanges: number;
  /** For each register bit after the exchanges, its number before them. */
  readonly order: readonly number[];
}

/** How two or three register bits, ascending, come to the lowest places. */
export function blockPlace(bits: readonly number[]): BlockPlace {
  const order = Array.from({ length: REGISTER_QUBITS }, (_, bit) => bit);
  const pairs =
    bits.length === 2
      ? bits.map((bit, place) => [place, bit] as const)
      : order
          .filter((bit) => !bits.includes(bit))
          .map((bit) => [bit, REGISTER_QUBITS - 1] as const);
  let exchanges = 0;
  for (const [i, [low, high]] of pairs.entries()) {
    if (low === high) continue;
    const which = BIT_EXCHANGES.findIndex(([a, b]) => a === low && b === high);
    exchanges |= which << (4 * i);
    [order[low], order[high]] = [order[high]!, order[low]!];
  }
  return { exchanges, order };
}

/**
 * Writes a matrix on the two or three lowest register bits after some exchanges.
 *
 * @param groups - Mask of the groups of registers that it acts on, numbered by the other bits.
 * @param entries - 4 × 4 or 8 × 8, row-major, interleaved re, im.
 */
export function writeBlock(
  out: WordWriter,
  { exchanges }: BlockPlace,
  groups: number,
  condition: number,
  entries: Float64Array,
): void {
  writeCode(out, entries.length === 32 ? 'dense2' : 'dense3', exchanges, groups, condition);
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
