/**
 * A sweep as stages for the GPU: in each, four qubits of the tile are in registers, and everything
 * ready that moves only these is done. Diagonals wait until something needs them, as on the CPU.
 */
import type { Sweep } from '../../compiler/program.ts';
import { type Complex, PhasePolynomial } from '../phase-polynomial.ts';
import type { Rounding } from '../rotation.ts';
import {
  addItems,
  type DenseItem,
  type Item,
  type MovingItem,
  maskOf,
  type PermutationItem,
  ReadyItems,
} from '../work-items.ts';
import { exchangeRows } from './register-moves.ts';
import {
  type IndexCondition,
  REGISTER_QUBITS,
  WordWriter,
  writeDense,
  writeFlip,
  writePhases,
  writeRotate,
} from './sweep-code.ts';

/** Single precision: tangents below this change nothing. */
const ROUNDING: Rounding = { negligible: 1e-10, round: Math.fround };
/** Neighbouring threads should read neighbouring amplitudes: these bits are not in registers then. */
const COALESCED_BITS = 4;
/** Beyond this the scale of the rotations is applied at once. */
const MAX_GROWTH = 2 ** 40;

/** A sweep for tiles of these qubits. */
export interface StagedSweep {
  readonly words: Uint32Array<ArrayBuffer>;
  readonly numTiles: number;
}

/** What the stages of one sweep are written with. */
interface Writing {
  readonly out: WordWriter;
  readonly matrices: Float64Array;
  readonly resident: readonly number[];
  /** Physical qubits in registers, ascending; register bit i is registers[i]. */
  registers: readonly number[];
  registerMask: number;
  /** Position of the stage's number of instructions. */
  countAt: number;
  count: number;
  numStages: number;
  pending: PhasePolynomial;
  growth: number;
}

/**
 * Lowers a sweep.
 *
 * @param resident - Ascending, as many as the tile has qubits; holds the sweep's own.
 * @param numQubits - Of one chunk: tiles differ in the others.
 */
export function lowerSweep(
  sweep: Sweep,
  matrices: Float64Array,
  resident: readonly number[],
  numQubits: number,
): StagedSweep {
  const out = new WordWriter();
  const residentMask = maskOf(resident);
  const outer = range(numQubits).filter((qubit) => ((residentMask >> qubit) & 1) === 0);
  const placeOf = new Map(sweep.resident.map((qubit, i) => [qubit, sweep.store?.[i] ?? qubit]));
  out.words(0, 0, 0, outer.length);
  out.words(...resident, ...resident.map((qubit) => placeOf.get(qubit) ?? qubit), ...outer);

  const items: Item[] = [];
  for (const kernel of sweep.kernels) addItems(kernel, matrices, ROUNDING, items);
  if (items.some((item) => item.kind !== 'diagonal' && numBits(item.moved) > REGISTER_QUBITS)) {
    throw new Error(`unreachable: a kernel on more than ${REGISTER_QUBITS} qubits`);
  }
  const writing: Writing = {
    out,
    matrices,
    resident,
    registers: [],
    registerMask: 0,
    countAt: 0,
    count: 0,
    numStages: 0,
    pending: new PhasePolynomial(),
    growth: 1,
  };
  writeStages(writing, items, sweep.store !== undefined);
  const scale = scalarOf(writing.pending);
  out.put(0, writing.numStages);
  out.putFloat(1, scale.re);
  out.putFloat(2, scale.im);
  return { words: out.toArray(), numTiles: 2 ** outer.length };
}

function writeStages(writing: Writing, items: readonly Item[], moves: boolean): void {
  const ready = new ReadyItems(items);
  const isExchanged = writing.resident.length > REGISTER_QUBITS;
  gatherDiagonals(writing, ready);
  while (!ready.isEmpty || writing.numStages === 0) {
    const avoided = isExchanged && writing.numStages === 0 ? COALESCED_BITS : 0;
    openStage(writing, chooseRegisters(writing, ready.moving, avoided));
    doReady(writing, ready);
  }
  const isApart = writing.registers.every((q) => writing.resident.indexOf(q) >= COALESCED_BITS);
  // Where qubits move, all of the tile is read before any of it is written: that takes a second stage.
  if (isExchanged && (!isApart || (moves && writing.numStages === 1))) {
    openStage(writing, chooseRegisters(writing, [], COALESCED_BITS));
  }
  flush(writing, (mask) => mask !== 0);
  writing.out.put(writing.countAt, writing.count);
}

