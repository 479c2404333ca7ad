/**
 * Formulas as one list of operations on typed arrays, which computes the numbers of each program of a shape.
 */
import {
  type Complex,
  type Formula,
  type Real,
  ROTATION_PARTS,
  type RotationFormula,
  type TracedReal,
} from './complex.ts';
import { rangeOf } from './gain.ts';
import type { Trace } from './matrix-pool.ts';
import { factorInto, type Rounding } from './rotation.ts';

/** Words of a rotation: the places of its entries, its form, the place of its first part. */
const ROTATION_WORDS = 7;
/** Words of an operation: whether it is a quotient, the places of its operands, and its own. */
const OPERATION_WORDS = 4;

/** Distance from 1 that roundings of many operations stay below. */
const ROUNDING = 1e-10;

/** Computes numbers from the matrices of a program. */
export class FormulaTape {
  readonly #rounding: Rounding;
  readonly #maxRange: number;
  /** Complex numbers by their places: first a program's entries, then constants and all that is computed. */
  readonly #values: Float64Array;
  readonly #rotations: Int32Array;
  readonly #operations: Int32Array;
  /** The place of each number among the reals, and its sign. */
  readonly #places: Int32Array;
  readonly #signs: Float64Array;
  /** The constant range of each segment and the end of its list of tangents' places, which come in pairs. */
  readonly #segments: readonly { readonly constant: number; readonly end: number }[];
  readonly #tangents: Int32Array;
  /** Places of the numbers that must be 1. */
  readonly #ones: Int32Array;

  /**
   * Makes the one tape of a lowering.
   *
   * @param numEntries - Entries of a program, in complex numbers.
   * @param numbers - Those to compute.
   * @param trace - Trace of the lowering of the shape.
   * @param maxRange - Range of rotations (`gain.ts`) beyond which numbers may exceed the precision's range.
   */
  constructor(
    numEntries: number,
    numbers: readonly TracedReal[],
    { segments, leftOut }: Pick<Trace, 'segments' | 'leftOut'>,
    rounding: Rounding,
    maxRange: number,
  ) {
    const plan = new TapePlan(numEntries);
    this.#rounding = rounding;
    this.#maxRange = maxRange;
    this.#places = new Int32Array(numbers.length);
    this.#signs = new Float64Array(numbers.length);
    for (let i = 0; i < numbers.length; i++) {
      const { formula, isImaginary, sign } = numbers[i]!;
      this.#places[i] = 2 * plan.placeOf(formula) + Number(isImaginary);
      this.#signs[i] = sign;
    }
    const tangents: number[] = [];
    this.#segments = segments.map((segment) => {
      for (const [one, other] of segment.tangents) {
        tangents.push(plan.placeOfTangent(one), plan.placeOfTangent(other));
      }
      return { constant: segment.constant, end: tangents.length };
    });
    this.#tangents = Int32Array.from(tangents);
    this.#ones = Int32Array.from(leftOut, (formula) => plan.placeOf(formula));
    this.#rotations = Int32Array.from(plan.rotations);
    this.#operations = Int32Array.from(plan.operations);
    this.#values = new Float64Array(2 * plan.numPlaces);
    for (const [place, { re, im }] of plan.constants) {
      this.#values[2 * place] = re;
      this.#values[2 * place + 1] = im;
    }
  }

  /**
   * Computes the numbers of a program.
   *
   * @param matrices - Of the program, interleaved re, im.
   * @returns In the order of the numbers; undefined if the state or its scales could leave the range of the precision,
   *   or if a matrix or a number does not have the form that it has in the shape.
   */
  numbersOf(matrices: Float64Array): Float64Array | undefined {
    this.#values.set(matrices);
    if (!this.#factor()) return undefined;
    if (!this.#isWithinRange()) return undefined;
    this.#operate();
    if (!this.#areOnes()) return undefined;
    const values = this.#values;
    const places = this.#places;
    const signs = this.#signs;
    const numbers = new Float64Array(places.length);
    for (let i = 0; i < places.length; i++) numbers[i] = signs[i]! * values[places[i]!]!;
    return numbers;
  }

  #factor(): boolean {
    const values = this.#values;
    const words = this.#rotations;
    const rounding = this.#rounding;
    for (let i = 0; i < words.length; i += ROTATION_WORDS) {
      const hasForm = factorInto(
        values,
        words[i]!,
        words[i + 1]!,
        words[i + 2]!,
        words[i + 3]!,
        words[i + 4]!,
        words[i + 5]!,
        rounding,
        words[i + 6]!,
      );
      if (!hasForm) return false;
    }
    return true;
  }

  /** Multiplies up the ranges of rotations, by the hypot(1, t) that accompany tangents t. */
  #isWithinRange(): boolean {
    const values = this.#values;
    const places = this.#tangents;
    let i = 0;
    for (const { constant, end } of this.#segments) {
      let range = constant;
      for (; i < end; i += 2) {
        range *= rangeOf(values[2 * places[i]! + 1]!, values[2 * places[i + 1]! + 1]!);
      }
      // Not a number, either, where a matrix has none.
      if (!(range <= this.#maxRange)) return false;
    }
    return true;
  }

  #areOnes(): boolean {
    const values = this.#values;
    for (const place of this.#ones) {
      const isOne =
        Math.abs(values[2 * place]! - 1) < ROUNDING && Math.abs(values[2 * place + 1]!) < ROUNDING;
      if (!isOne) return false;
    }
    return true;
  }

  #operate(): void {
    const values = this.#values;
    const words = this.#operations;
    for (let i = 0; i < words.length; i += OPERATION_WORDS) {
      const a = 2 * words[i + 1]!;
      const b = 2 * words[i + 2]!;
      const to = 2 * words[i + 3]!;
      const ar = values[a]!;
      const ai = values[a + 1]!;
      const br = values[b]!;
      const bi = values[b + 1]!;
      if (words[i] === 0) {
        values[to] = ar * br - ai * bi;
        values[to + 1] = ar * bi + ai * br;
      } else {
        const inverse = 1 / (br * br + bi * bi);
        values[to] = (ar * br + ai * bi) * inverse;
        values[to + 1] = (ai * br - ar * bi) * inverse;
      }
    }
  }
}

