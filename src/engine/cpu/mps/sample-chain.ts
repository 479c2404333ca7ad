/**
 * Draws outcomes of the sites of a chain, from the first one on.
 *
 * Shots are sorted by their draws, so that those with the same outcomes so far are neighbours, and each distinct prefix
 * of outcomes is one row of a matrix that is multiplied by the tensors of one site after the other. A draw u picks the
 * outcomes whose cumulative probability exceeds it, as `engine.ts` defines it. Once the interval of a prefix is so narrow
 * that a draw has few digits left in it, its shots draw again, at the next position.
 *
 * @see Ferris & Vidal, "Perfect sampling with unitary tensor networks", Phys. Rev. B 85, 165146 (2012).
 */
import { uniformDraw } from '../../../math/philox.ts';
import type { SampleRequest } from '../../state-operations.ts';
import { UNITS_PER_DRAW } from '../../terminal-draws.ts';
import { type TimeSlicer, UNITS_PER_CHUNK } from '../../time-slicer.ts';
import type { Chain } from './chain.ts';
import { ENTRY_BYTES } from './tensor-memory.ts';

/** Shots that are drawn together: rows of the matrix, at most. */
const SHOTS_TOGETHER = 4096;

/** Width of an interval below which shots draw again; 23 digits of a draw are left there. */
const NARROW = 2 ** -30;

/** Shots with the same outcomes so far. */
interface Prefix {
  /** Positions among the sorted shots. */
  readonly from: number;
  readonly to: number;
  /** The interval of draws with these outcomes. */
  readonly low: number;
  readonly width: number;
  /** Position of their draws in the event. */
  readonly position: number;
}

/**
 * Draws the outcomes of the first sites for each shot.
 *
 * @param record - Receives the outcome of each site, to be read at once, and the number of shots that drew these.
 */
export async function sampleChain(
  chain: Chain,
  { shots, seed, event }: SampleRequest,
  numSites: number,
  slicer: TimeSlicer,
  record: (outcomes: Uint8Array, count: number) => void,
): Promise<void> {
  await chain.moveCentre(0, slicer);
  const { count, numbers } = shots;
  const numberOf = (i: number) => (numbers === undefined ? i : numbers[i]!);
  const draws = new Float64Array(count);
  const drawsPerChunk = UNITS_PER_CHUNK / UNITS_PER_DRAW;
  for (let i = 0; i < count; i++) {
    draws[i] = uniformDraw(seed, numberOf(i), event, 0);
    if (i % drawsPerChunk === 0 && slicer.spend(UNITS_PER_CHUNK)) await slicer.pause();
  }
  draws.sort();
  const drawAgain = ({ from, to, position }: Prefix): Prefix => {
    // Which of the shots gets which draw does not matter: nobody has looked at their numbers yet.
    for (let i = from; i < to; i++) draws[i] = uniformDraw(seed, numberOf(i), event, position + 1);
    if (to - from > 1) draws.subarray(from, to).sort();
    return { from, to, low: 0, width: 1, position: position + 1 };
  };
  const outcomes = new Uint8Array(numSites);
  for (let from = 0; from < count; from += SHOTS_TOGETHER) {
    const all = { from, to: Math.min(count, from + SHOTS_TOGETHER), low: 0, width: 1, position: 0 };
    const { prefixes, steps } = await extend(chain, all, draws, drawAgain, numSites, slicer);
    for (const [last, prefix] of prefixes.entries()) {
      let row = last;
      for (let site = numSites - 1; site >= 0; site--) {
        const step = steps[site]![row]!;
        outcomes[site] = step & 1;
        row = step >>> 1;
      }
      record(outcomes, prefix.to - prefix.from);
    }
    if (slicer.spend(prefixes.length * numSites)) await slicer.pause();
  }
}

/** Prefixes on all sites; steps[s][i] is twice the number of a prefix before site s plus the outcome there. */
interface Extended {
  readonly prefixes: readonly Prefix[];
  readonly steps: readonly Uint32Array[];
}

async function extend(
  { memory, sites }: Chain,
  all: Prefix,
  draws: Float64Array,
  drawAgain: (prefix: Prefix) => Prefix,
  numSites: number,
  slicer: TimeSlicer,
): Promise<Extended> {
  let prefixes: Prefix[] = [all];
  const steps: Uint32Array[] = [];
  memory.doubles.set([1, 0], memory.scratch('prefixes', ENTRY_BYTES) / 8);
  for (const { at, left, right } of sites.slice(0, numSites)) {
    const rows = prefixes.length;
    const vectors = memory.scratch('prefixes', ENTRY_BYTES * rows * left);
    const extended = memory.scratch('extended', 2 * ENTRY_BYTES * rows * right);
    const product = memory.multiply(
      { at: vectors, stride: left },
      { at, stride: 2 * right },
      { at: extended, stride: 2 * right },
      [rows, left, 2 * right],
      slicer,
    );
    if (product !== undefined) await product;
    const massesAt = memory.scratch('masses', 16 * rows);
    memory.kernels.rowMasses(extended, 2 * rows, right, massesAt);
    const masses = memory.doubles.slice(massesAt / 8, massesAt / 8 + 2 * rows);

    const next: Prefix[] = [];
    const step: number[] = [];
    for (const [row, prefix] of prefixes.entries()) {
      const zero = masses[2 * row]!;
      const one = masses[2 * row + 1]!;
      const [asZero, asOne] = parted(prefix, zero / (zero + one), draws);
      for (const [outcome, part] of [asZero, asOne].entries()) {
        if (part.from === part.to) continue;
        next.push(part.width < NARROW ? drawAgain(part) : part);
        step.push(2 * row + outcome);
      }
    }
    steps.push(Uint32Array.from(step));
    prefixes = next;
    const count = step.length;
    const choice = memory.scratch('choice', 16 * count);
    new Uint32Array(memory.doubles.buffer, choice, count).set(step);
    const { doubles } = memory;
    const factors = choice / 8 + count;
    for (let i = 0; i < count; i++) doubles[factors + i] = 1 / Math.sqrt(masses[step[i]!]!);
    const chosen = memory.scratch('prefixes', ENTRY_BYTES * count * right);
    memory.kernels.pickRows(extended, right, choice, choice + 8 * count, count, chosen);
    if (slicer.spend(32 * rows + count * right)) await slicer.pause();
  }
  return { prefixes, steps };
}

/** Divides the shots of a prefix by the outcome of the next site. */
function parted(
  { from, to, low, width, position }: Prefix,
  zero: number,
  draws: Float64Array,
): readonly [Prefix, Prefix] {
  const cut = zero >= 1 ? Number.POSITIVE_INFINITY : low + width * zero;
  let first = from;
  let end = to;
  while (first < end) {
    const middle = (first + end) >>> 1;
    if (draws[middle]! < cut) first = middle + 1;
    else end = middle;
  }
  return [
    { from, to: first, low, width: width * zero, position },
    { from: first, to, low: cut, width: width * (1 - zero), position },
  ];
}
