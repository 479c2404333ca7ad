/**
 * Emits the instructions that move amplitudes in a tile: rotations, permutations and dense blocks.
 *
 * Qubits inside a group of lanes are reached by shuffles. If a block mixes lanes and groups in a
 * way that no shuffle does, its lane qubits temporarily change places with other qubits of the
 * tile.
 */

import { negated, type Real } from '../complex.ts';
import { type MatrixPool, realsAt } from '../matrix-pool.ts';
import type { DenseItem, PermutationItem, RotationItem } from '../work-items.ts';
import { OPCODES, type TileCode } from './tile-code.ts';
import { type Placed, type TileLayout, whereOnes } from './tile-layout.ts';

/** Rotations that go together in one trip through the tile. */
const MAX_TOGETHER = 3;

/** Emits rotations of distinct qubits, none of which controls another. */
export function emitRotations(
  code: TileCode,
  layout: TileLayout,
  rotations: readonly RotationItem[],
): void {
  const byControls = new Map<number, RotationItem[]>();
  for (const item of rotations) {
    const same = byControls.get(item.read);
    if (same === undefined) byControls.set(item.read, [item]);
    else same.push(item);
  }
  for (const [controls, items] of byControls) emitAlike(code, layout, controls, items);
}

function emitAlike(
  code: TileCode,
  layout: TileLayout,
  controls: number,
  items: readonly RotationItem[],
): void {
  const { outer, bytes: controlBytes, lanes: controlLanes } = layout.place(controls);
  const inTiles = whereOnes(outer);
  const acts = lanesWith(code, controlLanes);
  const placed = items.map(({ moved, t }) => ({ ...layout.place(moved), t }));
  const allFree = layout.allBytes & ~controlBytes;

  const inLanes = placed.filter(({ lanes }) => lanes !== 0);
  const inGroups = placed.filter(({ lanes }) => lanes === 0).sort((a, b) => a.bytes - b.bytes);
  const vectorOf = ({ t }: { readonly t: Real }) => acting(code, acts, t, 0);
  const freeOf = (together: readonly Placed[]) =>
    together.reduce((mask, { bytes }) => mask & ~bytes, allFree);
  if (inLanes.length > 0) {
    // Those that would be left over go with the lanes.
    const together = inGroups.splice(0, inGroups.length % MAX_TOGETHER);
    const none = acting(code, 0, 0, 0);
    const ofLanes = [1, 2].map((mask) => {
      const item = inLanes.find(({ lanes }) => lanes === mask);
      return item === undefined ? none : signed(code, item, acts);
    });
    const [first = none, second = none] = together.map(vectorOf);
    const at = code.vectors([...ofLanes, first, second]);
    const lanes = inLanes.reduce((mask, item) => mask | item.lanes, 0);
    const [d1 = 0, d2 = 0] = together.map(({ bytes }) => bytes);
    const operands = [controlBytes, freeOf(together), lanes, together.length, d1, d2, at];
    code.emit(OPCODES.rotateLanes, inTiles, operands, [6]);
  }
  for (let i = 0; i < inGroups.length; i += MAX_TOGETHER) {
    const together = inGroups.slice(i, i + MAX_TOGETHER);
    const at = code.vectors(together.map(vectorOf));
    const operands = [controlBytes, freeOf(together), ...together.map(({ bytes }) => bytes), at];
    const opcode = [OPCODES.rotate1, OPCODES.rotate2, OPCODES.rotate3][together.length - 1]!;
    code.emit(opcode, inTiles, operands, [operands.length - 1]);
  }
}

/** One value for the lanes that act, another one for the rest. */
export function acting(code: TileCode, acts: number, value: Real, other: Real): readonly Real[] {
  const lanes: Real[] = [];
  for (let lane = 0; lane < code.precision.lanes; lane++) {
    lanes.push((acts >> lane) & 1 ? value : other);
  }
  return lanes;
}

/** ∓t for the lanes in which the qubit is 0 and 1, nothing where the controls do not hold. */
function signed(
  code: TileCode,
  { lanes, t }: { readonly lanes: number; readonly t: Real },
  acts: number,
): readonly Real[] {
  return acting(code, acts, t, 0).map((x, lane) => ((lane & lanes) === 0 ? negated(x) : x));
}

