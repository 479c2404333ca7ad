/**
 * Instructions for tiles, executed by assembly/tile-program.ts, and their constants.
 *
 * Code is written before its position in memory is known. Addresses of constants are relative until
 * `place` makes them absolute.
 */
import { hashOfWords } from '../../math/word-hash.ts';
import type { Precision } from './precision.ts';

/** An instruction's first word. */
export const OPCODES = {
  rotate1: 1,
  rotate2: 2,
  rotate3: 3,
  rotateLanes: 4,
  multiply: 6,
  table: 7,
  phases: 8,
  exchange: 9,
  cycle: 10,
  permuteLanes: 11,
  exchangeLane: 12,
  dense: 13,
  scale: 14,
  rotatePairs: 15,
  rotateLanePair: 16,
} as const;

/**
 * Condition of an instruction: it applies to tiles whose base index, under `mask`, equals `value`.
 */
export interface TileCondition {
  readonly mask: number;
  readonly value: number;
}

/** All tiles. */
export const EVERY_TILE: TileCondition = { mask: 0, value: 0 };

/** Address of a constant, in bytes from the first constant. */
export type ConstantAddress = number & { readonly brand?: 'constant address' };

/** Address of a table, in bytes from the first table. */
export type TableAddress = number & { readonly brand?: 'table address' };

/** A range of the code, in words. */
export interface CodeRange {
  readonly begin: number;
  readonly end: number;
}

const VECTOR_BYTES = 16;
const NO_ADDRESSES: readonly number[] = [];

/** Code and constants of one program while it is written. */
export class TileCode {
  readonly precision: Precision;
  #words = new Uint32Array(256);
  #numWords = 0;
  /** Positions of words that are addresses of constants, and of the one table that an instruction has. */
  readonly #relocations: number[] = [];
  readonly #tableRelocations: number[] = [];
  #constants = new Constants(1024);
  #constantBytes = 0;
  #tableBytes = 0;
  /** Address of a vector with each hash. Of different vectors with one hash, the latest is found again. */
  readonly #vectors = new Map<number, ConstantAddress>();
  readonly #selections = new Map<number, ConstantAddress>();

  constructor(precision: Precision) {
    this.precision = precision;
  }

  /** Position of the next instruction, in words. */
  get position(): number {
    return this.#numWords;
  }

  /** Bytes of the tables so far. */
  get tableBytes(): number {
    return this.#tableBytes;
  }

