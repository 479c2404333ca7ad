/**
 * Prints a detector error model in Stim's format.
 *
 * @see Gidney, "Stim: a fast stabilizer circuit simulator", 2021, for the format.
 */
import {
  type ErrorPart,
  type PartedErrors,
  type RepeatedErrors,
  SEPARATOR,
  type Symptoms,
} from './symptoms.ts';

/** Digits of a probability; rounding spoils the ones after them. */
const DIGITS = 15;

/**
 * The errors, a line each, then what has to be declared. Errors of a circuit with loops are in blocks that are repeated.
 *
 * @param coordinates - Of each detector of a circuit without loops; a list may be empty.
 */
export function printErrorModel(
  { numDetectors, numObservables, parts }: PartedErrors,
  coordinates: readonly (readonly number[])[] = [],
): string {
  const printer = new Printer(numDetectors, numObservables);
  printer.printAll(parts, 0, []);
  printer.declareRest(coordinates);
  return printer.lines.map((line) => `${line}\n`).join('');
}

class Printer {
  readonly lines: string[] = [];
  readonly #numDetectors: number;
  /** Detectors and observables that a line names. */
  readonly #seen: Uint8Array;
  /** By how much detectors and coordinates are higher than they are written from here on. */
  #shift = 0;
  #coordinateShift: readonly number[] = [];

  constructor(numDetectors: number, numObservables: number) {
    this.#numDetectors = numDetectors;
    this.#seen = new Uint8Array(numDetectors + numObservables);
  }

  /**
   * @param lower - By how much detectors are lower than in the parts.
   * @param step - By how much coordinates are.
   */
  printAll(parts: readonly ErrorPart[], lower: number, step: readonly number[]): void {
    for (const part of parts) {
      if ('times' in part) {
        this.#printBlock(part, lower, step);
        continue;
      }
      const by = lower + this.#shift;
      for (const { symptoms, probability } of part.errors) {
        for (const each of symptoms) if (each !== SEPARATOR) this.#seen[each] = 1;
        const names = symptomNames(
          by === 0 ? symptoms : this.#lowered(symptoms, by),
          this.#numDetectors,
        );
        this.lines.push(`error(${Number(probability.toPrecision(DIGITS))}) ${names}`);
      }
      for (const { detector, coordinates } of part.declared.toSorted(byDetector)) {
        this.#seen[detector] = 1;
        const place = minus(coordinates, plus(step, this.#coordinateShift));
        this.lines.push(`detector${inParentheses(place)} D${detector - by}`);
      }
    }
  }

  #lowered(symptoms: Symptoms, by: number): Symptoms {
    return symptoms.map((each) => (each < this.#numDetectors ? each - by : each));
  }

  #printBlock(
    { times, numDetectors, step, first, parts }: RepeatedErrors,
    lower: number,
    outer: readonly number[],
  ): void {
    const before = (times - 1) * numDetectors;
    const [shift, coordinateShift] = [this.#shift, this.#coordinateShift];
    this.lines.push(`repeat ${times} {`);
    this.printAll(
      parts,
      lower + before,
      plus(
        outer,
        step.map((each) => (times - 1) * each),
      ),
    );
    this.#moveTo(shift + numDetectors, plus(coordinateShift, step));
    this.lines.push('}');
    for (let i = first - before; i < first; i++) this.#seen[i] = 1;
    this.#shift = shift + times * numDetectors;
    this.#coordinateShift = plus(
      coordinateShift,
      step.map((each) => times * each),
    );
  }

  #moveTo(shift: number, coordinateShift: readonly number[]): void {
    const by = minus(coordinateShift, this.#coordinateShift);
    this.lines.push(`shift_detectors${inParentheses(by)} ${shift - this.#shift}`);
    this.#shift = shift;
    this.#coordinateShift = coordinateShift;
  }

  /**
   * Declares parities that no error flips, so that the model has as many of each as the request; and detectors with
   * coordinates, to state these.
   */
  declareRest(coordinates: readonly (readonly number[])[]): void {
    for (const [i, isSeen] of this.#seen.entries()) {
      const place = coordinates[i] ?? [];
      if (isSeen === 1 && place.length === 0) continue;
      this.lines.push(
        i < this.#numDetectors
          ? `detector${inParentheses(place)} D${i - this.#shift}`
          : `logical_observable L${i - this.#numDetectors}`,
      );
    }
  }
}

const byDetector = (a: { readonly detector: number }, b: { readonly detector: number }) =>
  a.detector - b.detector;

const plus = (a: readonly number[], b: readonly number[]): readonly number[] =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, i) => (a[i] ?? 0) + (b[i] ?? 0));

/** As many as `a` has. */
const minus = (a: readonly number[], b: readonly number[]): readonly number[] =>
  a.map((each, i) => each - (b[i] ?? 0));

const inParentheses = (numbers: readonly number[]): string =>
  numbers.length === 0 ? '' : `(${numbers.join(', ')})`;

/** `D0 D3 L0`, or `D0 D3 ^ D5 L0` for an error of two parts. */
export function symptomNames(symptoms: Symptoms, numDetectors: number): string {
  return symptoms
    .map((each) => {
      if (each === SEPARATOR) return '^';
      return each < numDetectors ? `D${each}` : `L${each - numDetectors}`;
    })
    .join(' ');
}