/** The lanes whose numbers have all of the bits of `lanes`, and of `mask` those of `value`; a bit each. */
export function lanesWith(code: TileCode, lanes: number, mask = 0, value = 0): number {
  let selected = 0;
  for (let lane = 0; lane < code.precision.lanes; lane++) {
    if ((lane & lanes) === lanes && (lane & mask) === value) selected |= 1 << lane;
  }
  return selected;
}

/** Emits a permutation of basis states. */
export function emitPermutation(code: TileCode, layout: TileLayout, item: PermutationItem): void {
  const { laneQubits } = code.precision;
  const bits = item.targets.map((target) => layout.tileBit(target));
  const laneBits = bits.map((bit, i) => ({ bit, i })).filter(({ bit }) => bit < laneQubits);
  const changed = item.rows.reduce((mask, row, j) => mask | (row ^ j), 0);
  const inLanes = laneBits.reduce((mask, { i }) => mask | (1 << i), 0);
  if ((changed & inLanes) === 0) {
    emitGroupMoves(code, layout, layout.place(item.read), item.rows, bits, inLanes);
  } else if ((changed & ~inLanes) === 0) {
    emitLaneMoves(code, layout, item, bits, inLanes);
  } else {
    withoutLanes(code, layout, bits, (moved, place) => {
      emitGroupMoves(code, layout, place(item.read), item.rows, moved, 0);
    });
  }
}

/** Emits the moves of whole groups: for each value of the lane targets, a cycle of groups. */
function emitGroupMoves(
  code: TileCode,
  layout: TileLayout,
  { outer, bytes, lanes }: Placed,
  rows: readonly number[],
  bits: readonly number[],
  inLanes: number,
): void {
  const strides = bits.map((bit, i) => ((inLanes >> i) & 1 ? 0 : layout.stride(bit)));
  const offset = (j: number) =>
    strides.reduce((sum, stride, i) => sum + ((j >> i) & 1 ? stride : 0), bytes);
  const free = strides.reduce((mask, stride) => mask & ~stride, layout.allBytes & ~bytes);
  const allLanes = lanes === 0 && inLanes === 0;
  for (const cycle of cyclesOf(rows)) {
    const value = cycle[0]! & inLanes;
    const laneValue = bits.reduce((sum, bit, i) => ((value >> i) & 1 ? sum | (1 << bit) : sum), 0);
    const laneMask = bits.reduce((sum, bit, i) => ((inLanes >> i) & 1 ? sum | (1 << bit) : sum), 0);
    if (allLanes && cycle.length > 2) {
      const operands = [0, free, cycle.length, ...cycle.map(offset)];
      code.emit(OPCODES.cycle, whereOnes(outer), operands);
      continue;
    }
    const at = code.laneSelection(lanesWith(code, lanes, laneMask, laneValue));
    // (first → second → … → last → first) as exchanges with the first.
    for (const row of cycle.slice(1)) {
      const operands = [offset(cycle[0]!), free, offset(row), at];
      code.emit(OPCODES.exchange, whereOnes(outer), operands, [3]);
    }
  }
}

/** The cycles of two and more, each from its lowest element. */
function cyclesOf(rows: readonly number[]): readonly (readonly number[])[] {
  const cycles: number[][] = [];
  const seen = new Set<number>();
  for (const [first, row] of rows.entries()) {
    if (row === first || seen.has(first)) continue;
    const cycle = [first];
    for (let next = row; next !== first; next = rows[next]!) cycle.push(next);
    for (const member of cycle) seen.add(member);
    cycles.push(cycle);
  }
  return cycles;
}

