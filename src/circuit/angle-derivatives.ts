/** Chain rule: derivatives with respect to inputs from those with respect to angles. */
import { type AngleFormulas, CONSTANT } from './angle-formulas.ts';
import {
  ADD,
  DIVIDE,
  FIRST_FUNCTION,
  FUNCTIONS,
  MULTIPLY,
  NEGATE,
  SUBTRACT,
} from './angle-operations.ts';

/**
 * Derivatives of angles with respect to inputs at one row, for any number of functions of the angles: reverse mode,
 * exact up to rounding.
 *
 * A derivative that does not exist, such as that of `sqrt(a)` at 0, is infinite or NaN.
 */
export class AngleDerivatives {
  readonly #formulas: AngleFormulas;
  /** Values at the row: inputs, constants, operations. */
  readonly #values: Float64Array;
  readonly #byLeft: Float64Array;
  readonly #byRight: Float64Array;
  readonly #dependsOnInput: Uint8Array;
  readonly #adjoints: Float64Array;

  constructor(formulas: AngleFormulas) {
    const { numInputs, constants, operators } = formulas;
    this.#formulas = formulas;
    this.#values = new Float64Array(numInputs + constants.length + operators.length);
    this.#values.set(constants, numInputs);
    this.#adjoints = new Float64Array(this.#values.length);
    this.#byLeft = new Float64Array(operators.length);
    this.#byRight = new Float64Array(operators.length);
    this.#dependsOnInput = new Uint8Array(this.#values.length).fill(1);
    this.#dependsOnInput.fill(0, numInputs, numInputs + constants.length);
  }

  /**
   * Sets the row of inputs at which `toInputs` gives derivatives.
   *
   * @param at - Index in `rows` where the row begins.
   */
  setRow(rows: Float64Array, at = 0): void {
    const { numInputs, constants, operators, left, right } = this.#formulas;
    const values = this.#values;
    for (let input = 0; input < numInputs; input++) values[input] = rows[at + input]!;
    const first = numInputs + constants.length;
    for (let i = 0; i < operators.length; i++) {
      const [x, y] = [values[left[i]!]!, values[right[i]!]!];
      switch (operators[i]) {
        case NEGATE:
          values[first + i] = -x;
          this.#byLeft[i] = -1;
          this.#byRight[i] = 0;
          break;
        case ADD:
          values[first + i] = x + y;
          this.#byLeft[i] = 1;
          this.#byRight[i] = 1;
          break;
        case SUBTRACT:
          values[first + i] = x - y;
          this.#byLeft[i] = 1;
          this.#byRight[i] = -1;
          break;
        case MULTIPLY:
          values[first + i] = x * y;
          this.#byLeft[i] = y;
          this.#byRight[i] = x;
          break;
        case DIVIDE:
          values[first + i] = x / y;
          this.#byLeft[i] = 1 / y;
          this.#byRight[i] = -x / y / y;
          break;
        default: {
          const { value, partials } = FUNCTIONS[operators[i]! - FIRST_FUNCTION]!;
          const v = value(x, y);
          values[first + i] = v;
          [this.#byLeft[i], this.#byRight[i]] = partials(x, y, v) as [number, number];
        }
      }
    }
  }

  /**
   * Derivatives of a function with respect to the inputs, from those with respect to the angles.
   *
   * @param byAngle - Length numAngles.
   * @param out - Written and returned if given; length numInputs.
   */
  toInputs(
    byAngle: Float64Array,
    out: Float64Array = new Float64Array(this.#formulas.numInputs),
  ): Float64Array {
    const { numInputs, constants, operators, left, right, results } = this.#formulas;
    const adjoints = this.#adjoints.fill(0);
    for (let i = 0; i < results.length; i++) {
      const value = results[i]!;
      if (value !== CONSTANT) adjoints[value] = adjoints[value]! + byAngle[i]!;
    }
    const first = numInputs + constants.length;
    for (let i = operators.length - 1; i >= 0; i--) {
      const adjoint = adjoints[first + i]!;
      const [x, y] = [left[i]!, right[i]!];
      if (this.#dependsOnInput[x] === 1) {
        adjoints[x] = adjoints[x]! + adjoint * this.#byLeft[i]!;
      }
      const byRight = this.#byRight[i]!;
      // Operations on one value have it for `right`, too.
      if (byRight !== 0 && this.#dependsOnInput[y] === 1) {
        adjoints[y] = adjoints[y]! + adjoint * byRight;
      }
    }
    for (let input = 0; input < numInputs; input++) out[input] = adjoints[input]!;
    return out;
  }
}