/** Gives places to formulas, and collects their operations in an order in which operands come first. */
class TapePlan {
  numPlaces: number;
  readonly constants: (readonly [number, Complex])[] = [];
  readonly rotations: number[] = [];
  readonly operations: number[] = [];

  constructor(numEntries: number) {
    this.numPlaces = numEntries;
  }

  placeOf(formula: Formula): number {
    // A stack instead of recursion: a product may have as many factors as the program has gates.
    const open = [formula];
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      if (top.place < 0) {
        const missing = missingOperand(top);
        if (missing !== undefined) {
          open.push(missing);
          continue;
        }
        top.place = this.#add(top);
      }
      open.pop();
    }
    return formula.place;
  }

  /** Place of a tangent, with its hypotenuse in place of an imaginary part. */
  placeOfTangent(tangent: Real): number {
    if (typeof tangent !== 'number') return this.placeOf(tangent.formula);
    return this.#constant({ re: tangent, im: Math.hypot(1, tangent) });
  }

  /** Adds a formula whose operands have places. */
  #add(formula: Formula): number {
    switch (formula.kind) {
      case 'entry':
        return formula.index;
      case 'rotation':
        return this.#placeOfRotation(formula.rotation) + ROTATION_PARTS.indexOf(formula.part);
      case 'product':
      case 'quotient': {
        const a = this.#operand(formula.a);
        const b = this.#operand(formula.b);
        this.operations.push(Number(formula.kind === 'quotient'), a, b, this.numPlaces);
        return this.numPlaces++;
      }
    }
  }

  #placeOfRotation(rotation: RotationFormula): number {
    if (rotation.place >= 0) return rotation.place;
    const { entries, form } = rotation;
    this.rotations.push(...entries, form.after, form.before, this.numPlaces);
    rotation.place = this.numPlaces;
    this.numPlaces += ROTATION_PARTS.length;
    return rotation.place;
  }

  #operand(operand: Complex): number {
    return operand.formula === undefined ? this.#constant(operand) : operand.formula.place;
  }

  #constant(value: Complex): number {
    this.constants.push([this.numPlaces, value]);
    return this.numPlaces++;
  }
}

/** The formula of an operand that has no place yet. */
function missingOperand(formula: Formula): Formula | undefined {
  if (formula.kind === 'entry' || formula.kind === 'rotation') return undefined;
  const [a, b] = [formula.a.formula, formula.b.formula];
  if (a !== undefined && a.place < 0) return a;
  return b !== undefined && b.place < 0 ? b : undefined;
}
