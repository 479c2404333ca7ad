/**
 * A sweep's kernels as items (diagonals, rotations, permutations and dense blocks), and a list
 * scheduler that hands out the items whose predecessors are done.
 *
 * Two items commute if both act diagonally on every qubit they share. Each qubit keeps its items in
 * consecutive groups: a run of items diagonal on it, or one item that is not. An item is ready once
 * its group is the first of every qubit it touches.
 */
import type {
  DenseKernel,
  Kernel,
  MapKernel,
  PermutationKernel,
  ProbeKernel,
  ProbeSums,
} from '../compiler/program.ts';
import { keepsParity } from '../math/complex-matrix.ts';
import { type Complex, isOne, ONE, type Real } from './complex.ts';
import { entryAt, type MatrixPool } from './matrix-pool.ts';
import { type PairRotation, pairRotationOf } from './pair-rotation.ts';
import { type Monomial, monomialsOf } from './phase-polynomial.ts';
import { type Rounding, rotationOf } from './rotation.ts';

/** Masks of the qubits that an item acts on. */
interface Reach {
  /** Qubits acted on non-diagonally. */
  readonly moved: number;
  /** Qubits acted on diagonally. */
  readonly read: number;
}

/** A product of monomials in the qubits `read`. */
export interface DiagonalItem extends Reach {
  readonly kind: 'diagonal';
  readonly monomials: readonly Monomial[];
}

/** [[1, −t], [t, 1]] on the qubit `moved`, where the qubits `read` are all 1. */
export interface RotationItem extends Reach {
  readonly kind: 'rotation';
  readonly t: Real;
}

/** |j⟩ → |rows[j]⟩ on `targets`, where the qubits `read` are all 1. */
export interface PermutationItem extends Reach {
  readonly kind: 'permutation';
  readonly targets: readonly number[];
  readonly rows: readonly number[];
}

/** The rotations of a `PairRotation` on `targets`, where the qubits `read` are all 1. */
export interface PairRotationItem
  extends Reach,
    Pick<PairRotation, 'even' | 'odd' | 'isImaginary'> {
  readonly kind: 'pair rotation';
  readonly targets: readonly [number, number];
}

/** A general block on `targets`, where the qubits `read` are all 1. */
export interface DenseItem extends Reach {
  readonly kind: 'dense';
  readonly targets: readonly number[];
  readonly offset: number;
}

/** A map, as of a `MapKernel`. */
export interface MapItem extends Reach, Pick<MapKernel, 'targets' | 'rows' | 'rest'> {
  readonly kind: 'map';
  /** Of `rows`, row-major, divided by `rest`. */
  readonly entries: Float64Array;
  /** Largest sum of moduli in a row of the entries. */
  readonly growth: number;
}

/** Sums as of a `ProbeKernel`. It changes nothing; where it has flips, it waits like an item that moves its targets. */
export interface ProbeItem extends Reach {
  readonly kind: 'probe';
  readonly targets: readonly number[];
  readonly controls: number;
  readonly ancilla: number;
  readonly sums: ProbeSums;
}

/** One item of work on a tile. */
export type Item =
  | DiagonalItem
  | RotationItem
  | PairRotationItem
  | PermutationItem
  | DenseItem
  | MapItem
  | ProbeItem;
/** An item that moves amplitudes, or a probe of where they are. */
export type MovingItem = Exclude<Item, DiagonalItem>;

export function maskOf(qubits: readonly number[]): number {
  return qubits.reduce((mask, qubit) => mask | (1 << qubit), 0);
}

/** The qubits of a tile: a sweep's resident ones, filled up with the lowest others; ascending. */
export function filledTile(resident: readonly number[], tileQubits: number): readonly number[] {
  const tile = new Set(resident);
  for (let qubit = 0; tile.size < tileQubits; qubit++) tile.add(qubit);
  return [...tile].sort((a, b) => a - b);
}

