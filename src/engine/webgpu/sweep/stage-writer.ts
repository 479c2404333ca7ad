/**
 * Writes the stages of one sweep: the four register bits of each, and its instructions.
 *
 * Bits are index bits (`index-bits.ts`). Diagonals are merged and deferred until an item needs
 * them. The scales of rotations are applied by the store.
 */
import { type Complex, isPhase, PhasePolynomial } from '../../phase-polynomial.ts';
import type { DenseItem, DiagonalItem, MovingItem, PermutationItem } from '../../work-items.ts';
import { exchangeRows } from './register-moves.ts';
import {
  blockPlace,
  type PhaseFactor,
  REGISTER_QUBITS,
  type WideBlock,
  WordWriter,
  writeBlock,
  writeDense,
  writeFlip,
  writePhase,
  writeRotate,
  writeWide,
} from './sweep-code.ts';

/** Growth of the state at which the scales of the rotations are applied. */
const MAX_GROWTH = 2 ** 40;
const NUM_REGISTERS = 2 ** REGISTER_QUBITS;

/** A tile of the index, and the bits that tell tiles apart. */
export interface SweepTile {
  /** Ascending. */
  readonly bits: readonly number[];
  /** Index bit at which each of `bits` is stored: a permutation of `bits`. */
  readonly stored: readonly number[];
  /** Bits of a tile's number. */
  readonly outer: readonly number[];
  /** Number of bits inside a chunk; higher ones among `bits` tell the chunks of the tile apart. */
  readonly chunkQubits: number;
}

/** An item that moves more bits than registers hold. */
export type WideItem = DenseItem | PermutationItem;

/** Writes the words of one sweep. */
export class StageWriter {
  readonly #out = new WordWriter();
  readonly #tile: SweepTile;
  readonly #matrices: Float64Array;
  readonly #pending = new PhasePolynomial();
  #growth = 1;
  #registers: readonly number[] = [];
  #registerMask = 0;
  #numStages = 0;
  /** Position of the current stage's instruction count. */
  #countAt = 0;
  #count = 0;

  constructor(tile: SweepTile, matrices: Float64Array) {
    this.#tile = tile;
    this.#matrices = matrices;
    this.#out.words(0, 0, 0, tile.outer.length);
    for (const bits of [tile.bits, tile.stored, tile.outer]) this.#writeMasks(bits);
  }

  get numStages(): number {
    return this.#numStages;
  }

  /** Bit i of a register's number stands for registers[i]. */
  get registers(): readonly number[] {
    return this.#registers;
  }

