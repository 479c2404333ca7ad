/**
 * Symptoms of an error: numbers of the detectors that it flips, then of the logical observables, from the number of
 * detectors on, ascending. An error that is split has several such lists, with `SEPARATOR` between them. The errors of
 * a Pauli channel have such lists where the channel acts, with their probabilities as independent errors.
 */

import type { PauliChannel } from '../../circuit/noise/channel.ts';
import { walshHadamard } from '../../math/walsh-hadamard.ts';
import { hashOfWords } from '../../math/word-hash.ts';

/** Parities that an error flips. */
export type Symptoms = readonly number[];

/** Flips nothing. */
export const NONE: Symptoms = [];
/** Between the parts of an error that is split; greater than any parity, as `^` is in Stim's order of errors. */
export const SEPARATOR = 2 ** 31 - 1;

/** Parities that two errors together flip. */
export function sum(a: Symptoms, b: Symptoms): Symptoms {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const all: number[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i]! < b[j]!) all.push(a[i++]!);
    else if (a[i]! > b[j]!) all.push(b[j++]!);
    else {
      i++;
      j++;
    }
  }
  while (i < a.length) all.push(a[i++]!);
  while (j < b.length) all.push(b[j++]!);
  return all;
}

/** Parities that both errors flip. */
export function common(a: Symptoms, b: Symptoms): Symptoms {
  if (a.length === 0 || b.length === 0) return NONE;
  return a.filter((each) => b.includes(each));
}

/** Whether two errors flip the same, and are split alike. */
export function areSame(a: Symptoms, b: Symptoms): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Stim's order of errors: by the first number that differs; a list that is a prefix of the other comes first. */
export function compareSymptoms(a: Symptoms, b: Symptoms): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

/** Number of detectors that one part of an error flips. */
export function detectorsIn(symptoms: Symptoms, numDetectors: number): number {
  let count = symptoms.length;
  while (count > 0 && symptoms[count - 1]! >= numDetectors) count--;
  return count;
}

/** The parts of an error. */
export function partsOf(symptoms: Symptoms): readonly Symptoms[] {
  const parts: Symptoms[] = [];
  for (let start = 0; start <= symptoms.length; ) {
    const at = symptoms.indexOf(SEPARATOR, start);
    const end = at < 0 ? symptoms.length : at;
    parts.push(symptoms.slice(start, end));
    start = end + 1;
  }
  return parts;
}

/** What the parts of an error flip together. */
export const whole = (symptoms: Symptoms): Symptoms =>
  symptoms.includes(SEPARATOR)
    ? partsOf(symptoms).reduce<Symptoms>((all, part) => sum(all, part), NONE)
    : symptoms;

/** One error of several parts. */
export function joined(parts: readonly Symptoms[]): Symptoms {
  const all: number[] = [];
  for (const part of parts) {
    if (all.length > 0) all.push(SEPARATOR);
    for (const each of part) all.push(each);
  }
  return all;
}

/** An independent error. */
export interface ErrorMechanism {
  readonly symptoms: Symptoms;
  probability: number;
  /** Numbers of the strengths (`ErrorStrengths`) of which an odd number happens, if there are such. */
  terms?: readonly number[];
}

/**
 * Errors that happen independently of each other. Symptoms below `numDetectors` are detectors, the others are logical
 * observables.
 */
export interface IndependentErrors {
  readonly numDetectors: number;
  readonly numObservables: number;
  readonly errors: readonly ErrorMechanism[];
}

/** A detector with its coordinates; there may be none. */
export interface DeclaredDetector {
  readonly detector: number;
  readonly coordinates: readonly number[];
}

/** Errors of rounds that come several times. Each time flips detectors that are higher. */
export interface RepeatedErrors {
  readonly times: number;
  /** By how much detectors are higher each time. */
  readonly numDetectors: number;
  /** What is added to coordinates each time. */
  readonly step: readonly number[];
  /** Detectors before the last time. */
  readonly first: number;
  /** As they are the last time, in order of time. */
  readonly parts: readonly ErrorPart[];
}

/** Errors of some rounds of a circuit, and the detectors that are declared there. */
export type ErrorPart =
  | { readonly errors: readonly ErrorMechanism[]; readonly declared: readonly DeclaredDetector[] }
  | RepeatedErrors;

