/**
 * Encodes sweeps as quads of words for shaders/sweep.wgsl, which has the same opcodes and fields.
 *
 * An instruction begins with its code, which includes register bits and pairs of registers, a
 * condition (a mask of index bits outside the registers, which must all be 1), and ends its first quad
 * with the number of its quads.
 */
import {
  type Complex,
  imaginaryPart,
  ONE,
  plainReal,
  type Real,
  realPart,
  type TracedReal,
} from '../../complex.ts';
import type { PairRotation } from '../../rotation.ts';

/** Lowest byte of an instruction. */
const OPCODES = {
  rotate: 1,
  rotateSome: 2,
  flip: 3,
  exchange: 4,
  phase: 5,
  diagonal: 6,
  rotatePair: 7,
  rotatePairByI: 8,
  dense2: 9,
  dense3: 10,
  dense4: 11,
} as const;

/** log2 of the registers in which a thread holds amplitudes. */
export const REGISTER_QUBITS = 4;
/** Most qubits of a block that is done on the lowest register bits. */
export const MAX_BLOCK_QUBITS = 3;
const NUM_REGISTERS = 2 ** REGISTER_QUBITS;

/** A factor of a diagonal; it applies where all index bits of `mask` are 1. */
export interface PhaseFactor {
  readonly mask: number;
  readonly phase: Complex;
}

/** Words that are floats with formulas: two lists, parallel to each other. */
export interface FloatSites {
  /** Positions of the words. */
  readonly at: number[];
  readonly values: TracedReal[];
}

/** Growing list of 32-bit words; floats are stored by their bits. */
export class WordWriter {
  readonly sites: FloatSites = { at: [], values: [] };
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

  float(value: Real): void {
    this.words(0);
    this.putFloat(this.#length - 1, value);
  }

  /** A complex number in two words. */
  complex(value: Complex): void {
    this.float(realPart(value));
    this.float(imaginaryPart(value));
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
  putFloat(at: number, value: Real): void {
    if (typeof value !== 'number') {
      this.sites.at.push(at);
      this.sites.values.push(value);
    }
    this.#float[0] = plainReal(value);
    this.#words[at] = this.#bits[0]!;
  }

  toArray(): Uint32Array<ArrayBuffer> {
    return this.#words.slice(0, this.#length);
  }
}

/** Mask of all pairs of registers that differ in one bit. */
const ALL_PAIRS = 2 ** (NUM_REGISTERS / 2) - 1;

/** Writes [[1, −t], [t, 1]] on a register bit, for the selected pairs of registers. */
export function writeRotate(
  out: WordWriter,
  bit: number,
  pairs: number,
  condition: number,
  t: Real,
): void {
  const name = pairs === ALL_PAIRS ? 'rotate' : 'rotateSome';
  const at = writeCode(out, name, bit, pairs, condition, 1);
  out.putFloat(at + 2, t);
}

/**
 * Writes rotations of the registers 0 with 3 and 1 with 2, by the lowest two register bits: [[1, −t], [t, 1]], or
 * [[1, it], [it, 1]].
 *
 * @param groups - Mask of the groups of four registers that it acts on, numbered by the other bits.
 */
export function writeRotatePair(
  out: WordWriter,
  groups: number,
  condition: number,
  { even, odd, isImaginary }: Pick<PairRotation, 'even' | 'odd' | 'isImaginary'>,
): void {
  writeCode(out, isImaginary ? 'rotatePairByI' : 'rotatePair', 0, groups, condition, 2);
  out.float(even);
  out.float(odd);
  out.endQuad();
}

/** Writes an exchange of the two registers of each selected pair. */
export function writeFlip(out: WordWriter, bit: number, pairs: number, condition: number): void {
  writeCode(out, 'flip', bit, pairs, condition, 1);
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
  // An even number: the kernel takes two at a time.
  const padded = factors.length % 2 === 0 ? factors : [...factors, { mask: 0, phase: ONE }];
  const at = writeCode(out, 'phase', registers, 0, 0, 1 + padded.length);
  out.put(at + 2, padded.length);
  for (const { mask, phase } of padded) {
    out.words(mask);
    out.complex(phase);
    out.endQuad();
  }
}

/**
 * Writes factors that depend on nothing but the register.
 *
 * @param factors - One for each register.
 */
export function writeDiagonal(out: WordWriter, factors: readonly Complex[]): void {
  writeCode(out, 'diagonal', 0, 0, 0, 1 + factors.length / 2);
  for (const factor of factors) out.complex(factor);
}

/** Writes a matrix on all registers: 16 × 16 entries, row-major. */
export function writeDense(out: WordWriter, condition: number, entries: readonly Complex[]): void {
  const at = writeCode(out, 'dense4', 0, 0, condition, 1 + entries.length / 2);
  out.put(at + 2, NUM_REGISTERS / 4);
  for (const entry of entries) out.complex(entry);
}

/** Pairs of register bits, lower first, by the number that stands for their exchange. */
const BIT_EXCHANGES: readonly (readonly [number, number])[] = Array.from(
  { length: REGISTER_QUBITS },
  (_, high) => Array.from({ length: high }, (_, low) => [low, high] as const),
).flat();

/** Writes an exchange of two different register bits: registers move, not amplitudes of the tile. */
export function writeExchange(out: WordWriter, one: number, other: number): void {
  const [low, high] = [Math.min(one, other), Math.max(one, other)];
  const which = BIT_EXCHANGES.findIndex(([a, b]) => a === low && b === high);
  writeCode(out, 'exchange', which, 0, 0, 1);
}

/**
 * Place of a tile's amplitude in workgroup memory, as in `place_of` of the kernel: its lowest four
 * bits depend on all others, so that neighbouring threads use different banks. The place of an
 * exclusive or is that of the places.
 */
export function placeOf(inTile: number): number {
  return inTile ^ ((inTile >> 4) & 15) ^ ((inTile >> 8) & 15);
}

/**
 * Writes a matrix on the two or three lowest register bits.
 *
 * @param groups - Mask of the groups of registers that it acts on, numbered by the other bits.
 * @param entries - 4 × 4 or 8 × 8, row-major.
 */
export function writeBlock(
  out: WordWriter,
  groups: number,
  condition: number,
  entries: readonly Complex[],
): void {
  const name = entries.length === 16 ? 'dense2' : 'dense3';
  writeCode(out, name, 0, groups, condition, 1 + entries.length / 2);
  for (const entry of entries) out.complex(entry);
}

/** Operation of a block in workgroup memory. */
export type WideBlock =
  /** 4^targets entries, row-major, interleaved re, im. */
  | { readonly kind: 'dense'; readonly entries: ArrayLike<Real> }
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
  if (block.kind === 'dense') {
    for (let i = 0; i < block.entries.length; i++) out.float(block.entries[i]!);
  } else out.words(...block.rows.map((_, row) => block.rows.indexOf(row)));
  out.endQuad();
}

/**
 * Writes the first quad of an instruction, whose third word is left to the caller.
 *
 * @param numQuads - Quads of the instruction.
 * @returns Position of the quad.
 */
function writeCode(
  out: WordWriter,
  name: keyof typeof OPCODES,
  bits: number,
  pairs: number,
  condition: number,
  numQuads: number,
): number {
  const at = out.length;
  out.words(OPCODES[name] | (bits << 8) | (pairs << 16), condition, 0, numQuads);
  return at;
}
