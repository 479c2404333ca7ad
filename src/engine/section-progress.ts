/**
 * Progress of shots through a section of gates and noise (`NoiseSection`), and the sites where they jump.
 *
 * A shot draws a threshold u in [0, 1) when it enters the section, and a new one after each jump. Its survival S is the
 * probability that no jump has happened since then; it never increases. The shot jumps at the first site after which
 * S ≤ u, which has the probability of a jump there.
 */
import { uniformDraw } from '../math/philox.ts';
import { conditionHolds } from './classical-bits.ts';
import type { SectionStep } from './run-plan.ts';
import type { ShotGroup } from './state-operations.ts';
import { UNITS_PER_DRAW } from './terminal-measurement.ts';
import { type TimeSlicer, UNITS_PER_CHUNK } from './time-slicer.ts';

/** Shots in the order in which they jump. */
export interface OrderedShots {
  readonly numbers: Uint32Array;
  /**
   * Ascending, one a shot: where survivals are known beforehand, the site of the next jump, which is the number of
   * elements if there is none; else 1 − u.
   */
  readonly keys: Float64Array;
}

/** Progress of a branch through a section of gates and noise. */
export interface SectionProgress {
  readonly sites: SiteOdds;
  shots: OrderedShots;
  /** Number of elements passed. */
  element: number;
  /** Survival since the last jump, up to that element. */
  survival: number;
  /** ‖ψ‖²; undefined until it is needed. */
  norm: number | undefined;
  /** All shots jump before this many elements are passed; undefined if it is not known that they jump. */
  limit: number | undefined;
  /** Jumps so far. */
  numJumps: number;
  /** Set while all shots are about to jump at the site of the next element. */
  isJumping: boolean;
  /** The jump of each shot, ascending, once it is chosen; the gates before the site have then been applied. */
  choices: Uint16Array | undefined;
}

/** Sum that stands for a site at which every shot jumps; exp(−1000) is 0. */
const CERTAIN = 1000;

/** The odds at the sites of a section, for shots with the same bits. */
export interface SiteOdds {
  readonly numElements: number;
  /** Whether no survival depends on the state. */
  readonly isKnown: boolean;
  /** Sums of −log of the known survivals before each element; length numElements + 1. */
  readonly decay: Float64Array;
  /** Number of sites before each element whose survival depends on the state. */
  readonly numUnknown: Uint32Array;
  /** Sums of the hazards before each element. */
  readonly hazards: Float64Array;
}

/** Computes the odds; a site whose condition does not hold does nothing. */
export function siteOdds({ section: { sites } }: SectionStep, bits: Uint32Array): SiteOdds {
  const numElements = sites.length + 1;
  const decay = new Float64Array(numElements + 1);
  const hazards = new Float64Array(numElements + 1);
  const numUnknown = new Uint32Array(numElements + 1);
  for (const [i, { condition, survival, hazard }] of sites.entries()) {
    const acts = conditionHolds(condition, bits);
    const known = acts && survival !== undefined ? Math.min(CERTAIN, -Math.log(survival)) : 0;
    decay[i + 1] = decay[i]! + known;
    hazards[i + 1] = hazards[i]! + (acts ? (survival === 0 ? CERTAIN : hazard) : 0);
    numUnknown[i + 1] = numUnknown[i]! + (acts && survival === undefined ? 1 : 0);
  }
  decay[numElements] = decay[numElements - 1]!;
  hazards[numElements] = hazards[numElements - 1]!;
  numUnknown[numElements] = numUnknown[numElements - 1]!;
  return { numElements, isKnown: numUnknown[numElements] === 0, decay, numUnknown, hazards };
}

/** Numbers that a shot's draws depend on. */
export interface DrawSource {
  readonly seed: number;
  readonly event: number;
  readonly rounds: number;
}

