/**
 * Classical computation on rows of bits: a row has one bit of the register for all shots of a block, 32 shots a word.
 * Conditions and functions of single bits take all shots at once; other expressions are evaluated shot by shot.
 */
import { type AssignOperation, assignedBits, type Condition } from '../../circuit/circuit.ts';
import {
  type Bit,
  type BitDiagram,
  FALSE_NODE,
  isWhole,
} from '../../circuit/classical-expression.ts';
import { assign, readBit, wordsFor, writeBit } from '../classical-bits.ts';

/** Rows of the bits of a register. */
export class BitRows {
  readonly #words: Int32Array;
  readonly #at: number;
  readonly #rowWords: number;
  readonly #numBits: number;

  /** @param at - Address of the row of bit 0; the others follow. */
  constructor(words: Int32Array, at: number, rowWords: number, numBits: number) {
    this.#words = words;
    this.#at = at;
    this.#rowWords = rowWords;
    this.#numBits = numBits;
  }

  /** The shots in which a condition holds. */
  condition(condition: Condition | undefined): Int32Array {
    const held = new Int32Array(this.#rowWords).fill(-1);
    let rest = condition?.value ?? 0;
    for (const bit of condition?.bits ?? []) {
      const row = this.row(bit);
      const differs = rest % 2 === 1 ? 0 : -1;
      for (let i = 0; i < held.length; i++) held[i]! &= row[i]! ^ differs;
      rest = Math.floor(rest / 2);
    }
    return rest === 0 ? held : held.fill(0);
  }

  /**
   * Evaluates an assignment in all shots.
   *
   * @returns Units of work, as a time slicer counts them.
   * @throws {ClassicalValueError} if the value of a shot does not exist.
   */
  assign(assignment: AssignOperation): number {
    const { bits, value, condition } = assignment;
    const isOfBits =
      value.kind === 'read' && (isWhole(value.type) || value.bits.length === bits.length);
    if (!isOfBits) return this.#assignEach(assignment);
    const held = this.condition(condition);
    const rows = value.bits.map((diagram) => this.#evaluate(diagram));
    const beyond = value.encoding === 'int' ? rows.at(-1) : undefined;
    const none = new Int32Array(this.#rowWords);
    // All rows are computed before the first one is written.
    for (const [i, bit] of bits.entries()) {
      const [row, now] = [rows[i] ?? beyond ?? none, this.row(bit)];
      for (let word = 0; word < row.length; word++) {
        now[word]! ^= (now[word]! ^ row[word]!) & held[word]!;
      }
    }
    return this.#rowWords * (rows.length + bits.length);
  }

  /** The row of a bit; a view. */
  row(bit: Bit): Int32Array {
    const at = this.#at + bit * this.#rowWords;
    return this.#words.subarray(at, at + this.#rowWords);
  }

  /** The row of a boolean function; a copy. */
  #evaluate(diagram: BitDiagram): Int32Array {
    if (typeof diagram === 'number') return this.row(diagram).slice();
    const constant = (isTrue: boolean) => new Int32Array(this.#rowWords).fill(isTrue ? -1 : 0);
    if (typeof diagram === 'boolean') return constant(diagram);
    const rows: Int32Array[] = [];
    const rowOf = (node: number) => (node < 0 ? constant(node !== FALSE_NODE) : rows[node]!);
    for (const [bit, low, high] of diagram.nodes) {
      const [row, ifZero, ifOne] = [this.row(bit), rowOf(low), rowOf(high)];
      rows.push(ifZero.map((word, i) => word ^ ((word ^ ifOne[i]!) & row[i]!)));
    }
    return rows.at(-1)!;
  }

  #assignEach(assignment: AssignOperation): number {
    const used = assignedBits(assignment);
    const register = new Uint32Array(wordsFor(this.#numBits));
    const numShots = 32 * this.#rowWords;
    for (let shot = 0; shot < numShots; shot++) {
      const [word, place] = [shot >>> 5, shot & 31];
      const valueAt = (bit: Bit) => (this.row(bit)[word]! >>> place) & 1;
      for (const bit of used) writeBit(register, bit, valueAt(bit) === 1 ? 1 : 0);
      assign(assignment, register);
      for (const bit of assignment.bits) {
        this.row(bit)[word]! ^= (readBit(register, bit) ^ valueAt(bit)) << place;
      }
    }
    return 64 * numShots;
  }
}
