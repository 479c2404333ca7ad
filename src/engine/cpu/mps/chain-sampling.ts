/**
 * Draws outcomes of the sites of a chain, from the first one on.
 *
 * Shots are sorted by their draws, so that those with the same outcomes so far are neighbours, and each distinct prefix
 * of outcomes is one row of a matrix that is multiplied by the tensors of one site after the other. A draw u picks the
 * outcomes whose cumulative probability exceeds it, as `engine.ts` defines it. Once the interval of a prefix is so
 * narrow that a draw has few digits left in it, its shots draw again, at the next position.
 *
 * @see Ferris & Vidal, "Perfect sampling with unitary tensor networks", Phys. Rev. B 85, 165146 (2012).
 */
import { uniformDraw } from '../../../math/philox.ts';
import type { SampleRequest } from '../../state-operations.ts';
import { UNITS_PER_DRAW } from '../../terminal-measurement.ts';
import { type TimeSlicer, UNITS_PER_CHUNK } from '../../time-slicer.ts';
import type { Chain } from './chain.ts';
import { ENTRY_BYTES } from './tensor-memory.ts';

/** Shots that are drawn together: rows of the matrix, at most. */
const SHOTS_TOGETHER = 4096;

/** Width of an interval below which shots draw again; 23 digits of a draw are left there. */
const NARROW = 2 ** -30;

/**
 * Shots with the same outcomes so far, for each prefix of outcomes. They are sorted by their draws; `ends` are the
 * positions after their last ones, the first prefix begins at `from`.
 */
interface Prefixes {
  readonly from: number;
  count: number;
  readonly ends: Uint32Array;
  /** The interval of draws with these outcomes. */
  readonly lows: Float64Array;
  readonly widths: Float64Array;
  /** Position of their draws in the event. */
  readonly positions: Uint32Array;
}

function roomFor(count: number, from: number): Prefixes {
  return {
    from,
    count: 0,
    ends: new Uint32Array(count),
    lows: new Float64Array(count),
    widths: new Float64Array(count),
    positions: new Uint32Array(count),
  };
}

/** The draws of an event, sorted where shots have the same outcomes so far. */
class SortedDraws {
  readonly #request: SampleRequest;
  readonly #draws: Float64Array;

  private constructor(request: SampleRequest) {
    this.#request = request;
    this.#draws = new Float64Array(request.shots.count);
  }

  static async of(request: SampleRequest, slicer: TimeSlicer): Promise<SortedDraws> {
    const sorted = new SortedDraws(request);
    const { count } = request.shots;
    const together = UNITS_PER_CHUNK / UNITS_PER_DRAW;
    for (let from = 0; from < count; from += together) {
      sorted.#draw(from, Math.min(count, from + together), 0);
      if (slicer.spend(UNITS_PER_CHUNK)) await slicer.pause();
    }
    sorted.#draws.sort();
    return sorted;
  }

  /** First position in a range whose draw is at least `cut`. */
  firstFrom(cut: number, from: number, to: number): number {
    let first = from;
    let end = to;
    while (first < end) {
      const middle = (first + end) >>> 1;
      if (this.#draws[middle]! < cut) first = middle + 1;
      else end = middle;
    }
    return first;
  }

  /** Draws again. Which of the shots gets which draw does not matter: nobody has looked at their numbers yet. */
  drawAgain(from: number, to: number, position: number): void {
    this.#draw(from, to, position);
    if (to - from > 1) this.#draws.subarray(from, to).sort();
  }

  #draw(from: number, to: number, position: number): void {
    const { seed, event, shots } = this.#request;
    const { numbers } = shots;
    for (let i = from; i < to; i++) {
      const shot = numbers === undefined ? i : numbers[i]!;
      this.#draws[i] = uniformDraw(seed, shot, event, position);
    }
  }
}

/**
 * Draws the outcomes of the first sites for each shot.
 *
 * @param record - Receives the outcome of each site, to be read at once, and the number of shots that drew these.
 */
