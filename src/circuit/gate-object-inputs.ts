/** Inputs that angles of gate objects name: their values at one point, and the formulas for all others. */
import { didYouMean } from '../errors/nearest-names.ts';
import { type AngleFormulas, CONSTANT } from './angle-formulas.ts';
import { ADD, MULTIPLY } from './angle-operations.ts';
import { AngleTape } from './angle-tape.ts';
import type { FaultList } from './errors.ts';
import type { InputAngle } from './gate-object.ts';
import { type InputColumns, inputAt, inputPath } from './input-columns.ts';

/** A number at the point that is read, and how it follows from the inputs. */
export interface OpenNumber {
  readonly number: number;
  /** Number of a value of the angle formulas; CONSTANT for a number that is the same at every point. */
  readonly value: number;
}

/** A number that is the same at every point. */
export const constant = (number: number): OpenNumber => ({ number, value: CONSTANT });

/** Reads angles that are inputs, and records every angle of a circuit in order. */
export class GateObjectInputs {
  readonly #inputs: InputColumns;
  readonly #point: number;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #tape: AngleTape;
  readonly #used = new Set<number>();
  readonly #unknown = new Set<string>();
  readonly #results: number[] = [];
  readonly #angles: number[] = [];
  readonly #obstacles = new Map<number, string>();

  /** @param point - Point whose values the circuit gets. */
  constructor(inputs: InputColumns, point: number) {
    this.#inputs = inputs;
    this.#point = point;
    this.#numbers = new Map(inputs.names.map((name, i) => [name, i]));
    this.#tape = new AngleTape(inputs.names.length);
  }

  /** Records an angle, those of a circuit in the order of its operations. */
  record({ number, value }: OpenNumber): void {
    this.#results.push(value);
    this.#angles.push(number);
  }

  /**
   * Reads a number that depends on an input.
   *
   * @param path - Path of the number in the circuit, for faults.
   * @returns The number at the point; undefined after reporting that it has no value.
   */
  open(
    { input: name, scale = 1, offset = 0 }: InputAngle,
    path: string,
    faults: FaultList,
  ): OpenNumber | undefined {
    for (const [field, value] of [
      ['scale', scale],
      ['offset', offset],
    ] as const) {
      if (Number.isFinite(value)) continue;
      faults.add(`${path}.${field}`, `${value} is no ${field}; it must be finite.`);
      return undefined;
    }
    const input = this.#numbers.get(name);
    if (input === undefined) {
      // One fault for each input, although many angles may use it.
      if (!this.#unknown.has(name)) {
        const suggestion = faults.isFull ? '' : didYouMean(name, this.#numbers.keys());
        faults.add(inputPath(name), `It has no value, and ${path} depends on it.${suggestion}`);
      }
      this.#unknown.add(name);
      return undefined;
    }
    this.#used.add(input);
    let value = input;
    let angle = inputAt(this.#inputs, input, this.#point);
    if (scale !== 1) {
      value = this.#tape.apply(MULTIPLY, value, this.#tape.constant(scale));
      angle *= scale;
    }
    if (offset !== 0) {
      value = this.#tape.apply(ADD, value, this.#tape.constant(offset));
      angle += offset;
    }
    if (!Number.isFinite(angle)) {
      faults.add(path, `It is ${angle} with this input; it must be finite.`);
      return undefined;
    }
    return { number: angle, value };
  }

  /** The product of two numbers. */
  times(a: OpenNumber, b: OpenNumber): OpenNumber {
    const number = a.number * b.number;
    if (a.value === CONSTANT && b.value === CONSTANT) return constant(number);
    const [left, right] = [a, b].map(({ number: own, value }) =>
      value === CONSTANT ? this.#tape.constant(own) : value,
    ) as [number, number];
    return { number, value: this.#tape.apply(MULTIPLY, left, right) };
  }

  /** The greatest absolute value over all points of a number that depends on an input. */
  largest({ input, scale = 1, offset = 0 }: InputAngle): number {
    const { values } = this.#inputs.columns[this.#numbers.get(input)!]!;
    return values.reduce((most, value) => Math.max(most, Math.abs(value * scale + offset)), 0);
  }

  /** The value at a point of a number that depends on an input. */
  valueAt({ input, scale = 1, offset = 0 }: InputAngle, point: number): number {
    return inputAt(this.#inputs, this.#numbers.get(input)!, point) * scale + offset;
  }

  /**
   * Says that the circuit at a point follows from the value of an input there, and not by formulas.
   *
   * @param reason - `decides the steps of an EVOLVE`.
   */
  addStructural({ input }: InputAngle, reason: string): void {
    this.#obstacles.set(this.#numbers.get(input)!, reason);
  }

  /** Inputs from whose values the circuit follows otherwise than by formulas of angles, each with how. */
  get obstacles(): ReadonlyMap<number, string> {
    return this.#obstacles;
  }

  /** Reports inputs that no angle depends on, unless some angle could not be read, and those that are no numbers. */
  check(faults: FaultList): void {
    // Each input without a value has one fault.
    const areAllRead = faults.count === this.#unknown.size;
    for (const [i, name] of this.#inputs.names.entries()) {
      if (!this.#used.has(i)) {
        if (areAllRead) faults.add(inputPath(name), 'No angle of the circuit depends on it.');
      } else if (this.#inputs.columns[i]!.kind !== 'number') {
        const { kind } = this.#inputs.columns[i]!;
        faults.add(inputPath(name), `It is a ${kind}; angles depend on numbers.`);
      }
    }
  }

  /** The formulas of the angles recorded, once the circuit has been read without faults. */
  formulas(): AngleFormulas {
    return this.#tape.formulas(this.#results, this.#angles);
  }
}
