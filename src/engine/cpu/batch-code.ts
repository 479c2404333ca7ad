/** Writes the instructions of a batch program, which assembly/batch-program.ts executes. */
import type { ComplexMatrix } from '../../math/complex-matrix.ts';
import type { Subcube } from '../batch-recipes.ts';
import { writeWords } from './command.ts';
import type { Precision } from './precision.ts';

/** First words of instructions. */
const OPCODES = {
  setAngle: 1,
  addAngle: 2,
  turnX: 3,
  mix: 4,
  multiply: 5,
  cycle: 6,
  dense: 7,
  denseLanes: 8,
} as const;

const VECTOR_BYTES = 16;
/** log2 of the bytes of a basis state in a bundle. */
const STATE_SHIFT = 5;
/** Byte offsets of the angle-dependent coefficients, for the angle and for its negative. */
const OWN = { complex: 48, conjugate: 0, rotation: 0, inverse: 48 } as const;

/** Coefficients of a kernel: constants, or those of the current angle, or of its negative. */
export type Coefficients = readonly number[] | 'own' | 'ownNegated';

/** A program being written. Addresses are relative until `place` fixes its position. */
export class BatchCode {
  readonly #precision: Precision;
  readonly #allStates: number;
  readonly #words: number[] = [];
  /** Indices of words that hold offsets into the constants. */
  readonly #references: number[] = [];
  /** Vectors with the same number in each lane, and tables of words, 16 bytes each. */
  readonly #constants: Uint8Array[] = [];
  #constantBytes = 0;

  constructor(precision: Precision, numQubits: number) {
    this.#precision = precision;
    this.#allStates = 2 ** numQubits - 1;
  }

  /** Size of the instructions so far. */
  get codeBytes(): number {
    return 4 * this.#words.length;
  }

  /** Size of the program with its constants. */
  get bytes(): number {
    return this.#constantsAt + this.#constantBytes;
  }

  /** Makes an angle of the request, times `factor`, the current angle. */
  setAngle(slot: number, factor: number): void {
    this.#angle(OPCODES.setAngle, slot, factor);
  }

  /** Adds another angle to the current one. */
  addAngle(slot: number, factor: number): void {
    this.#angle(OPCODES.addAngle, slot, factor);
  }

  /**
   * Applies [[c, −i·s], [−i·s, c]] to a subcube and the subcube at `partner`; coefficients are c,
   * s.
   */
  turnX(at: Subcube, partner: number, coefficients: Coefficients): void {
    this.#pairs(OPCODES.turnX, at, partner, coefficients, [OWN.complex, OWN.conjugate]);
  }

  /**
   * Applies a real 2×2 matrix to a subcube and its partner: a row-major constant, or a rotation.
   */
  mix(at: Subcube, partner: number, coefficients: Coefficients): void {
    this.#pairs(OPCODES.mix, at, partner, coefficients, [OWN.rotation, OWN.inverse]);
  }

  /** Multiplies a subcube by a complex number, or by e^{i·angle}. */
  multiply(at: Subcube, coefficients: Coefficients): void {
    this.#pairs(OPCODES.multiply, at, at.value, coefficients, [OWN.complex, OWN.conjugate]);
  }

  /**
   * Permutes subcubes of one mask cyclically: the first's amplitudes go to the second, and so on.
   */
  cycle(mask: number, values: readonly number[]): void {
    const offsets = values.map((value) => value << STATE_SHIFT);
    this.#head(OPCODES.cycle, 6 + values.length, { mask, value: 0 });
    this.#words.push(values.length, 0, ...offsets);
  }

  /**
   * Applies a dense matrix.
   *
   * @param at - Subcube of row 0.
   * @param rows - For each row, the offset from the subcube's value.
   */
  dense(at: Subcube, rows: readonly number[], matrix: ComplexMatrix): void {
    this.#head(OPCODES.dense, 8, at);
    this.#words.push(rows.length);
    this.#reference(this.#tableOf(rows));
    const reals = this.#precision.realBytes === 4 ? Float32Array.from(matrix) : matrix;
    this.#reference(this.#append(new Uint8Array(reals.buffer, reals.byteOffset, reals.byteLength)));
    this.#reference(this.#append(new Uint8Array(VECTOR_BYTES).fill(255)));
  }

  /** Applies a dense matrix that differs between circuits; `offset` counts complex numbers. */
  denseLanes(at: Subcube, rows: readonly number[], offset: number): void {
    this.#head(OPCODES.denseLanes, 7, at);
    this.#words.push(rows.length);
    this.#reference(this.#tableOf(rows));
    this.#words.push(2 * VECTOR_BYTES * offset);
  }

  /** Writes the program to memory at `at`, with absolute addresses. */
  place(memory: SharedArrayBuffer, at: number): void {
    const words = Uint32Array.from(this.#words);
    for (const index of this.#references) words[index]! += at + this.#constantsAt;
    writeWords(memory, at, words);
    let to = at + this.#constantsAt;
    for (const entry of this.#constants) {
      new Uint8Array(memory, to, entry.length).set(entry);
      to += Math.ceil(entry.length / VECTOR_BYTES) * VECTOR_BYTES;
    }
  }

  get #constantsAt(): number {
    return Math.ceil(this.codeBytes / VECTOR_BYTES) * VECTOR_BYTES;
  }

  #angle(opcode: number, slot: number, factor: number): void {
    const factorWords = new Uint32Array(Float64Array.of(factor).buffer);
    this.#words.push(opcode, 6, Float64Array.BYTES_PER_ELEMENT * slot, 0, ...factorWords);
  }

  #pairs(
    opcode: number,
    at: Subcube,
    partner: number,
    coefficients: Coefficients,
    [own, negated]: readonly [number, number],
  ): void {
    this.#head(opcode, 6, at);
    this.#words.push((partner - at.value) << STATE_SHIFT);
    if (coefficients === 'own') this.#words.push(own);
    else if (coefficients === 'ownNegated') this.#words.push(negated);
    else this.#reference(this.#vectorsOf(coefficients));
  }

  #head(opcode: number, length: number, { mask, value }: Subcube): void {
    const free = this.#allStates & ~mask;
    this.#words.push(opcode, length, value << STATE_SHIFT, free << STATE_SHIFT);
  }

  #reference(offset: number): void {
    this.#references.push(this.#words.length);
    this.#words.push(offset);
  }

  #vectorsOf(values: readonly number[]): number {
    const { lanes, realBytes } = this.#precision;
    const spread = values.flatMap((value) => new Array<number>(lanes).fill(value));
    const reals = realBytes === 4 ? Float32Array.from(spread) : Float64Array.from(spread);
    return this.#append(new Uint8Array(reals.buffer));
  }

  #tableOf(rows: readonly number[]): number {
    const offsets = Uint32Array.from(rows, (row) => row << STATE_SHIFT);
    return this.#append(new Uint8Array(offsets.buffer));
  }

  #append(entry: Uint8Array): number {
    const offset = this.#constantBytes;
    this.#constants.push(entry);
    this.#constantBytes += Math.ceil(entry.length / VECTOR_BYTES) * VECTOR_BYTES;
    return offset;
  }
}