export async function sampleChain(
  chain: Chain,
  request: SampleRequest,
  numSites: number,
  slicer: TimeSlicer,
  record: (outcomes: Uint8Array, count: number) => void,
): Promise<void> {
  await chain.moveCentre(0, slicer);
  const { count } = request.shots;
  const draws = await SortedDraws.of(request, slicer);
  const outcomes = new Uint8Array(numSites);
  for (let from = 0; from < count; from += SHOTS_TOGETHER) {
    const to = Math.min(count, from + SHOTS_TOGETHER);
    const { prefixes, steps } = await extend(chain, draws, [from, to], numSites, slicer);
    let before = from;
    for (let last = 0; last < prefixes.count; last++) {
      let row = last;
      for (let site = numSites - 1; site >= 0; site--) {
        const step = steps[site]![row]!;
        outcomes[site] = step & 1;
        row = step >>> 1;
      }
      record(outcomes, prefixes.ends[last]! - before);
      before = prefixes.ends[last]!;
    }
    if (slicer.spend(prefixes.count * numSites)) await slicer.pause();
  }
}

/** Prefixes on all sites; steps[s][i] is twice the number of a prefix before site s plus the outcome there. */
interface Extended {
  readonly prefixes: Prefixes;
  readonly steps: readonly Uint32Array[];
}

async function extend(
  { memory, sites }: Chain,
  draws: SortedDraws,
  [from, to]: readonly [number, number],
  numSites: number,
  slicer: TimeSlicer,
): Promise<Extended> {
  let prefixes = roomFor(to - from, from);
  let next = roomFor(to - from, from);
  prefixes.count = 1;
  prefixes.ends[0] = to;
  prefixes.widths[0] = 1;
  const steps: Uint32Array[] = [];
  memory.doubles.set([1, 0], memory.scratch('prefixes', ENTRY_BYTES) / 8);
  for (const { at, left, right } of sites.slice(0, numSites)) {
    const rows = prefixes.count;
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
    const step = part(prefixes, masses, draws, next);
    steps.push(step);
    [prefixes, next] = [next, prefixes];
    const { length } = step;
    const choice = memory.scratch('choice', 16 * length);
    new Uint32Array(memory.doubles.buffer, choice, length).set(step);
    const { doubles } = memory;
    const factors = choice / 8 + length;
    for (let i = 0; i < length; i++) doubles[factors + i] = 1 / Math.sqrt(masses[step[i]!]!);
    const chosen = memory.scratch('prefixes', ENTRY_BYTES * length * right);
    memory.kernels.pickRows(extended, right, choice, choice + 8 * length, length, chosen);
    if (slicer.spend(16 * rows + length * right)) await slicer.pause();
  }
  return { prefixes, steps };
}

/**
 * Divides the shots of each prefix by the outcome of the next site.
 *
 * @param masses - Of outcomes 0 and 1 after each prefix.
 * @param next - Receives the longer prefixes.
 * @returns For each of them twice the number of the shorter one plus the outcome.
 */
function part(
  { from, count, ends, lows, widths, positions }: Prefixes,
  masses: Float64Array,
  draws: SortedDraws,
  next: Prefixes,
): Uint32Array {
  const step = new Uint32Array(2 * count);
  let numNext = 0;
  let begin = from;
  for (let row = 0; row < count; row++) {
    const end = ends[row]!;
    const zero = masses[2 * row]! / (masses[2 * row]! + masses[2 * row + 1]!);
    const low = lows[row]!;
    const width = widths[row]!;
    const cut = low + width * zero;
    const middle = zero >= 1 ? end : draws.firstFrom(cut, begin, end);
    for (let outcome = middle > begin ? 0 : 1; outcome < (middle < end ? 2 : 1); outcome++) {
      const partWidth = outcome === 0 ? width * zero : width * (1 - zero);
      const partEnd = outcome === 0 ? middle : end;
      let position = positions[row]!;
      if (partWidth < NARROW) {
        position++;
        draws.drawAgain(outcome === 0 ? begin : middle, partEnd, position);
      }
      next.ends[numNext] = partEnd;
      next.lows[numNext] = partWidth < NARROW ? 0 : outcome === 0 ? low : cut;
      next.widths[numNext] = partWidth < NARROW ? 1 : partWidth;
      next.positions[numNext] = position;
      step[numNext++] = 2 * row + outcome;
    }
    begin = end;
  }
  next.count = numNext;
  return step.slice(0, numNext);
}
