/**
 * Compiles a sweep into instructions for its tiles.
 *
 * Diagonals are deferred until an item comes that they do not commute with. Until then they merge
 * into one polynomial, which later sweeps may take over. Rotations are done as many at a time as
 * are ready.
 */
import type { Sweep } from '../../compiler/program.ts';
import { type Complex, imaginaryPart, isPhase, negated, type Real, realPart } from '../complex.ts';
import type { Gain } from '../gain.ts';
import type { MatrixPool } from '../matrix-pool.ts';
import { PhasePolynomial } from '../phase-polynomial.ts';
import {
  addItems,
  type Item,
  type MapItem,
  type MovingItem,
  type PairRotationItem,
  ReadyItems,
  type RotationItem,
} from '../work-items.ts';
import {
  acting,
  emitDense,
  emitLaneExchange,
  emitPermutation,
  emitRotations,
  lanesWith,
  withoutLanes,
} from './emit-moves.ts';
import { emitPhases, phasesCost, type TableRequest } from './emit-phases.ts';
import { emitFlips, emitSigns, type PlaceOfSum } from './emit-probes.ts';
import { GROUP_SHIFT } from './precision.ts';
import {
  type CodeRange,
  type ConstantAddress,
  EVERY_TILE,
  OPCODES,
  type TileCode,
} from './tile-code.ts';
import { TileLayout, whereOnes } from './tile-layout.ts';

/** Data that all sweeps of a program share while they are compiled. */
export interface LoweringContext {
  readonly code: TileCode;
  readonly pool: MatrixPool;
  readonly gain: Gain;
  readonly tables: TableRequest[];
  /** Diagonals that are still to be applied. */
  pending: PhasePolynomial;
  /** Gain at which scales are applied. */
  readonly maxGain: number;
  /** Whether products of two amplitudes are summed up. */
  readonly hasProbes: boolean;
}

/** A sweep's code and the shape of its tiles. */
export interface LoweredSweep {
  readonly layout: TileLayout;
  /** At least one part; each is a trip of the state through memory. */
  readonly parts: readonly CodeRange[];
  /** Byte offset in the tile of each stored group, as words; absent if no group moves. */
  readonly sources?: ConstantAddress;
  /** Numbers, among the program's, of the sums that a tile gives, in order. */
  readonly sums: readonly number[];
}

/**
 * Gain at which the scales of the rotations are applied: the state must not
 * overflow.
 */
export const MAX_GAIN = {
  amplitudes: { f32: 2 ** 40, f64: 2 ** 300 },
  products: { f32: 2 ** 24, f64: 2 ** 150 },
};

/**
 * Words of code after which a sweep is split. A tile then takes some 5 ms, and a run can be
 * cancelled between two parts, at the cost of one more trip through memory.
 */
const MAX_PART_WORDS = 8192;

/**
 * All pending diagonals are applied with those that are due if that costs at most this much more.
 */
const WORTH_TAKING_ALONG = 0.4;

/**
 * Lowers a sweep.
 *
 * @param resident - The sweep's own and as many more as the tile has room for.
 * @param mayDefer - Whether diagonals pending at its end may be left to the next sweep.
 */
export function lowerSweep(
  context: LoweringContext,
  sweep: Sweep,
  resident: readonly number[],
  mayDefer: boolean,
): LoweredSweep {
  const { code } = context;
  const parts: CodeRange[] = [];
  let begin = code.position;
  const cut = () => {
    parts.push({ begin, end: code.position });
    begin = code.position;
  };
  const layout = new TileLayout(resident, code.precision);
  const items: Item[] = [];
  for (const kernel of sweep.kernels) {
    addItems(kernel, context.pool, code.precision, items);
  }
  const sums: number[] = [];
  emitItems(context, layout, items, sums, () => {
    if (code.position - begin > MAX_PART_WORDS) cut();
  });
  // The store applies the scalar. Other factors that are not phases balance the gain of
  // controlled rotations, which must not accumulate over sweeps.
  const isDue = (mask: number, phase: Complex) => !mayDefer || mask === 0 || !isPhase(phase);
  flush(context, layout, context.pending.take(isDue));
  context.gain.restart();
  const sources = emitStore(context, layout, sweep);
  cut();
  return { layout, parts, sums, ...(sources !== undefined && { sources }) };
}

