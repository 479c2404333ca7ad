/** Emits rotations of pairs of qubits, as many in one trip through the tile as registers allow. */
import { negated, type Real } from '../complex.ts';
import type { PairRotationItem } from '../work-items.ts';
import { acting, lanesWith } from './emit-moves.ts';
import { OPCODES, type TileCode } from './tile-code.ts';
import { type TileLayout, whereOnes } from './tile-layout.ts';

/** Pairs that go together in one trip through the tile. */
const MAX_TOGETHER = 3;

/** Emits rotations of distinct pairs, none of which another one reads. */
export function emitPairRotations(
  code: TileCode,
  layout: TileLayout,
  items: readonly PairRotationItem[],
): void {
  const alike = new Map<string, PairRotationItem[]>();
  for (const item of items) {
    if (layout.place(item.moved).lanes !== 0) {
      emitLanePair(code, layout, item);
      continue;
    }
    const key = `${item.read} ${item.isImaginary}`;
    const same = alike.get(key);
    if (same === undefined) alike.set(key, [item]);
    else same.push(item);
  }
  for (const group of alike.values()) {
    for (let i = 0; i < group.length; i += MAX_TOGETHER) {
      emitTogether(code, layout, group.slice(i, i + MAX_TOGETHER));
    }
  }
}

/** Emits pairs above the lanes with the same controls. */
function emitTogether(
  code: TileCode,
  layout: TileLayout,
  items: readonly PairRotationItem[],
): void {
  const [{ read, isImaginary }] = items as [PairRotationItem];
  const { outer, bytes, lanes } = layout.place(read);
  const acts = lanesWith(code, lanes);
  const moved = items.reduce((mask, item) => mask | layout.place(item.moved).bytes, 0);
  const tangents = items.flatMap(({ even, odd }) => [even, odd]);
  const at = code.vectors(tangents.map((t) => acting(code, acts, t, 0)));
  const distances = items.flatMap(({ targets }) =>
    targets.map((target) => layout.place(1 << target).bytes),
  );
  const free = layout.allBytes & ~bytes & ~moved;
  const rotating = tangents.reduce<number>((mask, t, i) => (t === 0 ? mask : mask | (1 << i)), 0);
  const operands = [bytes, free, items.length, isImaginary ? 1 : 0, rotating, at, ...distances];
  code.emit(OPCODES.rotatePairs, whereOnes(outer), operands, [5]);
}

/** Emits a pair with at least one qubit in the lanes. */
function emitLanePair(
  code: TileCode,
  layout: TileLayout,
  { read, moved, targets, even, odd, isImaginary }: PairRotationItem,
): void {
  const { outer, bytes: controlBytes, lanes: controlLanes } = layout.place(read);
  const acts = lanesWith(code, controlLanes);
  const { bytes: distance, lanes } = layout.place(moved);
  const [low, high] = targets.map((target) => layout.place(1 << target).lanes);
  /** For the groups in which the qubit above the lanes is `group`, factors of partners by lane. */
  const factors = (group: 0 | 1, isImagPart: boolean) =>
    Array.from({ length: code.precision.lanes }, (_, lane): Real => {
      if (((acts >> lane) & 1) === 0) return 0;
      const bitOf = (mask: number) => (mask === 0 ? group : (lane & mask) === 0 ? 0 : 1);
      const t = bitOf(low!) === bitOf(high!) ? even : odd;
      const isPositive = isImaginary ? isImagPart : bitOf(high!) === 1;
      return isPositive ? t : negated(t);
    });
  const at = code.vectors(
    ([0, 1] as const).flatMap((group) => [factors(group, false), factors(group, true)]),
  );
  const free = layout.allBytes & ~controlBytes & ~distance;
  const operands = [controlBytes, free, lanes, isImaginary ? 1 : 0, distance, at];
  code.emit(OPCODES.rotateLanePair, whereOnes(outer), operands, [5]);
}
