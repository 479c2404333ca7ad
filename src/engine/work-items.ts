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
import { type Monomial, monomialsOf } from './phase-polynomial.ts';
import { type PairRotation, pairRotationOf, type Rounding, rotationOf } from './rotation.ts';
import { singularFactors } from './singular-values.ts';

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
  /** Entries of `rows`, row-major, divided by `rest`. */
  readonly entries: Float64Array;
  /** Largest sum of moduli in a row of the entries. */
  readonly gain: number;
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
      if (!addRotations(kernel, pool, rounding, items)) {
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
  let gain = 1;
  for (let row = 0; row < size; row++) {
    let sum = 0;
    for (let i = row * size; i < (row + 1) * size; i++) {
      sum += Math.hypot(entries[2 * i]!, entries[2 * i + 1]!);
    }
    gain = Math.max(gain, sum);
  }
  return { kind: 'map', moved: maskOf(targets), read: 0, targets, rows, rest, entries, gain };
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

/**
 * Appends a dense kernel on one qubit, or on two whose parity it keeps, as rotations between diagonals; returns whether
 * that can be done.
 */
function addRotations(
  kernel: DenseKernel,
  pool: MatrixPool,
  rounding: Rounding,
  items: Item[],
): boolean {
  const { targets, offset } = kernel;
  if (targets.length > 2) return false;
  if (targets.length === 2 && !keepsParity(pool.matrices, 2 * offset)) return false;
  if (pool.isUnitary === false) return addFactors(kernel, pool, rounding, items);
  const size = 2 ** targets.length;
  addUnitary(kernel, (row, column) => entryAt(pool, offset + size * row + column), rounding, items);
  return true;
}

/** Entry of a matrix, by row and column. */
type EntryOf = (row: number, column: number) => Complex;

function addUnitary(
  { targets, controls }: Pick<DenseKernel, 'targets' | 'controls'>,
  entry: EntryOf,
  rounding: Rounding,
  items: Item[],
): void {
  const [low, high] = targets;
  if (high === undefined) addRotation(low!, maskOf(controls), entry, rounding, items);
  else addPairRotation([low!, high], maskOf(controls), entry, rounding, items);
}

/** Singular values whose ratio is below this leave a kernel on two qubits a dense block. */
const LEAST_RATIO = 1e-6;

/**
 * Appends a kernel that need not be unitary as unitary · diagonal · unitary, unless it has two blocks of which one is
 * nearly singular: no product of monomials is 0 for |01⟩ alone.
 */
function addFactors(
  kernel: DenseKernel,
  { matrices }: MatrixPool,
  rounding: Rounding,
  items: Item[],
): boolean {
  const { targets, controls, offset } = kernel;
  const size = 2 ** targets.length;
  // Each block mixes two rows.
  const blocks = (
    size === 2
      ? [[0, 1]]
      : [
          [0, 3],
          [1, 2],
        ]
  ).map((rows) => {
    const block = new Float64Array(8);
    for (const [i, row] of rows.entries()) {
      for (const [j, column] of rows.entries()) {
        const at = 2 * (offset + size * row + column);
        block[4 * i + 2 * j] = matrices[at]!;
        block[4 * i + 2 * j + 1] = matrices[at + 1]!;
      }
    }
    return { rows, factors: singularFactors(block) };
  });
  const values = blocks.flatMap(({ factors }) => factors.values);
  if (size > 2 && !(Math.min(...values) > LEAST_RATIO * Math.max(...values))) return false;
  const add = (side: 'left' | 'right') => {
    const entry = (row: number, column: number): Complex => {
      const { rows, factors } = blocks.find((block) => block.rows.includes(row))!;
      const at = 4 * rows.indexOf(row) + 2 * rows.indexOf(column);
      return { re: factors[side][at]!, im: factors[side][at + 1]! };
    };
    addUnitary(kernel, entry, rounding, items);
  };
  const scales = new Array<Complex>(size).fill(ONE);
  for (const { rows, factors } of blocks) {
    for (const [i, row] of rows.entries()) scales[row] = { re: factors.values[i]!, im: 0 };
  }
  add('right');
  addDiagonal(targets, maskOf(controls), scales, items);
  add('left');
  return true;
}

/** Appends a unitary on one qubit. */
function addRotation(
  target: number,
  controls: number,
  entry: EntryOf,
  rounding: Rounding,
  items: Item[],
): void {
  const { scale, after, t, before, flips } = rotationOf(
    [entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)],
    rounding,
  );
  const targets = [target];
  const moved = 1 << target;
  const read = controls | moved;
  if (flips) items.push({ kind: 'permutation', moved, read: controls, targets, rows: [1, 0] });
  addMonomials([{ mask: read, phase: before }], read, items);
  if (t !== 0) items.push({ kind: 'rotation', moved, read: controls, t });
  // The scale follows the rotation, which it balances, although it would commute with it.
  addMonomials(
    [
      { mask: controls, phase: scale },
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

/** Appends a unitary on two qubits that keeps their parity. */
function addPairRotation(
  targets: readonly [number, number],
  read: number,
  entry: EntryOf,
  rounding: Rounding,
  items: Item[],
): void {
  const { before, rows, even, odd, isImaginary, after } = pairRotationOf(entry, rounding);
  const moved = maskOf(targets);
  if (rows.some((row, j) => row !== j)) {
    items.push({ kind: 'permutation', moved, read, targets, rows });
  }
  addDiagonal(targets, read, before, items);
  if (even !== 0 || odd !== 0) {
    items.push({ kind: 'pair rotation', moved, read, targets, even, odd, isImaginary });
  }
  addDiagonal(targets, read, after, items);
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
