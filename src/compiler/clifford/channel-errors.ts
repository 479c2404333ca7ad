/** The errors of a Pauli channel where it acts: what each flips, and how likely it is as an error of its own. */
import type { PauliChannel } from '../../circuit/noise/channel.ts';
import { independentErrors } from './independent-errors.ts';
import { areSame, NONE, type Symptoms, sum } from './symptoms.ts';

/**
 * A Pauli channel with its strings in Stim's order, on which it depends how errors are split: those of depolarizing noise
 * by qubit, each with Z before X, and those of other channels from the last qubit to the first, X before Z. Each string
 * is the XOR of those at powers of two.
 */
export interface ChannelErrors {
  /** The string of the single error of a channel that has no other. */
  readonly only: number | undefined;
  /** For each power of two: its qubit's place, and whether it is X. */
  readonly basis: readonly { readonly place: number; readonly isX: boolean }[];
  /** By string: probability that it happens and no other. */
  readonly disjoint: Float64Array;
  /** By string: probabilities of independent errors that are the channel; undefined if there are none. */
  readonly independent: Float64Array | undefined;
}

/** Brings a channel to Stim's order. */
export function channelErrors({ numQubits, errors }: PauliChannel): ChannelErrors {
  const size = 4 ** numQubits;
  const isDepolarizing =
    errors.length === size - 1 &&
    errors.every(({ probability }) => probability === errors[0]!.probability);
  const places = [...Array(numQubits).keys()];
  const basis = (isDepolarizing ? places : places.reverse()).flatMap((place) =>
    [!isDepolarizing, isDepolarizing].map((isX) => ({ place, isX })),
  );
  const disjoint = new Float64Array(size);
  const numbers = errors.map(({ flips, signs, probability }) => {
    let number = 0;
    for (const [i, { place, isX }] of basis.entries()) {
      number |= (((isX ? flips : signs) >> place) & 1) << i;
    }
    disjoint[number] = probability;
    return number;
  });
  const only = numbers.length === 1 ? numbers[0] : undefined;
  return { only, basis, disjoint, independent: independentErrors(disjoint) };
}

/** What each string flips, by what those at powers of two flip. */
export function symptomsOfStrings(basis: readonly Symptoms[]): readonly Symptoms[] {
  const all: Symptoms[] = [NONE];
  for (const one of basis) {
    const before = all.length;
    for (let i = 0; i < before; i++) all.push(sum(all[i]!, one));
  }
  return all;
}

/**
 * Probabilities of independent errors where strings of the same symptoms are one error, which happens if any of them does:
 * the probabilities of parts of a channel that exclude each other are added.
 *
 * @param cases - What the strings flip, as `symptomsOfStrings` gives it.
 * @param mayApproximate - Whether errors that exclude each other may be taken as independent, with their probabilities.
 * @returns By string, all in the first of those that flip the same; undefined if no independent errors are the channel.
 */
export function independentBySymptoms(
  disjoint: Float64Array,
  cases: readonly Symptoms[],
  mayApproximate: boolean,
): Float64Array | undefined {
  // What strings flip is a group, too: `first` has for each of its elements the first string, and `elements` the reverse.
  const first = [0];
  const elements = [0];
  for (let one = 1; one < cases.length; one *= 2) {
    const known = first.findIndex((string) => areSame(cases[string]!, cases[one]!));
    const image = known < 0 ? first.length : known;
    if (known < 0) first.push(...first.map((string) => string + one));
    for (let i = 0; i < one; i++) elements.push(elements[i]! ^ image);
  }
  const merged = new Float64Array(first.length);
  for (const [string, element] of elements.entries()) merged[element]! += disjoint[string]!;
  merged[0] = 0;
  const independent = independentErrors(merged) ?? (mayApproximate ? merged : undefined);
  if (independent === undefined) return undefined;
  const byString = new Float64Array(cases.length);
  for (const [element, string] of first.entries()) byString[string] = independent[element]!;
  return byString;
}
