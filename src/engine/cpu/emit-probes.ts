/**
 * Emits the sums of probes over a tile: ψ lies in its lower half and λ in the upper one, because the ancilla is its
 * highest qubit.
 *
 * Sums over flips read both halves. All sums without flips share one list of the products Im(conj(λ_i)·ψ_i), which is
 * folded qubit by qubit from the highest on: to the sum of its halves for what does not depend on the qubit, to their
 * difference for what changes its sign with it, to the upper half for what needs it to be 1. As the lists halve, the
 * sums of all pairs of qubits together cost a few times what the list does.
 */
import type { ProbeItem } from '../work-items.ts';
import { GROUP_BYTES } from './precision.ts';
import { EVERY_TILE, OPCODES, type TileCode } from './tile-code.ts';
import { type TileLayout, whereOnes } from './tile-layout.ts';

/** Gives a sum of the program the next place among those of the sweep, and returns it. */
export type PlaceOfSum = (sum: number) => number;

const BYTES_PER_SUM = 8;

/** Sums of one qubit or of one pair, of which three go together in one trip through the tile. */
interface Crossing {
  readonly probe: ProbeItem;
  readonly isImaginary: boolean;
  /** Distances of the lower and the upper qubit's groups; the lower one 0 for a single qubit. */
  readonly low: number;
  readonly high: number;
  /** Number of the first sum, and of that of the other parity. */
  readonly sums: readonly [number, number];
}

const MAX_TOGETHER = 3;

/** Emits the sums of probes over pairs of subcubes. */
export function emitFlips(
  code: TileCode,
  layout: TileLayout,
  probes: readonly ProbeItem[],
  placeOf: PlaceOfSum,
): void {
  const alike = new Map<string, Crossing[]>();
  for (const probe of probes) {
    const crossing = crossingOf(layout, probe);
    if (crossing === undefined) {
      emitAlone(code, layout, probe, placeOf);
      continue;
    }
    const key = `${probe.controls} ${crossing.isImaginary} ${crossing.low === 0}`;
    const same = alike.get(key);
    if (same === undefined) alike.set(key, [crossing]);
    else same.push(crossing);
  }
  for (const crossings of alike.values()) {
    for (let i = 0; i < crossings.length; i += MAX_TOGETHER) {
      const together = crossings.slice(i, i + MAX_TOGETHER);
      const [only] = together;
      if (only !== undefined && together.length === 1) emitAlone(code, layout, only.probe, placeOf);
      else emitTogether(code, layout, together, placeOf);
    }
  }
}

/** The sums of a probe of one qubit or pair above the lanes, if one part of them is all that is asked for. */
function crossingOf(layout: TileLayout, probe: ProbeItem): Crossing | undefined {
  const { targets, sums } = probe;
  const [one, other] = sums.flips;
  const places = targets.map((target) => layout.place(1 << target));
  if (one === undefined || one.parts === 'both' || places.some(({ lanes }) => lanes !== 0)) return;
  const isImaginary = one.parts === 'im';
  const [a, b] = places.map(({ bytes }) => bytes) as [number, number];
  const part = (sum: number) => sum + (isImaginary ? 1 : 0);
  if (targets.length === 1) {
    return { probe, isImaginary, low: 0, high: a, sums: [part(sums.first), part(sums.first)] };
  }
  const isPair =
    targets.length === 2 &&
    other?.parts === one.parts &&
    sums.flips.length === 2 &&
    one.row === 0 &&
    one.column === 3;
  // A real part of the sum over |01⟩ and |10⟩ changes its sign with the order of the qubits.
  if (!isPair || (!isImaginary && a > b)) return;
  const [low, high] = a < b ? [a, b] : [b, a];
  return { probe, isImaginary, low, high, sums: [part(sums.first), part(sums.first + 2)] };
}

function emitTogether(
  code: TileCode,
  layout: TileLayout,
  crossings: readonly Crossing[],
  placeOf: PlaceOfSum,
): void {
  const [{ probe, isImaginary }] = crossings as [Crossing];
  const distance = distanceOf(layout, probe.ancilla);
  const control = layout.place(probe.controls);
  const own = crossings.reduce((mask, { low, high }) => mask | low | high, 0);
  const free = layout.allBytes & ~distance & ~own & ~control.bytes;
  const words = crossings.flatMap(({ low, high, sums: [even, odd] }) => {
    const place = BYTES_PER_SUM * placeOf(even);
    return [low, high, place, odd === even ? place : BYTES_PER_SUM * placeOf(odd)];
  });
  const part = isImaginary ? 1 : 0;
  const shared = [control.bytes, free, distance, part, control.lanes, crossings.length];
  const operands = [...shared, ...words];
  code.emit(OPCODES.crosses, whereOnes(control.outer), operands);
}

