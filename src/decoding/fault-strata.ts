/**
 * Sets of faults of an error model by their number, for logical error rates that plain sampling does not reach: the shots
 * of a stratum have exactly k faults, and the strata are put together by the probabilities of k.
 *
 * Faults are independent, so that their number has a Poisson-binomial distribution, and a set of k faults has a
 * probability in proportion to the product of its odds p/(1 − p). Sums of these products over all sets among the last
 * faults (elementary symmetric polynomials) give the next fault of a set from one uniform number, without rejection.
 */

import type { IndependentErrors } from '../compiler/clifford/symptoms.ts';
import { uniformDraw } from '../math/philox.ts';
import type { DetectedShots } from './count-errors.ts';

/** Numbers of faults that are less likely together than this are left out of a distribution. */
const LEAST = 1e-40;
/** Sums of a model that are kept: those of 2^24 numbers take 128 MiB. */
const MAX_SUMS = 2 ** 24;
/** Most faults of a shot on average. Where they are more, plain sampling finds logical errors. */
const MAX_MEAN = 50;

/** Shots of one number of faults. */
export interface Stratum {
  readonly faults: number;
  readonly shots: number;
  /** Place of the first set among all of the stratum, where each is looked at once; absent where sets are drawn. */
  readonly first?: number;
}

/** Shots of a stratum. */
export interface StratumShots extends DetectedShots {
  /** Of each set among all of its stratum, where each is looked at once. */
  readonly probabilities: Float64Array | undefined;
}

/** Sets of faults of one model. */
export class FaultStrata {
  readonly numFaults: number;
  /** Faults of a shot on average. */
  readonly mean: number;
  readonly #model: IndependentErrors;
  /** What every shot flips: errors that are likelier than not have happened, and their fault is that they have not. */
  readonly #always: readonly (readonly number[])[];
  readonly #faults: readonly { readonly symptoms: readonly number[]; readonly odds: number }[];
  readonly #probabilityOfNone: number;
  /** By number of faults j, then by fault i: sum over all sets of j faults from i on. */
  readonly #sums: Float64Array[];

  constructor(model: IndependentErrors) {
    this.#model = model;
    const likely = model.errors.filter(({ probability }) => probability > 1 / 2);
    this.#always = likely.map(({ symptoms }) => symptoms);
    const faults = model.errors
      .map(({ symptoms, probability: p }) => ({ symptoms, p: Math.min(p, 1 - p) }))
      .filter(({ p }) => p > 0);
    this.numFaults = faults.length;
    this.mean = faults.reduce((sum, { p }) => sum + p, 0);
    this.#probabilityOfNone = Math.exp(faults.reduce((sum, { p }) => sum + Math.log1p(-p), 0));
    this.#faults = faults.map(({ symptoms, p }) => ({ symptoms, odds: p / (1 - p) }));
    this.#sums = [new Float64Array(faults.length + 1).fill(1)];
  }

  /** Probabilities of 0, 1, 2, … faults, as far as they matter; or why their sets are not drawn. */
  distribution(): readonly number[] | string {
    if (this.mean > MAX_MEAN) {
      return `its shots have ${this.mean.toPrecision(3)} faults on average, and at most ${MAX_MEAN} are taken: with so many, plain sampling finds logical errors`;
    }
    const probabilities: number[] = [];
    // One sum after the other, for all of them are many.
    let sums = this.#sums[0]!;
    for (let k = 0; k <= this.numFaults; k++) {
      if (k > 0) sums = this.#next(sums);
      const probability = this.#probabilityOfNone * sums[0]!;
      if (k > this.mean && probability < LEAST) break;
      probabilities.push(probability);
      if ((k + 1) * sums.length > MAX_SUMS) {
        return `its ${this.numFaults.toLocaleString('en')} errors are too many for sets of up to ${k} of them`;
      }
    }
    return probabilities;
  }

  /** Detection events and flips of the sets of a stratum. */
  shots({ faults, shots, first }: Stratum, seed: number): StratumShots {
    const { numDetectors, numObservables } = this.#model;
    const [ofEvents, ofFlips] = [Math.ceil(numDetectors / 8), Math.ceil(numObservables / 8)];
    const events = new Uint8Array(shots * ofEvents);
    const flips = new Uint8Array(shots * ofFlips);
    const flip = (shot: number, symptoms: readonly number[]) => {
      for (const each of symptoms) {
        const index = each < numDetectors ? each : each - numDetectors;
        const at = each < numDetectors ? shot * ofEvents : shot * ofFlips;
        (each < numDetectors ? events : flips)[at + (index >> 3)]! ^= 1 << (index & 7);
      }
    };
    const probabilities = first === undefined ? undefined : new Float64Array(shots);
    const all = this.#sumsOf(faults)[0]!;
    const set = first === undefined ? new Int32Array(faults) : combinationAt(first, faults);
    for (let shot = 0; shot < shots; shot++) {
      if (probabilities === undefined) this.#draw(set, seed, shot);
      else {
        if (shot > 0) nextCombination(set);
        probabilities[shot] = set.reduce((odds, i) => odds * this.#faults[i]!.odds, 1) / all;
      }
      for (const symptoms of this.#always) flip(shot, symptoms);
      for (const fault of set) flip(shot, this.#faults[fault]!.symptoms);
    }
    return { numShots: shots, events, flips, probabilities };
  }

  /** Draws a set: each fault is the first of those that are left, with the sums of the sets after it. */
  #draw(set: Int32Array, seed: number, shot: number): void {
    let from = 0;
    for (let left = set.length; left > 0; left--) {
      const sums = this.#sumsOf(left);
      const drawn = uniformDraw(seed, shot, set.length - left, 0) * sums[from]!;
      // The sums descend: the fault is the last one from which on they exceed what was drawn.
      let [low, high] = [from, this.numFaults - left];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (sums[middle]! > drawn) low = middle;
        else high = middle - 1;
      }
      set[set.length - left] = low;
      from = low + 1;
    }
  }

  #sumsOf(numFaults: number): Float64Array {
    while (this.#sums.length <= numFaults) this.#sums.push(this.#next(this.#sums.at(-1)!));
    return this.#sums[numFaults]!;
  }

  /** The sums of sets of one fault more. */
  #next(sums: Float64Array): Float64Array {
    const next = new Float64Array(sums.length);
    for (let i = this.numFaults - 1; i >= 0; i--) {
      next[i] = next[i + 1]! + this.#faults[i]!.odds * sums[i + 1]!;
    }
    return next;
  }
}

/** Number of sets of k among n; exact below 2^53. */
export function numSets(n: number, k: number): number {
  let count = 1;
  for (let i = 1; i <= k; i++) count = (count * (n - k + i)) / i;
  return Math.round(count);
}

/** The set of k numbers at a place of the order in which sets with smaller greatest numbers come first. */
function combinationAt(place: number, k: number): Int32Array {
  const set = new Int32Array(k);
  let rest = place;
  for (let j = k; j > 0; j--) {
    let [low, high] = [j - 1, j];
    while (numSets(high, j) <= rest) [low, high] = [high, 2 * high];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (numSets(middle, j) <= rest) low = middle;
      else high = middle;
    }
    set[j - 1] = low;
    rest -= numSets(low, j);
  }
  return set;
}

/** Goes on to the next set of that order. */
function nextCombination(set: Int32Array): void {
  let i = 0;
  while (i + 1 < set.length && set[i]! + 1 === set[i + 1]!) {
    set[i] = i;
    i++;
  }
  set[i]!++;
}
