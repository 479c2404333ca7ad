/**
 * Instructions for tiles, executed by assembly/tile-program.ts, and their constants.
 *
 * Code is written before its position in memory is known. Addresses of constants are relative until
 * `place` makes them absolute.
 */
import type { Precision } from './precision.ts';

/** An instruction's first word. */
export const OPCODES = {
  rotate1: 1,
  rotate2: 2,
  rotate3: 3,
  rotateLanes: 4,
  mixLane: 5,
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

/** A range of the code, in words. */
export interface CodeRange {
  readonly begin: number;
  readonly end: number;
}

const VECTOR_BYTES = 16;

/** Code and constants of one program while it is written. */
export class TileCode {
  readonly precision: Precision;
  #words = new Uint32Array(256);
  #numWords = 0;
  readonly #relocations: number[] = [];
  #constants = new DataView(new ArrayBuffer(1024));
  #constantBytes = 0;
  readonly #vectors = new Map<string, ConstantAddress>();

  constructor(precision: Precision) {
    this.precision = precision;
  }

  /** Position of the next instruction, in words. */
  get position(): number {
    return this.#numWords;
  }

  /** Bytes of the constants so far. */
  get constantBytes(): number {
    return this.#constantBytes;
  }

  /** Size of `place`'s output. */
  get byteLength(): number {
    return align(4 * this.#numWords) + this.#constantBytes;
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
    addresses: readonly number[] = [],
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

  /** Adds a vector with one real for each lane; equal vectors are stored once. */
  vectors(lanes: readonly (readonly number[])[]): ConstantAddress {
    const key = lanes.join(';');
    const known = this.#vectors.get(key);
    if (known !== undefined) return known;
    const address = this.reserve(VECTOR_BYTES * lanes.length);
    for (const [v, vector] of lanes.entries()) {
      for (const [lane, x] of vector.entries()) {
        const at = address + VECTOR_BYTES * v + lane * this.precision.realBytes;
        this.#setReal(at, x);
      }
    }
    this.#vectors.set(key, address);
    return address;
  }

  /** Adds sixteen bytes. */
  bytes(values: readonly number[]): ConstantAddress {
    const address = this.reserve(VECTOR_BYTES);
    for (const [i, value] of values.entries()) this.#constants.setUint8(address + i, value);
    return address;
  }

  /** Adds reals. */
  reals(values: ArrayLike<number>): ConstantAddress {
    const { realBytes } = this.precision;
    const address = this.reserve(realBytes * values.length);
    for (let i = 0; i < values.length; i++) this.#setReal(address + realBytes * i, values[i]!);
    return address;
  }

  /** 32-bit words, one after the other. */
  words(values: ArrayLike<number>): ConstantAddress {
    const address = this.reserve(4 * values.length);
    for (let i = 0; i < values.length; i++)
      this.#constants.setUint32(address + 4 * i, values[i]!, true);
    return address;
  }

  /** Reserves zeroed bytes. */
  reserve(bytes: number): ConstantAddress {
    const address = this.#constantBytes;
    this.#constantBytes = align(address + bytes);
    if (this.#constantBytes > this.#constants.byteLength) {
      const grown = new Uint8Array(Math.max(this.#constantBytes, 2 * this.#constants.byteLength));
      grown.set(new Uint8Array(this.#constants.buffer));
      this.#constants = new DataView(grown.buffer);
    }
    return address;
  }

  /**
   * Copies code and constants to memory at `at`, a multiple of 16.
   *
   * @returns Address of the constants; the code begins at `at`.
   */
  place(memory: ArrayBufferLike, at: number): number {
    const constantsAt = at + align(4 * this.#numWords);
    const words = new Uint32Array(memory, at, this.#numWords);
    words.set(this.#words.subarray(0, this.#numWords));
    for (const position of this.#relocations) words[position]! += constantsAt;
    const constants = new Uint8Array(this.#constants.buffer, 0, this.#constantBytes);
    new Uint8Array(memory, constantsAt, this.#constantBytes).set(constants);
    return constantsAt;
  }

  #setReal(at: number, x: number): void {
    if (this.precision.realBytes === 4) this.#constants.setFloat32(at, x, true);
    else this.#constants.setFloat64(at, x, true);
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