/** Emits the sums of one probe, one after the other. */
function emitAlone(
  code: TileCode,
  layout: TileLayout,
  { targets, controls, ancilla, sums: { first, flips } }: ProbeItem,
  placeOf: PlaceOfSum,
): void {
  const distance = distanceOf(layout, ancilla);
  const control = layout.place(controls);
  const placed = targets.map((target) => layout.place(1 << target));
  const all = placed.reduce((mask, { bytes }) => mask | bytes, 0);
  const lanes = placed.reduce((mask, each) => mask | each.lanes, control.lanes);
  const free = layout.allBytes & ~distance & ~all & ~control.bytes;
  const at = (value: number) => {
    let [bytes, inLanes] = [control.bytes, control.lanes];
    for (const [i, each] of placed.entries()) {
      if (((value >> i) & 1) === 0) continue;
      bytes |= each.bytes;
      inLanes |= each.lanes;
    }
    return { bytes, lanes: inLanes };
  };
  for (const [i, { row, column }] of flips.entries()) {
    const [r, c] = [at(row), at(column)];
    const swaps = r.lanes ^ c.lanes;
    const indices = swaps === 0 ? 0 : code.bytes(flippedBytes(code, swaps));
    const sum = BYTES_PER_SUM * placeOf(first + 2 * i);
    placeOf(first + 2 * i + 1);
    const operands = [c.bytes, free, r.bytes, distance, indices, lanes, c.lanes, sum];
    code.emit(OPCODES.cross, whereOnes(control.outer), operands, swaps === 0 ? [] : [4]);
  }
}

/** Byte indices that move each lane to the one that differs from it in `swaps`. */
function flippedBytes({ precision: { lanes, realBytes } }: TileCode, swaps: number) {
  return Array.from({ length: lanes * realBytes }, (_, byte) => byte ^ (swaps * realBytes));
}

/** The distance of λ from ψ in a tile. */
function distanceOf(layout: TileLayout, ancilla: number): number {
  const { bytes } = layout.place(1 << ancilla);
  if (2 * bytes === layout.bytes) return bytes;
  throw new Error('unreachable: the ancilla of a probe is not the highest qubit of the tile');
}

/** A sum of products, by masks of where its qubits are. */
interface ListSum {
  /** Bits of a product's offset in the list. */
  readonly signs: number;
  readonly ones: number;
  readonly laneSigns: number;
  readonly laneOnes: number;
  readonly outerSigns: number;
  readonly outerOnes: number;
  readonly place: number;
}

/** A product takes half of the bytes of an amplitude. */
const PRODUCTS_SHIFT = 1;
const PRODUCT_GROUP_BYTES = GROUP_BYTES >> PRODUCTS_SHIFT;

/** Emits the sums of probes that have no flips. */
export function emitSigns(
  code: TileCode,
  layout: TileLayout,
  probes: readonly ProbeItem[],
  placeOf: PlaceOfSum,
): void {
  const [first] = probes;
  if (first === undefined) return;
  const distance = distanceOf(layout, first.ancilla);
  code.emit(OPCODES.diagonalProducts, EVERY_TILE, [distance]);
  const sums = probes.flatMap((probe) => listSums(layout, probe, placeOf));
  const bytes = distance >> PRODUCTS_SHIFT;
  new Folding(code, bytes).fold(sums, 0, bytes);
}

function listSums(
  layout: TileLayout,
  { targets, controls, sums: { first, signs } }: ProbeItem,
  placeOf: PlaceOfSum,
): readonly ListSum[] {
  const ones = layout.place(controls);
  return signs.map((set, i) => {
    const mask = targets.reduce((all, q, t) => ((set >> t) & 1 ? all | (1 << q) : all), 0);
    const signed = layout.place(mask);
    return {
      signs: signed.bytes >> PRODUCTS_SHIFT,
      ones: ones.bytes >> PRODUCTS_SHIFT,
      laneSigns: signed.lanes,
      laneOnes: ones.lanes,
      outerSigns: signed.outer,
      outerOnes: ones.outer,
      place: BYTES_PER_SUM * placeOf(first + i),
    };
  });
}

class Folding {
  readonly #code: TileCode;
  readonly #bytes: number;

  /** @param bytes - Of the whole list, which lies at 0. Behind it is as much room for folded ones. */
  constructor(code: TileCode, bytes: number) {
    this.#code = code;
    this.#bytes = bytes;
  }

  /** Emits sums of the list of `bytes` at `from`, none of which depends on a bit from `bytes` on. */
  fold(sums: readonly ListSum[], from: number, bytes: number): void {
    const [only] = sums;
    if (only === undefined) return;
    const mask = sums.reduce((all, { signs, ones }) => all | signs | ones, 0);
    if (bytes === PRODUCT_GROUP_BYTES || (sums.length === 1 && mask === 0)) {
      for (const sum of sums) this.#add(sum, from, bytes);
      return;
    }
    const half = bytes / 2;
    const without = (bits: (sum: ListSum) => number) =>
      sums.filter((sum) => (bits(sum) & half) !== 0);
    const differences = without(({ signs }) => signs);
    const upper = without(({ ones }) => ones);
    const rest = sums.filter(({ signs, ones }) => ((signs | ones) & half) === 0);
    this.fold(
      upper.map((sum) => ({ ...sum, ones: sum.ones & ~half })),
      from + half,
      half,
    );
    // One folded list of each length is needed at a time.
    const to = 2 * this.#bytes - bytes;
    if (differences.length > 0) {
      this.#code.emit(OPCODES.fold, EVERY_TILE, [from, to, half, 1]);
      this.fold(
        differences.map((sum) => ({ ...sum, signs: sum.signs & ~half })),
        to,
        half,
      );
    }
    if (rest.length > 0) {
      this.#code.emit(OPCODES.fold, EVERY_TILE, [from, to, half, 0]);
      this.fold(rest, to, half);
    }
  }

  #add(sum: ListSum, from: number, bytes: number): void {
    const { laneOnes, laneSigns, outerSigns, outerOnes, place } = sum;
    const operands = [from, bytes, laneOnes, laneSigns, outerSigns, place];
    this.#code.emit(OPCODES.addList, whereOnes(outerOnes), operands);
  }
}