/** Independent errors of a circuit that may have loops. */
export interface PartedErrors extends Omit<IndependentErrors, 'errors'> {
  /** In the order of the circuit's loops; one part if it has none. */
  readonly parts: readonly ErrorPart[];
}

/** Probability of one of two independent errors without the other. */
export const either = (p: number, q: number): number => p * (1 - q) + q * (1 - p);

/** Errors by symptoms: a hash table, because text of a million lists of numbers takes longer than the walk. */
export class ErrorTable {
  readonly errors: ErrorMechanism[] = [];
  /** By hash: one more than the index of an error; 0 for none. As long as a power of two. */
  #slots = new Uint32Array(1024);

  /** Adds an independent error; two that flip the same are one that happens if either does, but not both. */
  add(symptoms: Symptoms, probability: number, terms?: readonly number[]): void {
    if (symptoms.length === 0 || probability === 0) return;
    const error = this.#at(symptoms);
    error.probability = either(error.probability, probability);
    if (terms !== undefined) error.terms = error.terms?.concat(terms) ?? terms;
  }

  /** The error that flips these; of probability 0 if it is new. */
  #at(symptoms: Symptoms): ErrorMechanism {
    if (2 * this.errors.length >= this.#slots.length) this.#grow();
    const slot = this.#slotOf(symptoms);
    const known = this.errors[this.#slots[slot]! - 1];
    if (known !== undefined) return known;
    const added: ErrorMechanism = { symptoms, probability: 0 };
    this.#slots[slot] = this.errors.push(added);
    return added;
  }

  /** The place of an error that flips these, or of one that may. */
  #slotOf(symptoms: Symptoms): number {
    const last = this.#slots.length - 1;
    for (let slot = hashOfWords(symptoms, 0, symptoms.length) & last; ; slot = (slot + 1) & last) {
      const number = this.#slots[slot]!;
      if (number === 0 || areSame(this.errors[number - 1]!.symptoms, symptoms)) return slot;
    }
  }

  #grow(): void {
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (const [i, { symptoms }] of this.errors.entries()) {
      this.#slots[this.#slotOf(symptoms)] = i + 1;
    }
  }
}

/**
 * A Pauli channel with its strings in Stim's order, on which it depends how errors are split: those of depolarizing
 * noise by qubit, each with Z before X, and those of other channels from the last qubit to the first, X before Z. Each
 * string is the XOR of those at powers of two.
 */
export interface ChannelErrors {
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
  for (const { flips, signs, probability } of errors) {
    let number = 0;
    for (const [i, { place, isX }] of basis.entries()) {
      number |= (((isX ? flips : signs) >> place) & 1) << i;
    }
    disjoint[number]! += probability;
  }
  return { basis, disjoint, independent: independentErrors(disjoint) };
}

/** Symptoms of each string, by those of the strings at powers of two. */
export function symptomsOfStrings(basis: readonly Symptoms[]): readonly Symptoms[] {
  const all: Symptoms[] = [NONE];
  for (const one of basis) {
    const before = all.length;
    for (let i = 0; i < before; i++) all.push(sum(all[i]!, one));
  }
  return all;
}

/**
 * Probabilities of independent errors where strings of the same symptoms are one error, which happens if any of them
 * does: the probabilities of parts of a channel that exclude each other are added.
 *
 * @param cases - Symptoms of the strings, from `symptomsOfStrings`.
 * @param approximation - When errors that exclude each other are taken as independent, with their probabilities added.
 * @returns By string, all in the first of those that flip the same; undefined if no independent errors are the channel.
 */
export function independentBySymptoms(
  disjoint: Float64Array,
  cases: readonly Symptoms[],
  approximation: 'never' | 'if need be' | 'added',
): Float64Array | undefined {
  // The symptoms are a group, too: `first` has the first string of each of its elements, and `elements` the reverse.
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
  const exact = approximation === 'added' ? undefined : independentErrors(merged);
  const independent = exact ?? (approximation === 'never' ? undefined : merged);
  if (independent === undefined) return undefined;
  const byString = new Float64Array(cases.length);
  for (const [element, string] of first.entries()) byString[string] = independent[element]!;
  return byString;
}

