/**
 * Compiles a sweep into stages for the GPU. In each stage four bits of the tile are in registers,
 * and every ready item that moves only these is done. Diagonals are deferred until an item needs
 * them, as on the CPU.
 */
import { numOnes } from '../../../math/basis-index.ts';
import type { Rounding } from '../../rotation.ts';
import { addItems, type Item, type MovingItem, maskOf, ReadyItems } from '../../work-items.ts';
import type { IndexKernels } from './index-kernels.ts';
import { StageWriter, type SweepTile, type SweepWords } from './stage-writer.ts';
import { REGISTER_QUBITS } from './sweep-code.ts';

/** Rounding of single precision; smaller tangents change nothing. */
export const SINGLE_ROUNDING: Rounding = { negligible: 1e-10, round: Math.fround };
/**
 * Lowest bits, kept out of registers so that neighbouring threads access neighbouring amplitudes.
 */
const COALESCED_BITS = 4;

/** Items that a choice of registers looks at. */
const LOOKAHEAD = 32;

/** Constraints on the registers of a stage that reads or writes memory. */
interface MemoryStage {
  /** Bits that must be the highest of a register's number, in this order. */
  readonly needed: readonly number[];
  readonly avoided: readonly number[];
}

/**
 * Compiles a sweep into words that shaders/sweep.wgsl interprets.
 *
 * @param kernels - Kernels on index bits.
 */
export function lowerSweep({ kernels, pool }: IndexKernels, tile: SweepTile): SweepWords {
  const items: Item[] = [];
  for (const kernel of kernels) addItems(kernel, pool, SINGLE_ROUNDING, items);
  const stages = new StageWriter(tile, pool);
  const ready = new ReadyItems(items);
  const first = memoryStage(tile, tile.bits);
  const last = memoryStage(tile, tile.stored);
  takeDiagonals(stages, ready);
  while (!ready.isEmpty || stages.numStages === 0) {
    const wide = ready.moving.every(isWide) ? ready.moving[0] : undefined;
    if (stages.numStages === 0) {
      const registers = chooseRegisters(tile, ready, first).registers;
      stages.openStage(registers, threadsInOrder(tile, registers, tile.bits));
    } else openStage(stages, ready, tile, last, wide);
    doReady(stages, ready);
  }
  // A sweep that moves qubits needs two stages: all of a tile is read before any of it is written.
  const isMoved = tile.stored.some((bit, i) => bit !== tile.bits[i]);
  if (!suits(stages.registers, last) || (isMoved && stages.numStages === 1)) {
    openStage(stages, ready, tile, last);
  }
  return stages.finish();
}

function isWide({ moved }: MovingItem): boolean {
  return numOnes(moved) > REGISTER_QUBITS;
}

/** Opens a stage after the first, preceded by an item too wide for registers if there is one. */
function openStage(
  stages: StageWriter,
  ready: ReadyItems,
  tile: SweepTile,
  last: MemoryStage,
  wide?: MovingItem,
): void {
  if (wide?.kind === 'rotation' || wide?.kind === 'pair rotation') {
    throw new Error('unreachable: a rotation moves one bit or two');
  }
  if (wide?.kind === 'probe') throw new Error('unreachable: this engine takes no probes');
  if (wide !== undefined) {
    stages.flush(wide.moved);
    ready.moving = ready.moving.filter((item) => item !== wide);
    ready.done(wide);
  }
  const registers = nextRegisters(tile, ready, last);
  const threads = suits(registers, last)
    ? threadsInOrder(tile, registers, tile.stored)
    : threadsApart(tile, registers);
  stages.openStage(registers, threads, wide);
  takeDiagonals(stages, ready);
}

/** Thread bits in the order of memory, so that neighbouring threads access neighbouring places. */
function threadsInOrder(
  { bits }: SweepTile,
  registers: readonly number[],
  placeOf: readonly number[],
): readonly number[] {
  const byPlace = [...bits.keys()].sort((a, b) => placeOf[a]! - placeOf[b]!);
  return byPlace.map((i) => bits[i]!).filter((bit) => !registers.includes(bit));
}

/**
 * Thread bits such that neighbouring threads use different banks of workgroup memory, in which bits
 * i and i + 4 of a tile select the same bank (`place_of` in shaders/sweep.wgsl).
 */