  /** Whether the registers hold all bits that an item moves. */
  holds({ moved }: MovingItem): boolean {
    return (moved & ~this.#registerMask) === 0;
  }

  /** Whether a deferred diagonal must be applied before an item. */
  waitsFor({ moved }: MovingItem): boolean {
    return (moved & this.#pending.qubits) !== 0;
  }

  /**
   * Opens a stage with other registers.
   *
   * @param threads - The other bits of the tile, those of neighbouring threads first.
   * @param wide - Applied before the stage; no deferred diagonal may touch its bits.
   */
  openStage(registers: readonly number[], threads: readonly number[], wide?: WideItem): void {
    this.#closeStage();
    const { bits, stored } = this.#tile;
    this.#numStages++;
    this.#registers = registers;
    this.#registerMask = registers.reduce((mask, bit) => mask | (1 << bit), 0);
    this.#countAt = this.#out.length;
    this.#out.words(0, 0, 0, 0);
    this.#writeMasks(registers.map((bit) => bits.indexOf(bit)));
    this.#writeMasks(registers);
    this.#writeMasks(registers.map((bit) => stored[bits.indexOf(bit)]!));
    this.#writeMasks(threads.map((bit) => bits.indexOf(bit)));
    if (wide === undefined) return;
    const from = this.#out.length;
    const targets = wide.targets.map((target) => 1 << bits.indexOf(target));
    writeWide(this.#out, targets, wide.read, this.#blockOf(wide));
    this.#out.put(this.#countAt + 1, (this.#out.length - from) / 4);
  }

  /** Merges a diagonal into the deferred one. */
  addDiagonal({ targets, controls, entries, offset }: DiagonalItem): void {
    this.#pending.multiplyDiagonal(targets, controls, entries, offset);
  }

  /** Applies the deferred diagonals that touch these bits. */
  flush(bits: number): void {
    this.#flush((mask) => (mask & bits) !== 0);
  }

  /** Writes an item whose bits are in registers, and which no deferred diagonal blocks. */
  write(item: MovingItem): void {
    switch (item.kind) {
      case 'rotation': {
        const bit = 31 - Math.clz32(item.moved);
        const place = this.#registers.indexOf(bit);
        const pairs = this.#pairsOf(place, item.read);
        this.#count++;
        this.#growth *= Math.hypot(1, item.t);
        writeRotate(this.#out, place, pairs, this.#conditionOf(item.read), item.t);
        break;
      }
      case 'permutation':
        this.#writePermutation(item);
        break;
      case 'pair rotation':
        throw new Error('unreachable: kernels are lowered without pair rotations');
      case 'dense':
        this.#count++;
        if (item.targets.length < REGISTER_QUBITS) this.#writeBlock(item);
        else writeDense(this.#out, this.#conditionOf(item.read), this.#onRegisters(item));
        break;
    }
    if (this.#growth <= MAX_GROWTH) return;
    this.#flush((mask, phase) => mask === 0 || !isPhase(phase));
    this.#growth = 1;
  }

  /**
   * Applies all deferred diagonals.
   *
   * @returns The words of the sweep.
   */
  finish(): Uint32Array<ArrayBuffer> {
    this.#flush((mask) => mask !== 0);
    this.#closeStage();
    let scale: Complex = { re: 1, im: 0 };
    for (const [mask, phase] of this.#pending) if (mask === 0) scale = phase;
    this.#out.put(0, this.#numStages);
    this.#out.putFloat(1, scale.re);
    this.#out.putFloat(2, scale.im);
    return this.#out.toArray();
  }

  #closeStage(): void {
    if (this.#numStages > 0) this.#out.put(this.#countAt, this.#count);
    this.#count = 0;
  }

  #flush(select: (mask: number, phase: Complex) => boolean): void {
    const due = this.#pending.take(select);
    if (due.isEmpty) return;
    const byRegisters = new Map<number, PhaseFactor[]>();
    for (const [mask, { re, im }] of due) {
      const registers = this.#registerBits(mask);
      const factors = byRegisters.get(registers) ?? [];
      byRegisters.set(registers, factors);
      factors.push({ mask: mask & ~this.#registerMask, re, im });
    }
    for (const [registers, factors] of byRegisters) {
      this.#count++;
      writePhase(this.#out, registers, factors);
    }
  }

  #writeMasks(bits: readonly number[]): void {
    this.#out.words(...bits.map((bit) => 1 << bit));
    this.#out.endQuad();
  }

  /** Controls outside the registers, as a mask of the thread's index. */
  #conditionOf(controls: number): number {
    return controls & ~this.#registerMask;
  }

  #registerBits(mask: number): number {
    return this.#registers.reduce((all, bit, i) => ((mask >> bit) & 1 ? all | (1 << i) : all), 0);
  }

  /** Pairs of registers that differ in one bit and in which the register controls are 1. */
  #pairsOf(place: number, controls: number): number {
    const needed = this.#registerBits(controls);
    let pairs = 0;
    for (let register = 0; register < NUM_REGISTERS; register++) {
      const isLower = ((register >> place) & 1) === 0;
      if (isLower && (register & needed) === needed) pairs |= 1 << pairOf(register, place);
    }
    return pairs;
  }

  /** Writes a permutation as exchanges of register pairs. */
  #writePermutation({ targets, rows, read }: PermutationItem): void {
    const needed = this.#registerBits(read);
    const places = targets.map((target) => 1 << this.#registers.indexOf(target));
    const source = Array.from({ length: NUM_REGISTERS }, (_, register) => register);
    for (const register of source.keys()) {
      if ((register & needed) !== needed) continue;
      const from = places.reduce((sum, place, i) => (register & place ? sum | (1 << i) : sum), 0);
      const change = rows[from]! ^ from;
      const to = places.reduce((at, place, i) => ((change >> i) & 1 ? at ^ place : at), register);
      source[to] = register;
    }
    for (const { bit, places: flipped } of exchangeRows(source, REGISTER_QUBITS)) {
      this.#count++;
      const pairs = flipped.reduce((mask, place) => mask | (1 << pairOf(place, bit)), 0);
      writeFlip(this.#out, bit, pairs, this.#conditionOf(read));
    }
  }

  /** Writes a block on two or three register targets. */
  #writeBlock({ targets, read, offset }: DenseItem): void {
    const places = targets.map((target) => this.#registers.indexOf(target));
    const place = blockPlace(places.toSorted((a, b) => a - b));
    // Bit i of an index here is the register bit `order[i]`, which is a bit of the matrix's index.
    const bits = place.order.slice(0, targets.length).map((bit) => places.indexOf(bit));
    const size = 2 ** targets.length;
    const indexOf = (row: number) =>
      bits.reduce((sum, bit, i) => ((row >> i) & 1 ? sum | (1 << bit) : sum), 0);
    const entries = new Float64Array(2 * size * size);
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < size; column++) {
        const from = 2 * (offset + indexOf(row) * size + indexOf(column));
        entries.set(this.#matrices.subarray(from, from + 2), 2 * (row * size + column));
      }
    }
    const needed = this.#registerBits(read);
    const others = place.order.slice(targets.length);
    let groups = 0;
    for (let group = 0; group < 2 ** others.length; group++) {
      const set = others.reduce((mask, bit, i) => ((group >> i) & 1 ? mask | (1 << bit) : mask), 0);
      if ((set & needed) === needed) groups |= 1 << group;
    }
    writeBlock(this.#out, place, groups, this.#conditionOf(read), entries);
  }

  /** Expands a block on register targets to a matrix on all registers. */
  #onRegisters({ targets, read, offset }: DenseItem): Float64Array {
    const needed = this.#registerBits(read);
    const places = targets.map((target) => 1 << this.#registers.indexOf(target));
    const all = places.reduce((mask, place) => mask | place, 0);
    const indexOf = (register: number) =>
      places.reduce((sum, place, i) => (register & place ? sum | (1 << i) : sum), 0);
    const entries = new Float64Array(2 * NUM_REGISTERS * NUM_REGISTERS);
    for (let row = 0; row < NUM_REGISTERS; row++) {
      for (let column = 0; column < NUM_REGISTERS; column++) {
        const at = 2 * (row * NUM_REGISTERS + column);
        if ((column & needed) !== needed) entries[at] = row === column ? 1 : 0;
        else if ((row & ~all) === (column & ~all)) {
          const from = 2 * (offset + indexOf(row) * 2 ** targets.length + indexOf(column));
          entries[at] = this.#matrices[from]!;
          entries[at + 1] = this.#matrices[from + 1]!;
        }
      }
    }
    return entries;
  }

  #blockOf(item: WideItem): WideBlock {
    if (item.kind === 'permutation') return { kind: 'permutation', rows: item.rows };
    const size = 2 ** item.targets.length;
    const end = 2 * (item.offset + size * size);
    return { kind: 'dense', entries: this.#matrices.subarray(2 * item.offset, end) };
  }
}

/** Number of the pair with this lower register: the register's other bits, closed up. */
function pairOf(register: number, bit: number): number {
  const below = register & ((1 << bit) - 1);
  return ((register >> (bit + 1)) << bit) | below;
}