/** Emits the moves inside groups: for each value of the other targets, a shuffle of lanes. */
function emitLaneMoves(
  code: TileCode,
  layout: TileLayout,
  { read, rows }: PermutationItem,
  bits: readonly number[],
  inLanes: number,
): void {
  const { lanes: numLanes, realBytes } = code.precision;
  const { outer, bytes, lanes: controlLanes } = layout.place(read);
  const size = 2 ** bits.length;
  for (let value = 0; value < size; value++) {
    if (value & inLanes) continue;
    const sources = Array.from({ length: numLanes }, (_, lane) => lane);
    for (let lane = 0; lane < numLanes; lane++) {
      if ((lane & controlLanes) !== controlLanes) continue;
      const j = bits.reduce((sum, bit, i) => {
        const isSet = (inLanes >> i) & 1 ? (lane >> bit) & 1 : (value >> i) & 1;
        return isSet ? sum | (1 << i) : sum;
      }, 0);
      const row = rows[j]!;
      const to = bits.reduce((sum, bit, i) => {
        if (((inLanes >> i) & 1) === 0) return sum;
        return (row >> i) & 1 ? sum | (1 << bit) : sum & ~(1 << bit);
      }, lane);
      sources[to] = lane;
    }
    if (sources.every((source, lane) => source === lane)) continue;
    const indices = sources.flatMap((source) =>
      Array.from({ length: realBytes }, (_, byte) => source * realBytes + byte),
    );
    const strides = bits.map((bit, i) => ((inLanes >> i) & 1 ? 0 : layout.stride(bit)));
    const first = strides.reduce((sum, s, i) => sum + ((value >> i) & 1 ? s : 0), bytes);
    const free = strides.reduce((mask, s) => mask & ~s, layout.allBytes & ~bytes);
    code.emit(OPCODES.permuteLanes, whereOnes(outer), [first, free, code.bytes(indices)], [2]);
  }
}

/** Emits a general block. */
export function emitDense(
  code: TileCode,
  layout: TileLayout,
  { targets, read, offset }: DenseItem,
  pool: MatrixPool,
): void {
  const size = 2 ** targets.length;
  const matrix = code.reals(realsAt(pool, offset, size * size));
  const bits = targets.map((target) => layout.tileBit(target));
  withoutLanes(code, layout, bits, (moved, place) => {
    const { outer, bytes, lanes } = place(read);
    const strides = moved.map((bit) => layout.stride(bit));
    const offsets = Array.from({ length: size }, (_, j) =>
      strides.reduce((sum, stride, i) => sum + ((j >> i) & 1 ? stride : 0), 0),
    );
    const free = strides.reduce((mask, stride) => mask & ~stride, layout.allBytes & ~bytes);
    const selected = code.laneSelection(lanesWith(code, lanes));
    const operands = [bytes, free, size, code.words(offsets), matrix, selected];
    code.emit(OPCODES.dense, whereOnes(outer), operands, [3, 4, 5]);
  });
}

/**
 * Calls `emit` with tile bits above the lanes only: before, each target in a lane changes places
 * with a bit that is no target; afterwards they change back. `place` maps a mask to the places in
 * between.
 */
export function withoutLanes(
  code: TileCode,
  layout: TileLayout,
  bits: readonly number[],
  emit: (bits: readonly number[], place: (mask: number) => Placed) => void,
): void {
  const { laneQubits } = code.precision;
  const spare: number[] = [];
  for (let bit = layout.numQubits - 1; bit >= laneQubits; bit--) {
    if (!bits.includes(bit)) spare.push(bit);
  }
  const exchanges = new Map<number, number>();
  for (const bit of bits) {
    if (bit >= laneQubits) continue;
    const other = spare.pop();
    if (other === undefined) throw new Error('unreachable: a tile without room for a dense block');
    exchanges.set(bit, other);
  }
  const emitExchanges = () => {
    for (const [lane, other] of exchanges) emitLaneExchange(code, layout, lane, other);
  };
  const partners = new Map([...exchanges, ...[...exchanges].map(([a, b]) => [b, a] as const)]);
  emitExchanges();
  emit(
    bits.map((bit) => exchanges.get(bit) ?? bit),
    (mask) => layout.place(exchangedMask(layout, mask, partners)),
  );
  emitExchanges();
}

/** The mask with qubits in the place of those that they have changed places with. */
function exchangedMask(
  layout: TileLayout,
  mask: number,
  partners: ReadonlyMap<number, number>,
): number {
  let moved = mask & ~layout.residentMask;
  for (const [bit, qubit] of layout.resident.entries()) {
    if ((mask >> qubit) & 1) moved |= 1 << layout.resident[partners.get(bit) ?? bit]!;
  }
  return moved;
}

/** Emits an exchange of a lane qubit with another bit of the tile. */
export function emitLaneExchange(
  code: TileCode,
  layout: TileLayout,
  lane: number,
  other: number,
): void {
  const d = layout.stride(other);
  code.emit(OPCODES.exchangeLane, whereOnes(0), [0, layout.allBytes & ~d, d, lane]);
}