/** @param onEmitted - Called wherever a part may end. */
function emitItems(
  context: LoweringContext,
  layout: TileLayout,
  items: readonly Item[],
  sums: number[],
  onEmitted: () => void,
): void {
  const ready = new ReadyItems(items);
  const placeOf = (sum: number) => sums.push(sum) - 1;
  /** Probes without flips wait until nothing else is ready, so that many are evaluated together. */
  const evaluate = () => {
    applyAllScales(context, layout);
    emitSigns(context.code, layout, ready.probes, placeOf);
    for (const probe of ready.probes.splice(0)) ready.done(probe);
    onEmitted();
  };
  while (!ready.isEmpty) {
    for (let item = ready.diagonals.pop(); item !== undefined; item = ready.diagonals.pop()) {
      for (const { mask, phase } of item.monomials) context.pending.multiply(mask, phase);
      ready.done(item);
    }
    if (context.gain.now > context.maxGain) {
      applyScales(context, layout);
      context.gain.restart();
    }
    if (ready.moving.length === 0) {
      if (ready.probes.length > 0) evaluate();
      continue;
    }
    const free = ready.moving.filter((item) => (item.moved & context.pending.qubits) === 0);
    if (free.length === 0) {
      if (ready.probes.length > 0) {
        evaluate();
        continue;
      }
      flushFor(context, layout, ready.moving);
      continue;
    }
    ready.moving = ready.moving.filter((item) => !free.includes(item));
    emitMoves(context, layout, free, placeOf);
    for (const item of free) {
      context.gain.add(item);
      ready.done(item);
    }
    onEmitted();
  }
}

function emitMoves(
  context: LoweringContext,
  layout: TileLayout,
  items: readonly MovingItem[],
  placeOf: PlaceOfSum,
): void {
  const rotations: RotationItem[] = [];
  const pairs: PairRotationItem[] = [];
  // First, because the scales of what is emitted with them are not pending yet.
  const probes = items.filter((item) => item.kind === 'probe');
  if (probes.length > 0) applyAllScales(context, layout);
  emitFlips(context.code, layout, probes, placeOf);
  for (const item of items) {
    switch (item.kind) {
      case 'probe':
        break;
      case 'rotation':
        rotations.push(item);
        break;
      case 'pair rotation':
        pairs.push(item);
        break;
      case 'permutation':
        emitPermutation(context.code, layout, item);
        break;
      case 'dense':
        emitDense(context.code, layout, item, context.pool);
        break;
      case 'map':
        emitMap(context.code, layout, item);
        context.pending.multiply(0, { re: item.rest, im: 0 });
        break;
    }
  }
  emitRotations(context.code, layout, rotations);
  emitPairRotations(context.code, layout, pairs);
}

/** Applies pending scales that block ready items, and others where that costs little. */
function flushFor(
  context: LoweringContext,
  layout: TileLayout,
  blocked: readonly MovingItem[],
): void {
  const moved = blocked.reduce((mask, item) => mask | item.moved, 0);
  const isDue = (mask: number) => (mask & moved) !== 0;
  const due = context.pending.take(isDue);
  const isWorthwhile = () => {
    const all = new PhasePolynomial();
    for (const [mask, phase] of due) all.multiply(mask, phase);
    for (const [mask, phase] of context.pending) all.multiply(mask, phase);
    return phasesCost(context.code, layout, all) <=
      phasesCost(context.code, layout, due) + WORTH_TAKING_ALONG
      ? all
      : undefined;
  };
  // The store would apply factors of whole tiles, and the tile would keep growing until then.
  const ofTiles = context.pending.take(
    (mask, phase) => (mask & layout.residentMask) === 0 && !isPhase(phase),
  );
  const all = context.pending.isEmpty ? undefined : isWorthwhile();
  if (all !== undefined) context.pending = new PhasePolynomial();
  for (const [mask, phase] of ofTiles) context.pending.multiply(mask, phase);
  flush(context, layout, all ?? due);
}