/** Appends the items of a kernel to a list. */
export function addItems(
  kernel: Kernel,
  pool: MatrixPool,
  rounding: Rounding,
  items: Item[],
): void {
  switch (kernel.kind) {
    case 'diagonal': {
      const { targets, controls, offset } = kernel;
      const entries: Complex[] = [];
      for (let j = 0; j < 2 ** targets.length; j++) entries.push(entryAt(pool, offset + j));
      addDiagonal(targets, maskOf(controls), entries, items);
      return;
    }
    case 'permutation':
      addPermutation(kernel, pool, items);
      return;
    case 'dense':
      if (kernel.targets.length === 1) addRotation(kernel, pool, rounding, items);
      else if (!addPairRotation(kernel, pool, rounding, items)) {
        const { targets, controls, offset } = kernel;
        const read = maskOf(controls);
        items.push({ kind: 'dense', moved: maskOf(targets), read, targets, offset });
      }
      return;
    case 'map':
      items.push(mapItem(kernel, pool));
      return;
    case 'probe':
      items.push(probeItem(kernel));
      return;
  }
}

function mapItem({ targets, rows, rest, offset }: MapKernel, { matrices }: MatrixPool): MapItem {
  const size = rows.length;
  const entries = matrices.slice(2 * offset, 2 * (offset + size * size)).map((x) => x / rest);
  let growth = 1;
  for (let row = 0; row < size; row++) {
    let sum = 0;
    for (let i = row * size; i < (row + 1) * size; i++) {
      sum += Math.hypot(entries[2 * i]!, entries[2 * i + 1]!);
    }
    growth = Math.max(growth, sum);
  }
  return { kind: 'map', moved: maskOf(targets), read: 0, targets, rows, rest, entries, growth };
}

function probeItem({ targets, controls, ancilla, sums }: ProbeKernel): ProbeItem {
  if (ancilla === undefined) throw new Error('unreachable: a probe in a sweep without an ancilla');
  const mask = maskOf(targets);
  const controlMask = maskOf(controls);
  const reach =
    sums.flips.length > 0
      ? { moved: mask, read: controlMask }
      : { moved: 0, read: controlMask | mask };
  return { kind: 'probe', ...reach, targets, controls: controlMask, ancilla, sums };
}

/** Appends a diagonal if any of its entries is not 1. */
function addDiagonal(
  targets: readonly number[],
  controls: number,
  entries: readonly Complex[],
  items: Item[],
): void {
  const monomials = monomialsOf(targets, controls, entries);
  if (monomials.length === 0) return;
  items.push({ kind: 'diagonal', moved: 0, read: controls | maskOf(targets), monomials });
}

/** Appends a permutation, then a diagonal for the phases of its entries if there are any. */
function addPermutation(
  { targets, controls, offset, rows }: PermutationKernel,
  pool: MatrixPool,
  items: Item[],
): void {
  const read = maskOf(controls);
  if (rows.some((row, j) => row !== j)) {
    items.push({ kind: 'permutation', moved: maskOf(targets), read, targets, rows });
  }
  const entries = new Array<Complex>(rows.length).fill(ONE);
  for (const [j, row] of rows.entries()) entries[row] = entryAt(pool, offset + j);
  if (!entries.every(isOne)) addDiagonal(targets, read, entries, items);
}

/** Appends a dense kernel on one qubit. */
function addRotation(
  { targets, controls, offset }: DenseKernel,
  pool: MatrixPool,
  rounding: Rounding,
  items: Item[],
): void {
  const controlMask = maskOf(controls);
  const at = (j: number) => entryAt(pool, offset + j);
  const { scale, after, t, before, flips } = rotationOf([at(0), at(1), at(2), at(3)], rounding);
  const moved = 1 << targets[0]!;
  const read = controlMask | moved;
  if (flips) items.push({ kind: 'permutation', moved, read: controlMask, targets, rows: [1, 0] });
  addMonomials([{ mask: read, phase: before }], read, items);
  if (t !== 0) items.push({ kind: 'rotation', moved, read: controlMask, t });
  // The scale follows the rotation, which it balances, although it would commute with it.
  addMonomials(
    [
      { mask: controlMask, phase: scale },
      { mask: read, phase: after },
    ],
    read,
    items,
  );
}

/** Appends those of the monomials that are not 1 as one item. */
function addMonomials(all: readonly Monomial[], read: number, items: Item[]): void {
  const monomials = all.filter(({ phase }) => !isOne(phase));
  if (monomials.length > 0) items.push({ kind: 'diagonal', moved: 0, read, monomials });
}