function threadsApart({ bits }: SweepTile, registers: readonly number[]): readonly number[] {
  const others = bits.filter((bit) => !registers.includes(bit));
  const apart = new Map<number, number>();
  for (const bit of others) {
    const bank = bits.indexOf(bit) % COALESCED_BITS;
    if (!apart.has(bank)) apart.set(bank, bit);
  }
  return [...new Set([...apart.values(), ...others])];
}

function takeDiagonals(stages: StageWriter, ready: ReadyItems): void {
  for (let item = ready.diagonals.pop(); item !== undefined; item = ready.diagonals.pop()) {
    stages.addDiagonal(item);
    ready.done(item);
  }
  stages.applyScales();
}

/** Does the ready items that move only register bits, and those that become ready by it. */
function doReady(stages: StageWriter, ready: ReadyItems): void {
  for (;;) {
    const inside = ready.moving.filter((item) => stages.holds(item));
    if (inside.length === 0) return;
    const free = inside.filter((item) => !stages.waitsFor(item));
    if (free.length === 0) {
      stages.flush(inside.reduce((mask, { moved }) => mask | moved, 0));
      continue;
    }
    const done = new Set<MovingItem>(free);
    ready.moving = ready.moving.filter((item) => !done.has(item));
    for (const item of free) {
      stages.write(item);
      ready.done(item);
    }
    takeDiagonals(stages, ready);
  }
}

/**
 * Registers for a stage that reads or writes memory: the bits that tell chunks apart, and none of
 * the lowest.
 *
 * @param placeOf - For each bit of the tile, its place in memory then.
 */
function memoryStage({ bits, chunkQubits }: SweepTile, placeOf: readonly number[]): MemoryStage {
  const byPlace = [...bits.keys()].sort((a, b) => placeOf[a]! - placeOf[b]!);
  const needed = byPlace.filter((i) => placeOf[i]! >= chunkQubits);
  const avoided = byPlace.slice(0, COALESCED_BITS);
  return { needed: needed.map((i) => bits[i]!), avoided: avoided.map((i) => bits[i]!) };
}

function suits(registers: readonly number[], { needed, avoided }: MemoryStage): boolean {
  const highest = registers.slice(registers.length - needed.length);
  return (
    highest.every((bit, i) => bit === needed[i]) && !registers.some((bit) => avoided.includes(bit))
  );
}

/** Chooses registers; prefers such as suit the last stage if as many items can be done with them. */
function nextRegisters(tile: SweepTile, ready: ReadyItems, last: MemoryStage): readonly number[] {
  const free = chooseRegisters(tile, ready, { needed: [], avoided: [] });
  const suitable = chooseRegisters(tile, ready, last);
  return suitable.numDone >= free.numDone ? suitable.registers : free.registers;
}

/**
 * Chooses four register bits: those of the first items that fit, also of such as become ready when
 * others are done, then the highest others.
 *
 * @returns The bits, and how many of the next items can be done with them.
 */
function chooseRegisters(
  { bits }: SweepTile,
  ready: ReadyItems,
  { needed, avoided }: MemoryStage,
): { readonly registers: readonly number[]; readonly numDone: number } {
  const allowed = bits.filter((bit) => !avoided.includes(bit));
  const allowedMask = maskOf(allowed);
  const tileMask = maskOf(bits);
  let mask = maskOf(needed);
  let numDone = 0;
  // Bits on which items that are left out act: those that follow on them must wait.
  let [movedByOthers, readByOthers] = [0, 0];
  let numSeen = 0;
  for (const { kind, moved, read } of ready.upcoming()) {
    if (++numSeen > LOOKAHEAD || (tileMask & ~movedByOthers) === 0) break;
    const isFree = ((moved | read) & movedByOthers) === 0 && (moved & readByOthers) === 0;
    const isInside = (moved & ~allowedMask) === 0 && numOnes(mask | moved) <= REGISTER_QUBITS;
    if (!isFree || !isInside) {
      movedByOthers |= moved;
      readByOthers |= read;
      continue;
    }
    mask |= moved;
    if (kind !== 'diagonal') numDone++;
  }
  const chosen = new Set([...needed, ...allowed.filter((bit) => (mask >> bit) & 1)]);
  for (const bit of [...allowed].reverse()) {
    if (chosen.size < REGISTER_QUBITS) chosen.add(bit);
  }
  const others = [...chosen].filter((bit) => !needed.includes(bit)).sort((a, b) => a - b);
  return { registers: [...others, ...needed], numDone };
}
