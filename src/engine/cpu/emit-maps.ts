/** Emits linear maps: small matrices on some of the values of their targets. */
import type { MapItem } from '../work-items.ts';
import { acting, lanesWith, withoutLanes } from './emit-moves.ts';
import { OPCODES, type TileCode } from './tile-code.ts';
import { type TileLayout, whereOnes } from './tile-layout.ts';

/** Emits a map but for its number for all values. */
export function emitMap(code: TileCode, layout: TileLayout, item: MapItem): void {
  const bits = item.targets.map((target) => layout.tileBit(target));
  withoutLanes(code, layout, bits, (moved) => {
    const strides = moved.map((bit) => layout.stride(bit));
    const offsetOf = (row: number) =>
      strides.reduce((sum, stride, i) => sum + ((row >> i) & 1 ? stride : 0), 0);
    const free = strides.reduce((mask, stride) => mask & ~stride, layout.allBytes);
    if (isDiagonal(item)) emitFactors(code, item, offsetOf, free);
    else if (isSmallAndReal(item)) emitMix(code, item, offsetOf, free);
    else emitBlock(code, item, offsetOf, free);
  });
}

function isDiagonal({ rows, entries }: MapItem): boolean {
  const size = rows.length;
  return entries.every((x, i) => x === 0 || (i >> 1) % (size + 1) === 0);
}

/** Whether an instruction for real matrices of its size exists. */
function isSmallAndReal({ rows, entries }: MapItem): boolean {
  return (
    (rows.length === 2 || rows.length === 4) && entries.every((x, i) => i % 2 === 0 || x === 0)
  );
}

function emitMix(
  code: TileCode,
  { rows, entries }: MapItem,
  offsetOf: (row: number) => number,
  free: number,
): void {
  const all = lanesWith(code, 0);
  const reals = [...entries].filter((_, i) => i % 2 === 0);
  const at = code.vectors(reals.map((entry) => acting(code, all, entry, 0)));
  const opcode = rows.length === 2 ? OPCODES.mix2 : OPCODES.mix4;
  code.emit(opcode, whereOnes(0), [0, free, at, ...rows.map(offsetOf)], [2]);
}

/** Multiplies the values of a diagonal map, each by its own number. */
function emitFactors(
  code: TileCode,
  { rows, entries }: MapItem,
  offsetOf: (row: number) => number,
  free: number,
): void {
  const all = lanesWith(code, 0);
  for (const [i, row] of rows.entries()) {
    const at = 2 * i * (rows.length + 1);
    const factor = [entries[at]!, entries[at + 1]!].map((part) => acting(code, all, part, 0));
    code.emit(OPCODES.multiply, whereOnes(0), [offsetOf(row), free, code.vectors(factor)], [2]);
  }
}

function emitBlock(
  code: TileCode,
  { targets, rows, entries }: MapItem,
  offsetOf: (row: number) => number,
  free: number,
): void {
  const size = rows.length;
  const isEven = size % 2 === 0;
  // The instruction does two rows at a time: an odd number is filled up with one that stays as it is.
  const spare = Array.from({ length: 2 ** targets.length }, (_, row) => row).find(
    (row) => !rows.includes(row),
  );
  const all = isEven || spare === undefined ? rows : [...rows, spare];
  const padded = all.length;
  const matrix = new Float64Array(2 * padded * padded);
  for (let row = 0; row < size; row++) {
    matrix.set(entries.subarray(2 * row * size, 2 * (row + 1) * size), 2 * row * padded);
  }
  if (padded > size) matrix[2 * (padded * padded - 1)] = 1;
  const operands = [
    ...[0, free, padded, code.words(all.map(offsetOf))],
    ...[code.reals(matrix), code.laneSelection(lanesWith(code, 0))],
  ];
  code.emit(OPCODES.dense, whereOnes(0), operands, [3, 4, 5]);
}
