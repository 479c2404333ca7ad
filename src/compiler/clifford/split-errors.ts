/**
 * Splits errors that flip more than two detectors into parts that flip one or two, as matching decoders need, and in
 * Stim's way: first by the other errors of the same channel, a Y into its X and its Z, then by others of the program.
 *
 * @see Gidney, "Stim: a fast stabilizer circuit simulator", 2021; `decompose_errors` in its documentation.
 */
import { numOnes } from '../../math/basis-index.ts';
import {
  areSame,
  compareSymptoms,
  detectorsIn,
  type ErrorMechanism,
  ErrorTable,
  joined,
  NONE,
  partsOf,
  type Symptoms,
  sum,
} from './symptoms.ts';

/** Most detectors of a channel in one word of bits. A channel that flips more is left to the other errors. */
const MAX_DETECTORS = 31;
/** Steps of a search for the parts of one error. Twelve detectors have 10,395 pairings. */
const MAX_STEPS = 20_000;

/**
 * The errors of a channel, those that flip several detectors split into others of the channel. Detectors that an error
 * of the channel flips alone are parts of their own; so an error that flips two of them is split, too.
 *
 * @param cases - Symptoms of the errors, by numbers whose XOR is two errors together.
 * @returns As many; whole where there are no parts.
 */
export function splitByChannel(
  cases: readonly Symptoms[],
  numDetectors: number,
): readonly Symptoms[] {
  const masks = masksOf(cases, numDetectors);
  if (masks === undefined) return cases;
  // Of errors that flip the same detectors, the first counts.
  const [singles, pairs]: [number[], number[]] = [[], []];
  let alone = 0;
  for (const [i, mask] of masks.entries()) {
    if ((mask & (mask - 1)) !== 0 || (mask & ~alone) === 0) continue;
    alone |= mask;
    singles.push(i);
  }
  const isPair = (mask: number) => numOnes(mask) === 2 && (mask & ~alone) !== 0;
  for (const [i, mask] of masks.entries()) {
    if (isPair(mask) && !pairs.some((pair) => masks[pair] === mask)) pairs.push(i);
  }
  const flipsObservables = cases.some((each) => (each.at(-1) ?? 0) >= numDetectors);
  return cases.map((symptoms, i) => {
    const mask = masks[i]!;
    if ((mask & (mask - 1)) === 0 || isPair(mask)) return symptoms;
    const chosen = chosenPairs(mask & ~alone, mask, pairs, masks, cases);
    if (chosen === undefined) return symptoms;
    let left = chosen.reduce((rest, pair) => rest & ~masks[pair]!, mask);
    for (const single of singles) {
      if ((masks[single]! & left) === 0) continue;
      left ^= masks[single]!;
      chosen.push(single);
    }
    const parts = chosen.map((part) => cases[part]!);
    // The parts flip the same detectors as the whole, but maybe other observables, if an error flips nothing else.
    const isWhole = flipsObservables && !areSame(parts.reduce(sum, NONE), symptoms);
    return isWhole ? symptoms : joined(parts);
  });
}

/** The detectors of each error as bits; undefined if they are too many. */
function masksOf(cases: readonly Symptoms[], numDetectors: number): readonly number[] | undefined {
  const involved: number[] = [];
  const masks = [0];
  for (let i = 1; i < cases.length; i++) {
    const rest = i & (i - 1);
    if (rest !== 0) {
      masks.push(masks[rest]! ^ masks[i ^ rest]!);
      continue;
    }
    let mask = 0;
    for (const each of cases[i]!) {
      if (each >= numDetectors) break;
      let bit = involved.indexOf(each);
      if (bit < 0) bit = involved.push(each) - 1;
      mask |= 1 << bit;
    }
    if (involved.length > MAX_DETECTORS) return undefined;
    masks.push(mask);
  }
  return masks;
}

/** At most two pairs that flip all of `open` and nothing but `mask`; undefined if there are none. */
function chosenPairs(
  open: number,
  mask: number,
  pairs: readonly number[],
  masks: readonly number[],
  cases: readonly Symptoms[],
): number[] | undefined {
  if (open === 0) return [];
  if (numOnes(open) > 4) return undefined;
  const within = pairs.filter((pair) => (masks[pair]! & ~mask) === 0);
  const one = within.find((pair) => (open & ~masks[pair]!) === 0);
  if (one !== undefined) return [one];
  for (const [i, a] of within.entries()) {
    for (const b of within.slice(i + 1)) {
      if ((masks[a]! & masks[b]!) !== 0 || (open & ~masks[a]! & ~masks[b]!) !== 0) continue;
      return compareSymptoms(cases[a]!, cases[b]!) <= 0 ? [a, b] : [b, a];
    }
  }
  return undefined;
}