/** Largest error of an eigenvalue, by element: the rounding of sums and logarithms. */
const ROUNDING = 1e-15;

/**
 * Errors of which one at most happens, as errors that happen independently of each other: the probabilities of those
 * that together are the channel; undefined if there are none.
 *
 * Errors are the elements of a group in which each is its own inverse, so that an element is a number and two errors
 * together are its XOR: Pauli strings without their phases, or what they flip. An eigenvalue of the channel is the sum
 * of the probabilities, negative where an element has an odd number of bits in common with the eigenvalue's index.
 * Those of channels that act one after the other are multiplied, and that of an error of probability q is 1 − 2q where
 * it is negative. So a Walsh–Hadamard transform of their logarithms gives the q.
 *
 * @param disjoint - Probability of each element that it happens and no other; as many as a power of two. That of 0, the
 *   identity, is the remainder and is not read.
 * @returns By element; 0 for the identity.
 */
export function independentErrors(disjoint: Float64Array): Float64Array | undefined {
  const size = disjoint.length;
  const tolerance = ROUNDING * size;
  let total = 0;
  for (let i = 1; i < size; i++) total += disjoint[i]!;
  const likeliest = likeliestOf(disjoint, 1 - total - tolerance);
  // An error that happens more often than not is one that always happens, and is undone by one that does not.
  const deviations = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    if (i !== likeliest) deviations[i ^ likeliest] = i === 0 ? 1 - total : disjoint[i]!;
  }
  for (let i = 1; i < size; i++) deviations[0]! -= deviations[i]!;
  // Differences of the eigenvalues from 1, so that small probabilities keep their digits.
  walshHadamard(deviations);
  const [logarithms, zeros] = [new Float64Array(size), new Float64Array(size)];
  for (const [i, deviation] of deviations.entries()) {
    if (1 + deviation < -tolerance) return undefined;
    if (1 + deviation > tolerance) logarithms[i] = Math.log1p(deviation);
    else zeros[i] = 1;
  }
  const found = solved(logarithms, zeros, ROUNDING * total);
  if (!haveEigenvalues(found, deviations, tolerance)) return undefined;
  if (likeliest > 0) found[likeliest] = 1 - found[likeliest]!;
  return found;
}

/** The element of the greatest probability; the identity unless another exceeds this. */
function likeliestOf(disjoint: Float64Array, ofIdentity: number): number {
  let [likeliest, most] = [0, ofIdentity + 2 * ROUNDING * disjoint.length];
  for (let i = 1; i < disjoint.length; i++) {
    if (disjoint[i]! > most) [likeliest, most] = [i, disjoint[i]!];
  }
  return likeliest;
}

/**
 * The probabilities for eigenvalues.
 *
 * @param zeros - 1 for each eigenvalue that is 0, whose logarithm is left out. The result is the limit of one small
 *   value for all of them: fully depolarizing noise is that of each error with probability 1/2.
 * @param least - Probabilities below this are rounding.
 */
function solved(logarithms: Float64Array, zeros: Float64Array, least: number): Float64Array {
  const size = logarithms.length;
  walshHadamard(logarithms);
  walshHadamard(zeros);
  const found = new Float64Array(size);
  for (let i = 1; i < size; i++) {
    const q = zeros[i]! < 0 ? 0.5 : -Math.expm1((-2 * logarithms[i]!) / size) / 2;
    if (zeros[i]! <= 0 && q > least) found[i] = q;
  }
  return found;
}

/** Whether independent errors have the eigenvalues that differ from 1 by these. */
function haveEigenvalues(
  probabilities: Float64Array,
  deviations: Float64Array,
  tolerance: number,
): boolean {
  const size = probabilities.length;
  const [logarithms, halves] = [new Float64Array(size), new Float64Array(size)];
  for (const [i, q] of probabilities.entries()) {
    if (q === 0.5) halves[i] = 1;
    else logarithms[i] = Math.log1p(-2 * q);
  }
  walshHadamard(logarithms);
  walshHadamard(halves);
  return deviations.every((deviation, i) => {
    const isZero = halves[i]! < halves[0]!;
    const found = isZero ? -1 : Math.expm1((logarithms[0]! - logarithms[i]!) / 2);
    return Math.abs(found - deviation) <= tolerance;
  });
}
