/**
 * Compiles a sweep into instructions for its tiles.
 *
 * Diagonals are deferred until an item comes that they do not commute with. Until then they merge
 * into one polynomial, which later sweeps may take over. Rotations are done as many at a time as
 * are ready.
 */
import type { Sweep } from '../../compiler/program.ts';
import { type Complex, imaginaryPart, isPhase, type Real, realPart } from '../complex.ts';
import type { Growth } from '../growth.ts';
import type { MatrixPool } from '../matrix-pool.ts';
import { PhasePolynomial } from '../phase-polynomial.ts';
import {
  addItems,
  type Item,
  type MovingItem,
  type PairRotationItem,
  ReadyItems,
  type RotationItem,
} from '../work-items.ts';
import { emitMap } from './emit-maps.ts';
import { emitDense, emitLaneExchange, emitPermutation, emitRotations } from './emit-moves.ts';
import { emitPairRotations } from './emit-pairs.ts';
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
  readonly growth: Growth;
  readonly tables: TableRequest[];
  /** Diagonals that are still to be applied. */
  pending: PhasePolynomial;
  /** Growth at which scales are applied. */
  readonly maxGrowth: number;
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
 * Growth of the state at which the scales of the rotations are applied: the state must not
 * overflow.
 */
export const MAX_GROWTH = {
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
 * @param mayDefer - Whether what is pending at its end may be left to the next sweep.
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
  // The store applies the scalar. Other factors that are not phases balance the growth of
  // controlled rotations, which must not accumulate over sweeps.
  const isDue = (mask: number, phase: Complex) => !mayDefer || mask === 0 || !isPhase(phase);
  flush(context, layout, context.pending.take(isDue));
  context.growth.restart();
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
    if (context.growth.now > context.maxGrowth) {
      applyScales(context, layout);
      context.growth.restart();
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
      context.growth.add(item);
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

/** Applies what stands in the way of items that are ready, and more where that costs little. */
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
  // Where a trip through the tile is due, it takes the phases along.
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
