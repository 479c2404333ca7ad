/**
 * Writes the stages of one sweep: the four register bits of each, and its instructions.
 *
 * Bits are index bits (`index-bits.ts`). Diagonals are merged and deferred until an item needs
 * them. The scales of rotations are applied by the store.
 */

import { numOnes } from '../../../math/basis-index.ts';
import {
  type Complex,
  imaginaryPart,
  isPhase,
  negated,
  ONE,
  realPart,
  times,
} from '../../complex.ts';
import { Gain } from '../../gain.ts';
import { entryAt, type MatrixPool, realsAt } from '../../matrix-pool.ts';
import { PhasePolynomial } from '../../phase-polynomial.ts';
import type {
  DenseItem,
  DiagonalItem,
  MapItem,
  MovingItem,
  PairRotationItem,
  PermutationItem,
} from '../../work-items.ts';
import { exchangeRows } from './register-moves.ts';
import {
  type FloatSites,
  MAX_BLOCK_QUBITS,
  type PhaseFactor,
  placeOf,
  REGISTER_QUBITS,
  type WideBlock,
  WordWriter,
  writeBlock,
  writeDense,
  writeDiagonal,
  writeExchange,
  writeFlip,
  writePhase,
  writeRotate,
  writeRotatePair,
  writeWide,
} from './sweep-code.ts';

/** Gain at which the scales of the rotations are applied. */
const MAX_GAIN = 2 ** 40;
const NUM_REGISTERS = 2 ** REGISTER_QUBITS;
const ZERO: Complex = { re: 0, im: 0 };

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

/** A sweep as the kernel reads it. */
export interface SweepWords {
  readonly words: Uint32Array<ArrayBuffer>;
  readonly sites: FloatSites;
}

/** An item that moves more bits than registers hold. */
export type WideItem = DenseItem | MapItem | PermutationItem;

/** Writes the words of one sweep. */
export class StageWriter {
  readonly #out = new WordWriter();
  readonly #tile: SweepTile;
  readonly #pool: MatrixPool;
  readonly #pending = new PhasePolynomial();
  readonly #gain: Gain;
  /** The registers after the instructions so far. */
  #registers: number[] = [];
  #opened: readonly number[] = [];
  #registerMask = 0;
  #threads: readonly number[] = [];
  #numStages = 0;
  /** Position of the current stage's instruction count. */
  #countAt = 0;
  #count = 0;

  constructor(tile: SweepTile, pool: MatrixPool) {
    this.#tile = tile;
    this.#pool = pool;
    this.#gain = new Gain(pool.trace?.segments);
    this.#out.words(0, 0, 0, tile.outer.length);
    for (const bits of [tile.bits, tile.outer]) this.#writeMasks(bits);
  }

  get numStages(): number {
    return this.#numStages;
  }