/** Options of the split of errors by errors of other channels. */
export interface SplitOptions {
  /** Whether parts must be errors of the program. Otherwise one part may be the remainder. */
  readonly onlyKnownParts: boolean;
}

/**
 * Errors, those with a part that flips more than two detectors split into others of them.
 *
 * @param errors - In Stim's order: of errors that flip the same detectors, the last is a part.
 * @param refuse - Called with a part that cannot be split; such a part is kept.
 */
export function splitByOthers(
  errors: readonly ErrorMechanism[],
  numDetectors: number,
  { onlyKnownParts }: SplitOptions,
  refuse: (part: Symptoms) => void,
): readonly ErrorMechanism[] {
  const isGraphlike = ({ symptoms }: ErrorMechanism) =>
    symptoms.length <= 2 || partsOf(symptoms).every((part) => detectorsIn(part, numDetectors) <= 2);
  if (errors.every(isGraphlike)) return errors;
  const known = new KnownParts(errors, numDetectors);
  const table = new ErrorTable();
  for (const error of errors) {
    const { symptoms, probability, terms } = error;
    if (isGraphlike(error)) {
      table.add(symptoms, probability, terms);
      continue;
    }
    const parts = partsOf(symptoms).flatMap((part) => {
      const found = known.split(part) ?? (onlyKnownParts ? undefined : known.splitWithRest(part));
      if (found === undefined) refuse(part);
      return found ?? [part];
    });
    table.add(joined(parts), probability, terms);
  }
  return table.errors;
}

/** Number of one detector, or of a pair; there are at most 2^26 detectors. */
const keyOf = (first: number, second = -1): number => first * 2 ** 26 + second + 1;

/** Parts of errors that flip one or two detectors. */
class KnownParts {
  readonly #parts = new Map<number, Symptoms>();
  readonly #numDetectors: number;
  #stepsLeft = 0;

  constructor(errors: readonly ErrorMechanism[], numDetectors: number) {
    this.#numDetectors = numDetectors;
    for (const { symptoms } of errors) {
      for (const part of partsOf(symptoms)) {
        const flipped = detectorsIn(part, numDetectors);
        if (flipped === 1) this.#parts.set(keyOf(part[0]!), part);
        else if (flipped === 2) this.#parts.set(keyOf(part[0]!, part[1]), part);
      }
    }
  }

  /** Known parts that together flip this; undefined if there are none, or the search takes too long. */
  split(symptoms: Symptoms): readonly Symptoms[] | undefined {
    this.#stepsLeft = MAX_STEPS;
    const flipped = detectorsIn(symptoms, this.#numDetectors);
    return this.#combination(symptoms.slice(0, flipped), symptoms.slice(flipped));
  }

  #combination(detectors: Symptoms, observables: Symptoms): readonly Symptoms[] | undefined {
    const [first, ...rest] = detectors;
    if (first === undefined) return observables.length === 0 ? [] : undefined;
    // Pairs before single detectors, which are errors at the boundary.
    for (const partner of [...rest, undefined]) {
      if (this.#stepsLeft-- <= 0) return undefined;
      const part = this.#parts.get(keyOf(first, partner));
      if (part === undefined) continue;
      const flips = part.slice(partner === undefined ? 1 : 2);
      const left = rest.filter((each) => each !== partner);
      const others = this.#combination(left, sum(observables, flips));
      if (others !== undefined) return [part, ...others];
    }
    return undefined;
  }

  /** Known parts and one unknown part that flips the other detectors, two at most; undefined if there are none. */
  splitWithRest(symptoms: Symptoms): readonly Symptoms[] | undefined {
    const flipped = detectorsIn(symptoms, this.#numDetectors);
    if (flipped <= 2) return [symptoms];
    const open = new Set(symptoms.slice(0, flipped));
    const parts: Symptoms[] = [];
    const take = (part: Symptoms | undefined, ...detectors: number[]) => {
      if (part === undefined) return false;
      parts.push(part);
      for (const each of detectors) open.delete(each);
      return true;
    };
    for (const first of open) {
      for (const second of open) {
        if (second > first && take(this.#parts.get(keyOf(first, second)), first, second)) break;
      }
    }
    for (const each of open) take(this.#parts.get(keyOf(each)), each);
    if (open.size > 2) return undefined;
    const rest = parts.reduce(sum, symptoms);
    return rest.length === 0 ? parts : [...parts, rest];
  }
}
