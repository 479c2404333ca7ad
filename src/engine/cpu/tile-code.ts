/**
 * Instructions for tiles, executed by assembly/tile-program.ts, and their constants.
 *
 * Code is written before its position in memory is known. Addresses of constants are relative until
 * `place` makes them absolute.
 */
import { hashOfWords } from '../../math/word-hash.ts';
import type { Real, TracedReal } from '../complex.ts';
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
  cross: 17,
  diagonalProducts: 18,
  fold: 19,
  addList: 20,
  crosses: 21,
  settle: 22,
  mix2: 23,
  mix4: 24,
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

/** A double in two words of an instruction: the index of the first among its operands, and the number. */
export type DoubleOperand = readonly [index: number, value: Real];

const VECTOR_BYTES = 16;
const NO_ADDRESSES: readonly number[] = [];
const NO_DOUBLES: readonly DoubleOperand[] = [];

/** Places of the numbers with formulas: two parallel lists. */
interface NumberSites {
  /** In reals from the first constant, or in words of the code. */
  readonly at: number[];
  /** Indices among the numbers. */
  readonly numbers: number[];
}

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
  /** Numbers with formulas that were written, to the constants or as doubles to the code. */
  #traced: TracedReal[] = [];
  readonly #constantSites: NumberSites = { at: [], numbers: [] };
  readonly #doubleSites: NumberSites = { at: [], numbers: [] };

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

  /**
   * Hands over the numbers with formulas that were written, in the order in which `place` takes others for them.
   * They are not kept: formulas take more memory than the code.
   */
  takeTraced(): readonly TracedReal[] {
    const traced = this.#traced;
    this.#traced = [];
    return traced;
  }

  /** Size of `place`'s output. */
  get byteLength(): number {
    return align(4 * this.#numWords) + this.#constantBytes + this.#tableBytes;
  }

  /**
   * Appends an instruction.
   *
   * @param operands - 32-bit words; `addresses` lists the indices of those that are constant
   *   addresses, and `doubles` those that take the places of two words each.
   */
  emit(
    opcode: number,
    { mask, value }: TileCondition,
    operands: readonly number[],
    addresses: readonly number[] = NO_ADDRESSES,
    doubles: readonly DoubleOperand[] = NO_DOUBLES,
  ): void {
    const length = 4 + operands.length;
    while (this.#numWords + length > this.#words.length) this.#words = doubled(this.#words);
    const words = this.#words;
    let at = this.#numWords;
    const first = at + 4;
    for (const index of addresses) this.#relocations.push(first + index);
    words[at++] = opcode;
    words[at++] = length;
    words[at++] = mask;
    words[at++] = value;
    for (const operand of operands) words[at++] = operand;
    this.#numWords = at;
    for (const [index, double] of doubles) {
      if (typeof double === 'number') putDouble(words, first + index, double);
      else {
        putDouble(words, first + index, double.value);
        this.#trace(this.#doubleSites, first + index, double);
      }
    }
  }

  /** Appends the instruction that multiplies a tile by a table. */
  emitTable(address: TableAddress, bytes: number): void {
    this.#tableRelocations.push(this.#numWords + 6);
    this.emit(OPCODES.table, EVERY_TILE, [0, 0, address, bytes]);
  }

  /** Adds vectors with one real for each lane; equal ones are stored once, unless they have formulas. */
  vectors(lanes: readonly (readonly Real[])[]): ConstantAddress {
    const { realBytes } = this.precision;
    const bytes = VECTOR_BYTES * lanes.length;
    const address = this.reserve(bytes);
    const reals = this.#constants.reals(realBytes);
    const numSites = this.#constantSites.at.length;
    let at = address / realBytes;
    for (const vector of lanes) {
      for (let lane = 0; lane < vector.length; lane++) this.#putReal(reals, at++, vector[lane]!);
    }
    if (this.#constantSites.at.length > numSites) return address;
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
    const address = this.reserve(VECTOR_BYTES);
    const { bytes } = this.#constants;
    for (let lane = 0, at = address; at < address + VECTOR_BYTES; lane++, at += realBytes) {
      bytes.fill((selected >> lane) & 1 ? 255 : 0, at, at + realBytes);
    }
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
  reals(values: ArrayLike<Real>): ConstantAddress {
    const { realBytes } = this.precision;
    const address = this.reserve(realBytes * values.length);
    const reals = this.#constants.reals(realBytes);
    for (let i = 0; i < values.length; i++)
      this.#putReal(reals, address / realBytes + i, values[i]!);
    return address;
  }

  #putReal(reals: Float32Array | Float64Array, at: number, value: Real): void {
    if (typeof value === 'number') reals[at] = value;
    else {
      reals[at] = value.value;
      this.#trace(this.#constantSites, at, value);
    }
  }

  /** Keeps where a number is written; one that is written several times in a row is one number. */
  #trace(sites: NumberSites, at: number, value: TracedReal): void {
    if (value !== this.#traced.at(-1)) this.#traced.push(value);
    sites.at.push(at);
    sites.numbers.push(this.#traced.length - 1);
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

  /** Reserves memory for a table, which `place` does not write to. */
  reserveTable(bytes: number): TableAddress {
    const address = this.#tableBytes;
    this.#tableBytes = align(address + bytes);
    return address;
  }

  /**
   * Copies code and constants to memory at `at`, a multiple of 16.
   *
   * @param numbers - Take the places of those that were traced; absent if those are the program's own.
   * @returns Addresses of the constants and of the tables; the code begins at `at`.
   */
  place(
    memory: ArrayBufferLike,
    at: number,
    numbers?: Float64Array,
  ): { constantsAt: number; tablesAt: number } {
    const constantsAt = at + align(4 * this.#numWords);
    const tablesAt = constantsAt + this.#constantBytes;
    const words = new Uint32Array(memory, at, this.#numWords);
    words.set(this.#words.subarray(0, this.#numWords));
    for (const position of this.#relocations) words[position]! += constantsAt;
    for (const position of this.#tableRelocations) words[position]! += tablesAt;
    const constants = this.#constants.bytes.subarray(0, this.#constantBytes);
    new Uint8Array(memory, constantsAt, this.#constantBytes).set(constants);
    if (numbers !== undefined) this.#placeNumbers(memory, words, constantsAt, numbers);
    return { constantsAt, tablesAt };
  }

  #placeNumbers(
    memory: ArrayBufferLike,
    words: Uint32Array,
    constantsAt: number,
    numbers: Float64Array,
  ): void {
    const { realBytes } = this.precision;
    const numReals = this.#constantBytes / realBytes;
    const reals =
      realBytes === 4
        ? new Float32Array(memory, constantsAt, numReals)
        : new Float64Array(memory, constantsAt, numReals);
    const constants = this.#constantSites;
    for (let i = 0; i < constants.at.length; i++) {
      reals[constants.at[i]!] = numbers[constants.numbers[i]!]!;
    }
    const doubles = this.#doubleSites;
    for (let i = 0; i < doubles.at.length; i++) {
      putDouble(words, doubles.at[i]!, numbers[doubles.numbers[i]!]!);
    }
  }
}

const DOUBLE = new Float64Array(1);
const DOUBLE_WORDS = new Uint32Array(DOUBLE.buffer);

/** Writes a double to two words, which need not be aligned. */
function putDouble(words: Uint32Array, at: number, value: number): void {
  DOUBLE[0] = value;
  words[at] = DOUBLE_WORDS[0]!;
  words[at + 1] = DOUBLE_WORDS[1]!;
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
