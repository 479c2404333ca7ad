/**
 * Misreads bits after the last measurements. The register's bits are misread whatever shot they belong to, so it is
 * enough to know how many shots have each value; and draws are needed only for the bits that are misread.
 */
import type { MisreadOperation } from '../circuit/circuit.ts';
import type { Bit } from '../circuit/classical-expression.ts';
import { uniformDraw } from '../math/philox.ts';
import { flipBit } from './classical-bits.ts';
import { CountsBuilder } from './counts-builder.ts';
import type { Counts, CountsFinish } from './engine.ts';
import type { RunPlan } from './run-plan.ts';
import { finishedOutcome, registerOf, UNITS_PER_DRAW } from './terminal-measurement.ts';
import type { TimeSlicer } from './time-slicer.ts';

/**
 * The counts of outcomes after all misreadings and assignments, as engine.ts defines them.
 *
 * @param registers - Counts of the register before.
 */
export async function misreadCounts(
  registers: Counts,
  plan: CountsFinish,
  seed: number,
  slicer: TimeSlicer,
): Promise<Counts> {
  let counts = registers;
  let event = plan.misreadEvent;
  for (const group of disjointGroups(plan.finalMisreads)) {
    const flips = await flipsOf(counts, group, seed, event++, slicer);
    counts = await flipped(counts, flips, slicer);
  }
  if (plan.finalAssignments.length === 0 && plan.numRegisterBits === plan.numBits) return counts;
  const outcomes = new CountsBuilder(plan.numBits);
  for (let i = 0; i < counts.occurrences.length; i++) {
    outcomes.add(finishedOutcome(plan, wordsAt(counts, i)), counts.occurrences[i]!);
  }
  return await outcomes.finish(slicer);
}

/** The plan for distributions: if bits are misread at the end, that of the register before the misreadings. */
export function planBeforeMisreads(plan: RunPlan): RunPlan {
  return plan.finalMisreads.length > 0 ? { ...plan, ...registerOf(plan) } : plan;
}

/**
 * The distribution of outcomes after all misreadings and assignments.
 *
 * @param distribution - Read by `planBeforeMisreads`; overwritten.
 */
export function misreadDistribution(distribution: Float64Array, plan: RunPlan): Float64Array {
  const { finalMisreads, finalAssignments, numBits, numRegisterBits } = plan;
  if (finalMisreads.length === 0) return distribution;
  for (const { bits, p1Given0, p0Given1 } of finalMisreads) {
    for (const bit of bits) confuse(distribution, bit, p1Given0, p0Given1);
  }
  if (finalAssignments.length === 0 && numBits === numRegisterBits) return distribution;
  const out = new Float64Array(2 ** numBits);
  for (const [register, probability] of distribution.entries()) {
    if (probability === 0) continue;
    out[finishedOutcome(plan, Uint32Array.of(register))[0]!]! += probability;
  }
  return out;
}

/** One bit, and the probabilities of misreading a 0 and a 1. */
interface BitMisread {
  readonly bit: Bit;
  readonly odds: readonly [p1Given0: number, p0Given1: number];
}

/** Misreadings in order, divided so that no bit is twice in a group. */
function disjointGroups(misreads: readonly MisreadOperation[]): readonly (readonly BitMisread[])[] {
  const groups: BitMisread[][] = [];
  let seen = new Set<Bit>();
  for (const { bits, p1Given0, p0Given1 } of misreads) {
    for (const bit of bits) {
      if (groups.length === 0 || seen.has(bit)) {
        groups.push([]);
        seen = new Set();
      }
      seen.add(bit);
      groups.at(-1)!.push({ bit, odds: [p1Given0, p0Given1] });
    }
  }
  return groups;
}

/** Bits of a key that number the bit; the rest is the number of the shot. */
const BIT_RANGE = 2 ** 16;

/** The misread bits, as shot · BIT_RANGE + bit, ascending; shots are numbered in the order of the counts. */
async function flipsOf(
  counts: Counts,
  group: readonly BitMisread[],
  seed: number,
  event: number,
  slicer: TimeSlicer,
): Promise<Float64Array> {
  const { outcomes, occurrences, wordsPerOutcome } = counts;
  const flips: number[] = [];
  for (const { bit, odds } of group) {
    const streams = odds.map((p, value) => new Skips(p, seed, event, 2 * bit + value));
    let firstShot = 0;
    const before = flips.length;
    for (let i = 0; i < occurrences.length; i++) {
      const word = outcomes[i * wordsPerOutcome + (bit >>> 5)]!;
      const stream = streams[(word >>> (bit & 31)) & 1]!;
      const count = occurrences[i]!;
      for (; stream.next < count; stream.draw()) {
        flips.push((firstShot + stream.next) * BIT_RANGE + bit);
      }
      stream.next -= count;
      firstShot += count;
    }
    const units = occurrences.length + UNITS_PER_DRAW * (flips.length - before);
    if (slicer.spend(units)) await slicer.pause();
  }
  return Float64Array.from(flips).sort();
}

/** Positions of misread shots in a list, each found from the one before. */
class Skips {
  readonly #logOfRight: number;
  readonly #draw: (i: number) => number;
  #numDrawn = 0;
  /** Number of shots before the next misread one. */
  next: number;

  constructor(p: number, seed: number, event: number, position: number) {
    this.#logOfRight = Math.log1p(-p);
    this.#draw = (i) => uniformDraw(seed, i, event, position);
    this.next = p > 0 ? this.#skip() : Number.POSITIVE_INFINITY;
  }

  draw(): void {
    this.next += 1 + this.#skip();
  }

  #skip(): number {
    return Math.floor(Math.log1p(-this.#draw(this.#numDrawn++)) / this.#logOfRight);
  }
}

/** The counts with bits flipped. */
async function flipped(counts: Counts, flips: Float64Array, slicer: TimeSlicer): Promise<Counts> {
  const { numBits, occurrences } = counts;
  const builder = new CountsBuilder(numBits);
  let next = 0;
  let endShot = 0;
  for (let i = 0; i < occurrences.length; i++) {
    endShot += occurrences[i]!;
    let kept = occurrences[i]!;
    while (next < flips.length && flips[next]! < endShot * BIT_RANGE) {
      const words = wordsAt(counts, i).slice();
      const shot = Math.floor(flips[next]! / BIT_RANGE);
      for (; next < flips.length && Math.floor(flips[next]! / BIT_RANGE) === shot; next++) {
        flipBit(words, flips[next]! % BIT_RANGE);
      }
      builder.add(words, 1);
      kept--;
    }
    if (kept > 0) builder.add(wordsAt(counts, i), kept);
  }
  if (slicer.spend(occurrences.length + flips.length)) await slicer.pause();
  return await builder.finish(slicer);
}

function wordsAt({ outcomes, wordsPerOutcome }: Counts, i: number): Uint32Array {
  return outcomes.subarray(i * wordsPerOutcome, (i + 1) * wordsPerOutcome);
}

/** Misreads one bit of every value in a distribution, in place. */
export function confuse(
  distribution: Float64Array,
  bit: number,
  p1Given0: number,
  p0Given1: number,
): void {
  const mask = 2 ** bit;
  for (let x = 0; x < distribution.length; x++) {
    if ((x & mask) !== 0) continue;
    const [zero, one] = [distribution[x]!, distribution[x | mask]!];
    distribution[x] = (1 - p1Given0) * zero + p0Given1 * one;
    distribution[x | mask] = p1Given0 * zero + (1 - p0Given1) * one;
  }
}
