/**
 * What an error flips: numbers of detectors, then of logical observables from the number of detectors on, ascending. An error
 * that is split has several such lists, with `SEPARATOR` between them.
 */
import { hashOfWords } from '../../math/word-hash.ts';

/** Parities that an error flips. */
export type Symptoms = readonly number[];

/** Flips nothing. */
export const NONE: Symptoms = [];
/** Between the parts of an error that is split; greater than any parity, as `^` is in Stim's order of errors. */
export const SEPARATOR = 2 ** 31 - 1;

/** What two errors together flip. */
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

/** What both errors flip. */
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

/** Stim's order of errors: by the first number that differs; what ends first comes first. */
export function compareSymptoms(a: Symptoms, b: Symptoms): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

/** Number of detectors among what one part of an error flips. */
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
}

/** Errors by what they flip: a hash table, because text of a million lists of numbers takes longer than the walk. */
export class ErrorTable {
  readonly errors: ErrorMechanism[] = [];
  /** By hash: one more than the index of an error; 0 for none. As long as a power of two. */
  #slots = new Uint32Array(1024);

  /** Adds an independent error; two that flip the same are one that happens if either does, but not both. */
  add(symptoms: Symptoms, probability: number): void {
    if (symptoms.length === 0 || probability === 0) return;
    const error = this.#at(symptoms);
    const before = error.probability;
    error.probability = before * (1 - probability) + probability * (1 - before);
  }

  /** The error that flips these; of probability 0 if it is new. */
  #at(symptoms: Symptoms): ErrorMechanism {
    if (2 * this.errors.length >= this.#slots.length) this.#grow();
    const slot = this.#slotOf(symptoms);
    const known = this.errors[this.#slots[slot]! - 1];
    if (known !== undefined) return known;
    const added = { symptoms, probability: 0 };
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