/** Draws the next threshold of every shot and orders the shots by it. */
export async function drawThresholds(
  { count, numbers }: ShotGroup,
  sites: SiteOdds,
  element: number,
  numJumps: number,
  source: DrawSource,
  slicer: TimeSlicer,
): Promise<OrderedShots> {
  const shots = new Uint32Array(count);
  const keys = new Float64Array(count);
  const keyOf = sites.isKnown ? jumpSite(sites, element) : (u: number) => 1 - u;
  const drawsPerChunk = UNITS_PER_CHUNK / UNITS_PER_DRAW;
  for (let from = 0; from < count; from += drawsPerChunk) {
    const to = Math.min(from + drawsPerChunk, count);
    for (let i = from; i < to; i++) {
      const shot = numbers === undefined ? i : numbers[i]!;
      const { seed, event, rounds } = source;
      shots[i] = shot;
      keys[i] = keyOf(uniformDraw(seed, shot, event, 2 * numJumps, rounds));
    }
    if (slicer.spend(UNITS_PER_DRAW * (to - from))) await slicer.pause();
  }
  return sortedByKey({ numbers: shots, keys }, sites.isKnown ? sites.numElements + 1 : undefined);
}

/** The site at which a shot jumps whose way begins at an element, as a function of its threshold. */
function jumpSite({ decay, numElements }: SiteOdds, element: number): (u: number) => number {
  const before = decay[element]!;
  const survivesAll = Math.exp(before - decay[numElements]!);
  return (u) => {
    if (u < survivesAll) return numElements;
    // Rounding must not make a shot survive that jumps, nor jump where nothing happens.
    const lost = Math.min(before + Math.min(CERTAIN / 2, -Math.log(u)), decay[numElements]!);
    // The first site whose decay reaches `lost`.
    let low = element;
    let high = numElements - 2;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (decay[middle + 1]! >= lost) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}

/** So few keys are sorted by insertion alone. */
const FEW = 24;
/** Buckets of about this many keys are sorted by insertion. */
const KEYS_PER_BUCKET = 8;

/**
 * Sorts by key; shots with equal keys stay in their order.
 *
 * @param numKeys - Keys are whole numbers below this; where it is absent, they are in (0, 1] and about uniform.
 */
function sortedByKey(shots: OrderedShots, numKeys: number | undefined): OrderedShots {
  const { numbers, keys } = shots;
  if (keys.length <= FEW) {
    insertionSort(shots);
    return shots;
  }
  const numBuckets = numKeys ?? Math.max(1, Math.ceil(keys.length / KEYS_PER_BUCKET));
  const bucketOf =
    numKeys === undefined
      ? (key: number) => Math.min(numBuckets - 1, Math.floor(key * numBuckets))
      : (key: number) => key;
  const starts = new Uint32Array(numBuckets + 1);
  for (let i = 0; i < keys.length; i++) starts[bucketOf(keys[i]!) + 1]!++;
  for (let bucket = 1; bucket < numBuckets; bucket++) starts[bucket]! += starts[bucket - 1]!;
  const sorted = { numbers: new Uint32Array(keys.length), keys: new Float64Array(keys.length) };
  for (let i = 0; i < keys.length; i++) {
    const at = starts[bucketOf(keys[i]!)]!++;
    sorted.numbers[at] = numbers[i]!;
    sorted.keys[at] = keys[i]!;
  }
  if (numKeys === undefined) insertionSort(sorted);
  return sorted;
}

function insertionSort({ numbers, keys }: OrderedShots): void {
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i]!;
    const shot = numbers[i]!;
    let hole = i;
    for (; hole > 0 && keys[hole - 1]! > key; hole--) {
      keys[hole] = keys[hole - 1]!;
      numbers[hole] = numbers[hole - 1]!;
    }
    keys[hole] = key;
    numbers[hole] = shot;
  }
}

/** Number of the ascending numbers that are at most a bound. */
export function numUpTo(ascending: Float64Array, bound: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A range of the shots, without copying them. */
export function someShots({ numbers, keys }: OrderedShots, from: number, to: number): OrderedShots {
  return { numbers: numbers.subarray(from, to), keys: keys.subarray(from, to) };
}