function gatherDiagonals(writing: Writing, ready: ReadyItems): void {
  for (let item = ready.diagonals.pop(); item !== undefined; item = ready.diagonals.pop()) {
    const { targets, controls, entries, offset } = item;
    writing.pending.multiplyDiagonal(targets, controls, entries, offset);
    ready.done(item);
  }
}

/** Does what moves registers only, and what becomes ready by it. */
function doReady(writing: Writing, ready: ReadyItems): void {
  for (;;) {
    const inside = ready.moving.filter((item) => (item.moved & ~writing.registerMask) === 0);
    if (inside.length === 0) return;
    const free = inside.filter((item) => (item.moved & writing.pending.qubits) === 0);
    if (free.length === 0) {
      const due = maskOfItems(inside);
      flush(writing, (mask) => (mask & due) !== 0);
      continue;
    }
    const done = new Set<MovingItem>(free);
    ready.moving = ready.moving.filter((item) => !done.has(item));
    for (const item of free) {
      writeItem(writing, item);
      ready.done(item);
    }
    gatherDiagonals(writing, ready);
    if (writing.growth > MAX_GROWTH) {
      flush(writing, (mask, phase) => mask === 0 || !isPhase(phase));
      writing.growth = 1;
    }
  }
}

/** Four qubits for the registers: those of the first items that fit, then any. */
function chooseRegisters(
  { resident }: Writing,
  moving: readonly MovingItem[],
  numAvoided: number,
): readonly number[] {
  const allowed = resident.slice(numAvoided);
  const chosen = new Set<number>();
  for (const { moved } of moving) {
    const qubits = allowed.filter((qubit) => (moved >> qubit) & 1);
    const isWhole = maskOf(qubits) === moved;
    const together = new Set([...chosen, ...qubits]);
    if (!isWhole || together.size > REGISTER_QUBITS) continue;
    for (const qubit of qubits) chosen.add(qubit);
  }
  for (const qubit of [...allowed].reverse()) {
    if (chosen.size < REGISTER_QUBITS) chosen.add(qubit);
  }
  return [...chosen].sort((a, b) => a - b);
}

function openStage(writing: Writing, registers: readonly number[]): void {
  const { out, resident } = writing;
  if (writing.numStages > 0) out.put(writing.countAt, writing.count);
  writing.numStages++;
  writing.registers = registers;
  writing.registerMask = maskOf(registers);
  writing.countAt = out.length;
  writing.count = 0;
  const bits = registers.map((qubit) => resident.indexOf(qubit));
  const others = range(resident.length).filter((bit) => !bits.includes(bit));
  out.words(0, ...bits, ...others);
}

function writeItem(writing: Writing, item: MovingItem): void {
  switch (item.kind) {
    case 'rotation':
      writing.count++;
      writing.growth *= Math.hypot(1, item.t);
      writeRotate(
        writing.out,
        writing.registers.indexOf(31 - Math.clz32(item.moved)),
        conditionOf(writing, item.read),
        pairsOf(writing, 31 - Math.clz32(item.moved), item.read),
        item.t,
      );
      return;
    case 'permutation':
      writePermutation(writing, item);
      return;
    case 'dense':
      writeBlock(writing, item, (row, column) => {
        const at = 2 * (item.offset + row * 2 ** item.targets.length + column);
        return [writing.matrices[at]!, writing.matrices[at + 1]!];
      });
      return;
  }
}

/** What lies outside the registers, as a condition on the thread's index. */
function conditionOf({ registerMask }: Writing, controls: number): IndexCondition {
  const mask = controls & ~registerMask;
  return { mask, value: mask };
}