  /** Those of the stage: at its beginning bit i of a register's number stood for registers[i]. */
  get registers(): readonly number[] {
    return this.#opened;
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
    const { bits } = this.#tile;
    if (this.#numStages > 0) this.#closeStage(this.#placesOf(this.#registers));
    this.#numStages++;
    this.#opened = registers;
    this.#registers = [...registers];
    this.#registerMask = registers.reduce((mask, bit) => mask | (1 << bit), 0);
    this.#countAt = this.#out.length;
    this.#out.words(0, 0, 0, 0);
    this.#threads = threads;
    for (const own of [registers, threads]) {
      this.#writeWords(this.#placesOf(own));
      this.#writeMasks(own);
    }
    if (wide === undefined) return;
    const from = this.#out.length;
    const targets = wide.targets.map((target) => 1 << bits.indexOf(target));
    writeWide(this.#out, targets, wide.read, this.#blockOf(wide));
    this.#out.put(this.#countAt + 1, (this.#out.length - from) / 4);
  }

  /** Merges a diagonal into the deferred one. */
  addDiagonal({ monomials }: DiagonalItem): void {
    for (const { mask, phase } of monomials) this.#pending.multiply(mask, phase);
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
        writeRotate(this.#out, place, pairs, this.#conditionOf(item.read), item.t);
        break;
      }
      case 'permutation':
        this.#writePermutation(item);
        break;
      case 'pair rotation':
        this.#writePairRotation(item);
        break;
      case 'dense':
        if (item.targets.length <= MAX_BLOCK_QUBITS) {
          this.#writeBlock(item);
          break;
        }
        this.#count++;
        writeDense(this.#out, this.#conditionOf(item.read), this.#onRegisters(item));
        break;
      case 'map':
        this.#writeMap(item);
        break;
    }
    this.#gain.add(item);
  }

  /** Applies the scales of rotations if the state could overflow soon; they must have been added. */
  applyScales(): void {
    if (this.#gain.now <= MAX_GAIN) return;
    this.#flush((mask, phase) => mask === 0 || !isPhase(phase));
    this.#gain.restart();
  }

  /** Applies all deferred diagonals, and gives the sweep. */
  finish(): SweepWords {
    this.#flush((mask) => mask !== 0);
    const { bits, stored, chunkQubits } = this.#tile;
    // The kernel knows which registers lie in which chunk.
    const numChunkBits = stored.filter((bit) => bit >= chunkQubits).length;
    for (let place = REGISTER_QUBITS - numChunkBits; place < REGISTER_QUBITS; place++) {
      this.#bring(this.#opened[place]!, place);
    }
    const masksWhereStored = (own: readonly number[]) =>
      own.map((bit) => 1 << stored[bits.indexOf(bit)]!);
    this.#closeStage(masksWhereStored(this.#registers));
    this.#writeWords(masksWhereStored(this.#threads));
    let scale = ONE;
    for (const [mask, phase] of this.#pending) if (mask === 0) scale = phase;
    this.#out.put(0, this.#numStages);
    this.#out.putFloat(1, realPart(scale));
    this.#out.putFloat(2, imaginaryPart(scale));
    this.#gain.restart();
    return { words: this.#out.toArray(), sites: this.#out.sites };
  }

  /** Ends a stage by words about its registers. */
  #closeStage(words: readonly number[]): void {
    this.#out.put(this.#countAt, this.#count);
    this.#count = 0;
    this.#writeWords(words);
  }

  #placesOf(own: readonly number[]): readonly number[] {
    return own.map((bit) => placeOf(1 << this.#tile.bits.indexOf(bit)));
  }

  /** Exchanges registers such that bit `place` of their numbers stands for `bit`. */
  #bring(bit: number, place: number): void {
    const from = this.#registers.indexOf(bit);
    if (from === place) return;
    this.#count++;
    writeExchange(this.#out, from, place);
    this.#registers[from] = this.#registers[place]!;
    this.#registers[place] = bit;
  }

  #flush(select: (mask: number, phase: Complex) => boolean): void {
    const due = this.#pending.take(select);
    if (due.isEmpty) return;
    const byRegisters = new Map<number, PhaseFactor[]>();
    for (const [mask, phase] of due) {
      const registers = this.#registerBits(mask);
      const factors = byRegisters.get(registers) ?? [];
      byRegisters.set(registers, factors);
      factors.push({ mask: mask & ~this.#registerMask, phase });
    }
    this.#mergeConstants(byRegisters);
    for (const [registers, factors] of byRegisters) {
      this.#count++;
      writePhase(this.#out, registers, factors);
    }
  }

  /** Writes the factors that depend on nothing but the register in one instruction, if there are several. */
  #mergeConstants(byRegisters: Map<number, readonly PhaseFactor[]>): void {
    const constants = [...byRegisters].flatMap(([registers, [factor, ...others]]) =>
      factor?.mask === 0 && others.length === 0 ? [{ registers, factor }] : [],
    );
    if (constants.length < 2) return;
    // Registers that the same factors apply to have one product.
    const products = new Map<string, Complex>();
    const merged = Array.from({ length: NUM_REGISTERS }, (_, register) => {
      let product = ONE;
      let key = '';
      for (const [i, { registers, factor }] of constants.entries()) {
        if ((register & registers) !== registers) continue;
        key += ` ${i}`;
        const known = products.get(key);
        product = known ?? times(product, factor.phase);
        if (known === undefined) products.set(key, product);
      }
      return product;
    });
    this.#count++;
    writeDiagonal(this.#out, merged);
    for (const { registers } of constants) byRegisters.delete(registers);
  }

  #writeMasks(bits: readonly number[]): void {
    this.#writeWords(bits.map((bit) => 1 << bit));
  }

  /** Writes words that begin and end with a quad. */
  #writeWords(words: readonly number[]): void {
    this.#out.words(...words);
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

  /** Writes a pair rotation, whose targets come to the lowest register bits. */
  #writePairRotation({ targets, read, even, odd, isImaginary }: PairRotationItem): void {
    this.#bringLowest(targets);
    // If the targets come in the other order, |01⟩ is |10⟩ and turns the other way.
    const isSwapped = this.#registers[0] !== targets[0];
    const rotation = { even, odd: isSwapped && !isImaginary ? negated(odd) : odd, isImaginary };
    this.#count++;
    const groups = this.#groupsOf(targets, read);
    writeRotatePair(this.#out, groups, this.#conditionOf(read), rotation);
  }

  /** Exchanges registers such that these bits are the lowest of their numbers, in any order. */
  #bringLowest(targets: readonly number[]): void {
    const lowest = this.#registers.slice(0, targets.length);
    const free = lowest.flatMap((bit, place) => (targets.includes(bit) ? [] : [place]));
    const far = targets.filter((target) => !lowest.includes(target));
    for (const [i, target] of far.entries()) this.#bring(target, free[i]!);
  }

  /** Groups of registers, by the bits above the lowest `targets`, in which the register controls are 1. */
  #groupsOf(targets: readonly number[], controls: number): number {
    const needed = this.#registerBits(controls) >> targets.length;
    let groups = 0;
    for (let group = 0; group < NUM_REGISTERS >> targets.length; group++) {
      if ((group & needed) === needed) groups |= 1 << group;
    }
    return groups;
  }

  /** Writes a block on two or three register targets, which come to the lowest register bits. */
  #writeBlock({ targets, read, offset }: DenseItem): void {
    this.#bringLowest(targets);
    // Bit i of an index here is the register bit i, which is a bit of the matrix's index.
    const bits = targets.map((_, place) => targets.indexOf(this.#registers[place]!));
    const size = 2 ** targets.length;
    const indexOf = (row: number) =>
      bits.reduce((sum, bit, i) => ((row >> i) & 1 ? sum | (1 << bit) : sum), 0);
    const entries: Complex[] = [];
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < size; column++) {
        entries.push(entryAt(this.#pool, offset + indexOf(row) * size + indexOf(column)));
      }
    }
    const groups = this.#groupsOf(targets, read);
    this.#count++;
    writeBlock(this.#out, groups, this.#conditionOf(read), entries);
  }

  /**
   * Writes a map on register targets but for its number for all values, which is deferred. Registers are exchanged such
   * that the values that it mixes differ in the lowest bits alone, and back afterwards: a channel on two qubits mixes
   * four values of sixteen.
   */
  #writeMap({ targets, rows, rest, entries }: MapItem): void {
    const telling = tellingBits(rows, targets.length);
    this.#bringLowest(telling.map((i) => targets[i]!));
    const size = 2 ** telling.length;
    const places = targets.map((target) => this.#registers.indexOf(target));
    const others = places.filter((place) => 2 ** place >= size);
    const low = places.filter((place) => 2 ** place < size);
    // By the value of the lowest bits: which of the rows it stands for, and the row's other bits.
    const rowOf = new Map<number, number>();
    const far = new Array<number>(size).fill(0);
    for (const [i, row] of rows.entries()) {
      const register = places.reduce((sum, place, t) => sum | (((row >> t) & 1) << place), 0);
      rowOf.set(register % size, i);
      far[register % size] = register - (register % size);
    }
    const matrix = Array.from({ length: size * size }, (_, at): Complex => {
      const [row, column] = [Math.floor(at / size), at % size];
      const [i, j] = [rowOf.get(row), rowOf.get(column)];
      if (i === undefined || j === undefined) return row === column ? ONE : ZERO;
      const from = 2 * (i * rows.length + j);
      return { re: entries[from]!, im: entries[from + 1]! };
    });
    this.#exchangeFar(others, far);
    this.#count++;
    if (low.length > MAX_BLOCK_QUBITS) writeDense(this.#out, 0, matrix);
    else writeBlock(this.#out, groupsWithout(others, telling.length), 0, matrix);
    this.#exchangeFar(others, far);
    this.#pending.multiply(0, { re: rest, im: 0 });
  }

  /** Exchanges registers such that those whose other bits are `far[lowest bits]` come to where these bits are 0. */
  #exchangeFar(others: readonly number[], far: readonly number[]): void {
    for (const place of others) {
      let pairs = 0;
      for (let register = 0; register < NUM_REGISTERS; register++) {
        const isMoved = ((far[register % far.length]! >> place) & 1) === 1;
        const isLower = ((register >> place) & 1) === 0;
        if (isMoved && isLower) pairs |= 1 << pairOf(register, place);
      }
      if (pairs === 0) continue;
      this.#count++;
      writeFlip(this.#out, place, pairs, 0);
    }
  }

  /** Expands a block on register targets to a matrix on all registers. */
  #onRegisters({ targets, read, offset }: DenseItem): readonly Complex[] {
    const needed = this.#registerBits(read);
    const places = targets.map((target) => 1 << this.#registers.indexOf(target));
    const all = places.reduce((mask, place) => mask | place, 0);
    const indexOf = (register: number) =>
      places.reduce((sum, place, i) => (register & place ? sum | (1 << i) : sum), 0);
    const entries: Complex[] = [];
    for (let row = 0; row < NUM_REGISTERS; row++) {
      for (let column = 0; column < NUM_REGISTERS; column++) {
        if ((column & needed) !== needed) entries.push(row === column ? ONE : ZERO);
        else if ((row & ~all) !== (column & ~all)) entries.push(ZERO);
        else {
          const from = offset + indexOf(row) * 2 ** targets.length + indexOf(column);
          entries.push(entryAt(this.#pool, from));
        }
      }
    }
    return entries;
  }

  #blockOf(item: WideItem): WideBlock {
    if (item.kind === 'permutation') return { kind: 'permutation', rows: item.rows };
    if (item.kind === 'map') return { kind: 'dense', entries: wholeMatrix(item) };
    return { kind: 'dense', entries: realsAt(this.#pool, item.offset, 4 ** item.targets.length) };
  }
}

/** Number of the pair with this lower register: the register's other bits, closed up. */
function pairOf(register: number, bit: number): number {
  const below = register & ((1 << bit) - 1);
  return ((register >> (bit + 1)) << bit) | below;
}

/** The fewest bits, but at least two, whose values differ between all rows. */
function tellingBits(rows: readonly number[], numBits: number): readonly number[] {
  const all = Array.from({ length: numBits }, (_, bit) => bit);
  const sets = Array.from({ length: 2 ** numBits }, (_, mask) => mask).filter((mask) => {
    return numOnes(mask) >= 2 && new Set(rows.map((row) => row & mask)).size === rows.length;
  });
  const fewest = sets.reduce((best, mask) => (numOnes(mask) < numOnes(best) ? mask : best));
  return all.filter((bit) => (fewest >> bit) & 1);
}

/** Groups of registers, by the bits above the lowest, in which these places are 0. */
function groupsWithout(places: readonly number[], numLowest: number): number {
  const mask = places.reduce((sum, place) => sum | (1 << (place - numLowest)), 0);
  let groups = 0;
  for (let group = 0; group < NUM_REGISTERS >> numLowest; group++) {
    if ((group & mask) === 0) groups |= 1 << group;
  }
  return groups;
}

/** A map with its number for all values as a matrix on its targets; row-major, interleaved re, im. */
function wholeMatrix({ targets, rows, rest, entries }: MapItem): Float64Array {
  const size = 2 ** targets.length;
  const matrix = new Float64Array(2 * size * size);
  for (let row = 0; row < size; row++) matrix[2 * row * (size + 1)] = rest;
  for (const [i, row] of rows.entries()) {
    for (const [j, column] of rows.entries()) {
      const [from, to] = [2 * (i * rows.length + j), 2 * (row * size + column)];
      matrix[to] = rest * entries[from]!;
      matrix[to + 1] = rest * entries[from + 1]!;
    }
  }
  return matrix;
}
