/**
 * Plans how the CPU's kernels read a state for a group of Pauli strings; see
 * assembly/pauli-groups.ts and assembly/folds.ts.
 *
 * The products of a group fill a table that has a bit for each qubit in which the signs of its
 * strings differ. The table is folded bit by bit, from the highest on. A fold keeps only what a
 * string needs, so its cost grows with the logarithm of the number of strings.
 */

import { highestBit, type PauliGroup } from '../pauli-groups.ts';
import { WORD_BYTES } from './command.ts';
import { GROUP_BYTES } from './precision.ts';

/** Division of a state. Masks are of physical qubits. */
export interface PauliGeometry {
  /** Qubits below this one are inside a table's cell. */
  readonly cellQubits: number;
  /** Bytes of a cell of a table. */
  readonly cellBytes: number;
  /** Qubits below this one are inside a block. */
  readonly blockQubits: number;
  /** Amplitudes of 2^laneQubits neighbours are in one group of GROUP_BYTES bytes. */
  readonly laneQubits: number;
  /** Whether one amplitude of each pair is visited, if the pair is not inside a cell. */
  readonly halves: boolean;
}

const OPERATIONS = { cell: 0, sum: 1, difference: 2, both: 3 } as const;
/** Bytes of a group's fields. */
const FIELDS_BYTES = 48;
/** Bytes of a string's place. */
const PLACE_BYTES = 8;

/** A group with the folds of its table. */
interface PlannedGroup {
  readonly group: PauliGroup;
  /** Masks of physical qubits. */
  readonly varying: number;
  readonly signed: number;
  readonly plain: number;
  readonly pairBit: number;
  /** Words. */
  readonly folds: readonly number[];
  /** Offset of each string's sum in the folded table, parallel to the group's signs. */
  readonly places: readonly number[];
}

/** Groups with their plans, as the kernels read them. */
export interface PauliPlan {
  readonly bytes: number;
  readonly groups: readonly PlannedGroup[];
  readonly geometry: PauliGeometry;
}

/** Plans some groups. */
export function planPaulis(groups: readonly PauliGroup[], geometry: PauliGeometry): PauliPlan {
  const planned = groups.map((group) => planGroup(group, geometry));
  const bytes = planned.reduce(
    (sum, { folds, places }) => sum + FIELDS_BYTES + 4 * folds.length + PLACE_BYTES * places.length,
    0,
  );
  return { bytes, groups: planned, geometry };
}

/** Factor of the kernel's sums: 2 if it visits one amplitude of each pair. */
export function visitFactor({ flips }: PauliGroup, { cellQubits, halves }: PauliGeometry): 1 | 2 {
  return halves && flips >= 2 ** cellQubits ? 2 : 1;
}

function planGroup(group: PauliGroup, geometry: PauliGeometry): PlannedGroup {
  const { flips, signs } = group;
  const { cellQubits, blockQubits } = geometry;
  const pairBit = visitFactor(group, geometry) === 2 ? highestBit(flips) : 0;
  const inBlock = (2 ** blockQubits - 2 ** cellQubits) & ~pairBit;
  const first = signs[0]!;
  let differences = 0;
  for (const mask of signs) differences |= mask ^ first;
  const varying = differences & inBlock;
  const uniform = inBlock & ~varying;
  const table = new FoldedTable(varying, signs, geometry);
  return {
    group,
    varying,
    signed: uniform & first,
    plain: uniform & ~first,
    pairBit,
    folds: table.folds,
    places: table.places,
  };
}

/** The folds of a table, and where they leave the strings' sums. */
class FoldedTable {
  readonly folds: number[] = [];
  readonly places: number[] = [];
  readonly #signs: readonly number[];
  /** Varying bits of the masks, ascending. */
  readonly #bits: readonly number[];
  readonly #geometry: PauliGeometry;

  constructor(varying: number, signs: readonly number[], geometry: PauliGeometry) {
    this.#signs = signs;
    this.#geometry = geometry;
    const bits: number[] = [];
    for (let rest = varying; rest !== 0; rest &= rest - 1) bits.push(rest & -rest);
    this.#bits = bits;
    this.places = new Array<number>(signs.length).fill(0);
    this.#fold(0, bits.length, [...signs.keys()]);
  }

  /**
   * @param at - Offset of a table of 2^numBits cells.
   * @param strings - Those whose sums it holds, at least one.
   */
  #fold(at: number, numBits: number, strings: readonly number[]): void {
    const { cellBytes, cellQubits } = this.#geometry;
    if (numBits === 0) {
      if (cellQubits > 0) this.folds.push(OPERATIONS.cell, at);
      for (const string of strings) {
        this.places[string] = at + 8 * (this.#signs[string]! & (2 ** cellQubits - 1));
      }
      return;
    }
    const bit = this.#bits[numBits - 1]!;
    const zeros = strings.filter((string) => (this.#signs[string]! & bit) === 0);
    const half = cellBytes * 2 ** (numBits - 1);
    if (zeros.length === strings.length) {
      this.folds.push(half + OPERATIONS.sum, at);
      this.#fold(at, numBits - 1, strings);
    } else if (zeros.length === 0) {
      this.folds.push(half + OPERATIONS.difference, at);
      this.#fold(at, numBits - 1, strings);
    } else {
      this.folds.push(half + OPERATIONS.both, at);
      this.#fold(at, numBits - 1, zeros);
      const ones = strings.filter((string) => (this.#signs[string]! & bit) !== 0);
      this.#fold(at + half, numBits - 1, ones);
    }
  }
}

/**
 * Writes a plan, the fields of all groups first.
 *
 * @param at - Address of `plan.bytes` bytes, a multiple of 4.
 * @returns The address behind the groups' fields.
 */
export function writePauliPlan(
  memory: SharedArrayBuffer,
  at: number,
  { bytes, groups, geometry }: PauliPlan,
): number {
  const words = new Uint32Array(memory, at, bytes / 4);
  const { laneQubits, blockQubits } = geometry;
  const placesOf = (mask: number) => (GROUP_BYTES / WORD_BYTES) * (mask >>> laneQubits);
  const laneMask = 2 ** laneQubits - 1;
  const first = groups[0]?.group.firstString ?? 0;
  let field = 0;
  let next = (FIELDS_BYTES / 4) * groups.length;
  for (const { group, varying, signed, plain, pairBit, folds, places } of groups) {
    const { flips, isImaginary, signs, firstString } = group;
    const listed = at + 4 * next;
    const endOfFolds = listed + 4 * folds.length;
    // Keep the order of the fields in assembly/pauli-groups.ts.
    const fields = [
      ...[placesOf(flips), flips & laneMask, flips === 0 ? 0 : isImaginary ? 2 : 1],
      ...[placesOf(varying), placesOf(signed), placesOf(plain)],
      ...[pairBit >= 2 ** blockQubits ? placesOf(pairBit) : 0, listed, endOfFolds],
      ...[endOfFolds, endOfFolds + PLACE_BYTES * places.length],
      firstString - first,
    ];
    for (const value of fields) words[field++] = value;
    for (const word of folds) words[next++] = word;
    for (const [i, place] of places.entries()) {
      words[next++] = place;
      words[next++] = placesOf(signs[i]! & ~(2 ** blockQubits - 1));
    }
  }
  return at + FIELDS_BYTES * groups.length;
}