/** The pairs of registers that differ in a qubit, in which the controls among them are 1. */
function pairsOf({ registers }: Writing, qubit: number, controls: number): number {
  const bit = 1 << registers.indexOf(qubit);
  const needed = registerBits(registers, controls);
  let pairs = 0;
  let pair = 0;
  for (let register = 0; register < 2 ** REGISTER_QUBITS; register++) {
    if (register & bit) continue;
    if ((register & needed) === needed) pairs |= 1 << pair;
    pair++;
  }
  return pairs;
}

function registerBits(registers: readonly number[], mask: number): number {
  return registers.reduce((bits, qubit, i) => ((mask >> qubit) & 1 ? bits | (1 << i) : bits), 0);
}

/** Registers change places in pairs: a controlled flip in one row of them. */
function writePermutation(writing: Writing, { targets, rows, read }: PermutationItem): void {
  const { registers } = writing;
  const needed = registerBits(registers, read);
  const places = targets.map((target) => 1 << registers.indexOf(target));
  const source = range(2 ** REGISTER_QUBITS);
  for (const register of source.keys()) {
    if ((register & needed) !== needed) continue;
    const bits = places.reduce((sum, place, i) => (register & place ? sum | (1 << i) : sum), 0);
    const change = rows[bits]! ^ bits;
    source[places.reduce((to, place, i) => ((change >> i) & 1 ? to ^ place : to), register)] =
      register;
  }
  for (const { bit, places: flipped } of exchangeRows(source, REGISTER_QUBITS)) {
    writing.count++;
    const pairs = flipped.reduce((mask, place) => mask | (1 << pairOf(place, bit)), 0);
    writeFlip(writing.out, bit, conditionOf(writing, read), pairs);
  }
}

/** The number of the pair whose lower register that is: its other bits, moved together. */
function pairOf(register: number, bit: number): number {
  const below = register & ((1 << bit) - 1);
  return ((register >> (bit + 1)) << bit) | below;
}

/** A block on targets in registers as a matrix on all of them. */
function writeBlock(
  writing: Writing,
  { targets, read }: DenseItem,
  entryOf: (row: number, column: number) => readonly [number, number],
): void {
  const { registers } = writing;
  const needed = registerBits(registers, read);
  const places = targets.map((target) => 1 << registers.indexOf(target));
  const all = places.reduce((mask, place) => mask | place, 0);
  const indexOf = (register: number) =>
    places.reduce((sum, place, i) => (register & place ? sum | (1 << i) : sum), 0);
  const size = 2 ** REGISTER_QUBITS;
  const entries = new Float64Array(2 * size * size);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const at = 2 * (row * size + column);
      const isOutside = (column & needed) !== needed;
      if (isOutside) entries[at] = row === column ? 1 : 0;
      else if ((row & ~all) === (column & ~all)) {
        entries.set(entryOf(indexOf(row), indexOf(column)), at);
      }
    }
  }
  writing.count++;
  writeDense(writing.out, conditionOf(writing, read), entries);
}

/** Applies the pending factors that `select` picks. */
function flush(writing: Writing, select: (mask: number, phase: Complex) => boolean): void {
  const due = writing.pending.take(select);
  if (due.isEmpty) return;
  const factors = [...due].map(([mask, { re, im }]) => ({
    registers: registerBits(writing.registers, mask),
    mask: mask & ~writing.registerMask,
    re,
    im,
  }));
  writing.count++;
  writePhases(writing.out, factors);
}

function isPhase({ re, im }: Complex): boolean {
  return Math.abs(re * re + im * im - 1) < 1e-6;
}

function scalarOf(pending: PhasePolynomial): Complex {
  for (const [mask, phase] of pending) if (mask === 0) return phase;
  return { re: 1, im: 0 };
}

function numBits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}

function maskOfItems(items: readonly MovingItem[]): number {
  return items.reduce((mask, { moved }) => mask | moved, 0);
}

function range(length: number): number[] {
  return Array.from({ length }, (_, i) => i);
}