  /** Size of `place`'s output. */
  get byteLength(): number {
    return align(4 * this.#numWords) + this.#constantBytes + this.#tableBytes;
  }

  /**
   * Appends an instruction.
   *
   * @param operands - 32-bit words; `addresses` lists the indices of those that are constant
   *   addresses.
   */
  emit(
    opcode: number,
    { mask, value }: TileCondition,
    operands: readonly number[],
    addresses: readonly number[] = NO_ADDRESSES,
  ): void {
    const length = 4 + operands.length;
    while (this.#numWords + length > this.#words.length) this.#words = doubled(this.#words);
    const words = this.#words;
    let at = this.#numWords;
    for (const index of addresses) this.#relocations.push(at + 4 + index);
    words[at++] = opcode;
    words[at++] = length;
    words[at++] = mask;
    words[at++] = value;
    for (const operand of operands) words[at++] = operand;
    this.#numWords = at;
  }

  /** Appends the instruction that multiplies a tile by a table. */
  emitTable(address: TableAddress, bytes: number): void {
    this.#tableRelocations.push(this.#numWords + 6);
    this.emit(OPCODES.table, EVERY_TILE, [0, 0, address, bytes]);
  }

  /** Adds vectors with one real for each lane; equal ones are stored once. */
  vectors(lanes: readonly (readonly number[])[]): ConstantAddress {
    const { realBytes } = this.precision;
    const bytes = VECTOR_BYTES * lanes.length;
    const address = this.reserve(bytes);
    const reals = this.#constants.reals(realBytes);
    let at = address / realBytes;
    for (const vector of lanes) {
      for (let lane = 0; lane < vector.length; lane++) reals[at++] = vector[lane]!;
    }
    const hash = this.#constants.hash(address, bytes);
    const known = this.#vectors.get(hash);
    if (known !== undefined && this.#constants.areEqual(known, address, bytes)) {
      this.#constantBytes = address;
      return known;
    }
    this.#vectors.set(hash, address);
    return address;
  }

  /** A vector of all ones in the lanes that are selected, a bit each. */
  laneSelection(selected: number): ConstantAddress {
    const known = this.#selections.get(selected);
    if (known !== undefined) return known;
    const { realBytes } = this.precision;
    const ones = Array.from({ length: VECTOR_BYTES }, (_, byte) =>
      (selected >> Math.floor(byte / realBytes)) & 1 ? 255 : 0,
    );
    const address = this.bytes(ones);
    this.#selections.set(selected, address);
    return address;
  }

  /** Adds sixteen bytes. */
  bytes(values: readonly number[]): ConstantAddress {
    const address = this.reserve(VECTOR_BYTES);
    this.#constants.bytes.set(values, address);
    return address;
  }

  /** Adds reals. */
  reals(values: ArrayLike<number>): ConstantAddress {
    const { realBytes } = this.precision;
    const address = this.reserve(realBytes * values.length);
    this.#constants.reals(realBytes).set(values, address / realBytes);
    return address;
  }

  /** 32-bit words, one after the other. */
  words(values: ArrayLike<number>): ConstantAddress {
    const address = this.reserve(4 * values.length);
    this.#constants.words.set(values, address / 4);
    return address;
  }

  /** Reserves bytes among the constants. */
  reserve(bytes: number): ConstantAddress {
    const address = this.#constantBytes;
    this.#constantBytes = align(address + bytes);
    const size = this.#constants.bytes.length;
    if (this.#constantBytes > size) {
      const grown = new Constants(Math.max(this.#constantBytes, 2 * size));
      grown.bytes.set(this.#constants.bytes);
      this.#constants = grown;
    }
    return address;
  }

  /** Reserves memory for a table, which `place` leaves as it is. */
  reserveTable(bytes: number): TableAddress {
    const address = this.#tableBytes;
    this.#tableBytes = align(address + bytes);
    return address;
  }

  /**
   * Copies code and constants to memory at `at`, a multiple of 16.
   *
   * @returns Addresses of the constants and of the tables; the code begins at `at`.
   */
  place(memory: ArrayBufferLike, at: number): { constantsAt: number; tablesAt: number } {
    const constantsAt = at + align(4 * this.#numWords);
    const tablesAt = constantsAt + this.#constantBytes;
    const words = new Uint32Array(memory, at, this.#numWords);
    words.set(this.#words.subarray(0, this.#numWords));
    for (const position of this.#relocations) words[position]! += constantsAt;
    for (const position of this.#tableRelocations) words[position]! += tablesAt;
    const constants = this.#constants.bytes.subarray(0, this.#constantBytes);
    new Uint8Array(memory, constantsAt, this.#constantBytes).set(constants);
    return { constantsAt, tablesAt };
  }
}

/** Memory of constants, in several views. */
class Constants {
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
  readonly #singles: Float32Array;
  readonly #doubles: Float64Array;

  /** @param size - In bytes; rounded up to a multiple of 16. */
  constructor(size: number) {
    this.bytes = new Uint8Array(align(size));
    const { buffer } = this.bytes;
    this.words = new Uint32Array(buffer);
    this.#singles = new Float32Array(buffer);
    this.#doubles = new Float64Array(buffer);
  }

  reals(realBytes: 4 | 8): Float32Array | Float64Array {
    return realBytes === 4 ? this.#singles : this.#doubles;
  }

  hash(address: ConstantAddress, bytes: number): number {
    return hashOfWords(this.words, address / 4, (address + bytes) / 4);
  }

  areEqual(a: ConstantAddress, b: ConstantAddress, bytes: number): boolean {
    for (let i = 0; i < bytes / 4; i++) {
      if (this.words[a / 4 + i] !== this.words[b / 4 + i]) return false;
    }
    return true;
  }
}

function align(bytes: number): number {
  return (bytes + 15) & ~15;
}

function doubled(words: Uint32Array): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(2 * words.length);
  grown.set(words);
  return grown;
}