/** Appends a dense kernel on two qubits if it keeps their parity; returns whether it does. */
function addPairRotation(
  { targets, controls, offset }: DenseKernel,
  pool: MatrixPool,
  rounding: Rounding,
  items: Item[],
): boolean {
  const [low, high] = targets;
  if (low === undefined || high === undefined || targets.length > 2) return false;
  if (!keepsParity(pool.matrices, 2 * offset)) return false;
  const read = maskOf(controls);
  const pair = [low, high] as const;
  const { before, rows, even, odd, isImaginary, after } = pairRotationOf(
    (row, column) => entryAt(pool, offset + 4 * row + column),
    rounding,
  );
  const moved = maskOf(pair);
  if (rows.some((row, j) => row !== j)) {
    items.push({ kind: 'permutation', moved, read, targets, rows });
  }
  addDiagonal(targets, read, before, items);
  if (even !== 0 || odd !== 0) {
    items.push({ kind: 'pair rotation', moved, read, targets: pair, even, odd, isImaginary });
  }
  addDiagonal(targets, read, after, items);
  return true;
}

/** Commuting items of one qubit, in any order. */
interface Group {
  readonly isDiagonal: boolean;
  readonly members: Node[];
  remaining: number;
}

/** An item in the graph of dependencies. */
interface Node {
  readonly item: Item;
  /** Number of qubits in whose first group the item is not yet. */
  waitsFor: number;
  readonly groups: Group[];
}

/** List scheduler: holds the items that are ready. */
export class ReadyItems {
  readonly diagonals: DiagonalItem[] = [];
  /** Probes without flips. */
  readonly probes: ProbeItem[] = [];
  /** In the order in which they became ready. */
  moving: MovingItem[] = [];
  readonly #nodes = new Map<Item, Node>();
  /** By qubit, its groups that are not done, the last element being the current one. */
  readonly #queues = new Map<number, Group[]>();

  constructor(items: readonly Item[]) {
    for (const item of items) this.#add(item);
    for (const node of this.#nodes.values()) if (node.waitsFor === 0) this.#release(node.item);
    for (const queue of this.#queues.values()) queue.reverse();
  }

  get isEmpty(): boolean {
    return this.diagonals.length === 0 && this.moving.length === 0 && this.probes.length === 0;
  }

  /** The items that are not done, in the order of the sweep. */
  upcoming(): IterableIterator<Item> {
    return this.#nodes.keys();
  }

  /** Marks an item as done, which may make others ready. */
  done(item: Item): void {
    const node = this.#nodes.get(item);
    if (node === undefined) throw new Error('unreachable: an item is done twice');
    this.#nodes.delete(item);
    for (const group of node.groups) group.remaining--;
    for (let rest = item.moved | item.read; rest !== 0; rest &= rest - 1) {
      const queue = this.#queues.get(31 - Math.clz32(rest & -rest))!;
      // Reversed queue: the current group is the last element.
      if (queue.at(-1)!.remaining > 0) continue;
      queue.pop();
      for (const next of queue.at(-1)?.members ?? []) {
        if (--next.waitsFor === 0) this.#release(next.item);
      }
    }
  }

  #add(item: Item): void {
    const node: Node = { item, waitsFor: 0, groups: [] };
    this.#nodes.set(item, node);
    for (let rest = item.moved | item.read; rest !== 0; rest &= rest - 1) {
      const bit = rest & -rest;
      const isDiagonal = (item.moved & bit) === 0;
      const qubit = 31 - Math.clz32(bit);
      const queue = this.#queues.get(qubit) ?? [];
      this.#queues.set(qubit, queue);
      let group = queue.at(-1);
      if (group === undefined || !isDiagonal || !group.isDiagonal) {
        group = { isDiagonal, members: [], remaining: 0 };
        queue.push(group);
      }
      group.members.push(node);
      group.remaining++;
      node.groups.push(group);
      if (queue.length > 1) node.waitsFor++;
    }
  }

  #release(item: Item): void {
    if (item.kind === 'diagonal') this.diagonals.push(item);
    else if (item.kind === 'probe' && item.moved === 0) this.probes.push(item);
    else this.moving.push(item);
  }
}