function flush(context: LoweringContext, layout: TileLayout, phases: PhasePolynomial): void {
  emitPhases(context.code, layout, phases, context.tables);
}

/**
 * Applies all factors that are not phases; those of whole tiles when these are stored or settled, which sums take into
 * account. Phases that are pending change no product of ψ with λ.
 */
function applyAllScales(context: LoweringContext, layout: TileLayout): void {
  const { pending } = context;
  const isInTile = (mask: number, phase: Complex) =>
    (mask & layout.residentMask) !== 0 && !isPhase(phase);
  // If a pass through the tile is due, it applies the phases too.
  const takesAll = [...pending].some(([mask, phase]) => isInTile(mask, phase));
  flush(
    context,
    layout,
    pending.take((_, phase) => takesAll || !isPhase(phase)),
  );
}

/** Applies the scales of the rotations so far, at once. */
function applyScales(context: LoweringContext, layout: TileLayout): void {
  const { code, hasProbes } = context;
  const scales = context.pending.take((mask, phase) => mask === 0 || !isPhase(phase));
  if (hasProbes) {
    flush(context, layout, scales);
    // Probes have left factors of whole tiles to the store.
    code.emit(OPCODES.settle, EVERY_TILE, []);
    return;
  }
  // Factors of whole tiles are applied here, too, instead of by the store.
  const ofTiles = scales.take((mask) => (mask & layout.residentMask) === 0);
  for (const [mask, phase] of ofTiles) {
    const { lanes } = code.precision;
    const parts = [realPart(phase), imaginaryPart(phase)];
    const at = code.vectors(parts.map((part) => Array<Real>(lanes).fill(part)));
    code.emit(OPCODES.multiply, whereOnes(mask), [0, layout.allBytes, at], [2]);
  }
  flush(context, layout, scales);
}

/**
 * Prepares the store of a sweep that moves its qubits: lanes by shuffles in the tile, the rest by
 * where stored groups are taken from.
 */
function emitStore(
  { code }: LoweringContext,
  layout: TileLayout,
  { resident, store }: Sweep,
): ConstantAddress | undefined {
  if (store === undefined) return undefined;
  // from[b] is the tile bit whose qubit moves to tile bit b.
  const from = layout.resident.map((_, bit) => bit);
  for (const [i, qubit] of resident.entries()) {
    from[layout.tileBit(store[i]!)] = layout.tileBit(qubit);
  }
  const { laneQubits } = code.precision;
  for (let lane = 0; lane < laneQubits; lane++) {
    const source = from[lane]!;
    if (source === lane) continue;
    if (source < laneQubits) emitLaneSwap(code, layout);
    else emitLaneExchange(code, layout, lane, source);
    // The two have changed places, so each is found in the other.
    for (const [bit, tileBit] of from.entries()) {
      if (tileBit === source) from[bit] = lane;
      else if (tileBit === lane) from[bit] = source;
    }
  }
  if (from.every((source, bit) => source === bit)) return undefined;
  const numGroups = layout.bytes >> GROUP_SHIFT;
  const sources = new Uint32Array(numGroups);
  for (let group = 1; group < numGroups; group++) {
    const lowest = 31 - Math.clz32(group & -group);
    const stride = layout.stride(from[lowest + laneQubits]!);
    sources[group] = sources[group & (group - 1)]! | stride;
  }
  return code.words(sources);
}

/** Emits a swap of the two lane qubits of single precision. */
function emitLaneSwap(code: TileCode, layout: TileLayout): void {
  const indices = [0, 2, 1, 3].flatMap((lane) => [0, 1, 2, 3].map((byte) => 4 * lane + byte));
  code.emit(OPCODES.permuteLanes, EVERY_TILE, [0, layout.allBytes, code.bytes(indices)], [2]);
}

/** Emits a map but for its number for all values. */
function emitMap(code: TileCode, layout: TileLayout, item: MapItem): void {
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
  // The instruction does two rows at a time: an odd number is padded with an unused row, which does not change.
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

/** Pairs that go together in one trip through the tile. */
const MAX_TOGETHER = 3;

/** Emits rotations of distinct pairs, none of which another one reads. */
function emitPairRotations(
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
