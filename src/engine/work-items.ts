/**
 * A sweep's kernels as items (diagonals, rotations, permutations and dense blocks), and a list
 * scheduler that hands out the items whose predecessors are done.
 *
 * Two items commute if both act diagonally on every qubit they share. Each qubit keeps its items in
 * consecutive groups: a run of items diagonal on it, or one item that is not. An item is ready once
 * its group is the first of every qubit it touches.
 */
import type { DenseKernel, Kernel, PermutationKernel } from '../compiler/program.ts';
import { keepsParity } from '../math/complex-matrix.ts';
import { type PairRotation, pairRotationOf } from './pair-rotation.ts';
import { type Complex, isOne, ONE } from './phase-polynomial.ts';
import { type Rounding, rotationOf } from './rotation.ts';

/** Masks of the qubits that an item acts on. */
interface Reach {
  /** Qubits acted on non-diagonally. */
  readonly moved: number;
  /** Qubits acted on diagonally. */
  readonly read: number;
}

/** Multiplies by the diagonal on `targets` where `controls` are all 1. */
export interface DiagonalItem extends Reach {
  readonly kind: 'diagonal';
  readonly targets: readonly number[];
  readonly controls: number;
  /** Interleaved re, im, from complex number `offset` on. */
  readonly entries: Float64Array;
  readonly offset: number;
}

/** [[1, −t], [t, 1]] on the qubit `moved`, where the qubits `read` are all 1. */
export interface RotationItem extends Reach {
  readonly kind: 'rotation';
  readonly t: number;
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

/** One item of work on a tile. */
export type Item = DiagonalItem | RotationItem | PairRotationItem | PermutationItem | DenseItem;
/** An item that moves amplitudes. */
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
  matrices: Float64Array,
  rounding: Rounding,
  items: Item[],
): void {
  switch (kernel.kind) {
    case 'diagonal':
      items.push(diagonalItem(kernel.targets, maskOf(kernel.controls), matrices, kernel.offset));
      return;
    case 'permutation':
      addPermutation(kernel, matrices, items);
      return;
    case 'dense':
      if (kernel.targets.length === 1) addRotation(kernel, matrices, rounding, items);
      else if (!addPairRotation(kernel, matrices, rounding, items)) {
        const { targets, controls, offset } = kernel;
        const read = maskOf(controls);
        items.push({ kind: 'dense', moved: maskOf(targets), read, targets, offset });
      }
      return;
  }
}

function diagonalItem(
  targets: readonly number[],
  controls: number,
  entries: Float64Array,
  offset: number,
): DiagonalItem {
  const read = controls | maskOf(targets);
  const masks = targets.map((target) => 1 << target);
  return { kind: 'diagonal', moved: 0, read, targets: masks, controls, entries, offset };
}

function phaseItem(target: number, controls: number, zero: Complex, one: Complex): DiagonalItem {
  const entries = Float64Array.of(zero.re, zero.im, one.re, one.im);
  return diagonalItem([target], controls, entries, 0);
}

/** Appends a permutation, then a diagonal for the phases of its entries if there are any. */
function addPermutation(
  { targets, controls, offset, rows }: PermutationKernel,
  matrices: Float64Array,
  items: Item[],
): void {
  const read = maskOf(controls);
  if (rows.some((row, j) => row !== j)) {
    items.push({ kind: 'permutation', moved: maskOf(targets), read, targets, rows });
  }
  const entries = new Float64Array(2 * rows.length);
  let hasPhases = false;
  for (const [j, row] of rows.entries()) {
    const entry = complexAt(matrices, offset + j);
    entries[2 * row] = entry.re;
    entries[2 * row + 1] = entry.im;
    hasPhases ||= !isOne(entry);
  }
  if (hasPhases) items.push(diagonalItem(targets, read, entries, 0));
}

/** Appends a dense kernel on one qubit. */
function addRotation(
  { targets, controls, offset }: DenseKernel,
  matrices: Float64Array,
  rounding: Rounding,
  items: Item[],
): void {
  const read = maskOf(controls);
  const target = targets[0]!;
  const at = (j: number) => complexAt(matrices, offset + j);
  const { scale, after, t, before, flips } = rotationOf([at(0), at(1), at(2), at(3)], rounding);
  const moved = 1 << target;
  if (flips) items.push({ kind: 'permutation', moved, read, targets, rows: [1, 0] });
  if (!isOne(before)) items.push(phaseItem(target, read, ONE, before));
  if (t !== 0) items.push({ kind: 'rotation', moved, read, t });
  const lower = {
    re: scale.re * after.re - scale.im * after.im,
    im: scale.re * after.im + scale.im * after.re,
  };
  if (!isOne(scale) || !isOne(lower)) items.push(phaseItem(target, read, scale, lower));
}

/** Appends a dense kernel on two qubits if it keeps their parity; returns whether it does. */
function addPairRotation(
  { targets, controls, offset }: DenseKernel,
  matrices: Float64Array,
  rounding: Rounding,
  items: Item[],
): boolean {
  const [low, high] = targets;
  if (low === undefined || high === undefined || targets.length > 2) return false;
  if (!keepsParity(matrices, 2 * offset)) return false;
  const read = maskOf(controls);
  const pair = [low, high] as const;
  const { before, rows, even, odd, isImaginary, after } = pairRotationOf(
    (row, column) => complexAt(matrices, offset + 4 * row + column),
    rounding,
  );
  const moved = maskOf(pair);
  if (rows.some((row, j) => row !== j)) {
    items.push({ kind: 'permutation', moved, read, targets, rows });
  }
  pushDiagonal(targets, read, before, items);
  if (even !== 0 || odd !== 0) {
    items.push({ kind: 'pair rotation', moved, read, targets: pair, even, odd, isImaginary });
  }
  pushDiagonal(targets, read, after, items);
  return true;
}

function pushDiagonal(
  targets: readonly number[],
  controls: number,
  entries: Float64Array,
  items: Item[],
): void {
  for (let j = 0; 2 * j < entries.length; j++) {
    if (isOne(complexAt(entries, j))) continue;
    items.push(diagonalItem(targets, controls, entries, 0));
    return;
  }
}

function complexAt(values: Float64Array, index: number): Complex {
  return { re: values[2 * index]!, im: values[2 * index + 1]! };
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
    return this.diagonals.length === 0 && this.moving.length === 0;
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
    else this.moving.push(item);
  }
}
