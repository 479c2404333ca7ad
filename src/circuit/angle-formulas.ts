/**
 * Angle formulas: how the angles of a circuit follow from its inputs.
 *
 * A circuit with inputs is read once, and its angles are computed from the formulas at every further point. The
 * formulas are a list of operations in the order and with the functions of the reader, so that an angle is the very
 * double that reading the circuit with these inputs gives. Nothing is rearranged, not even a sum of terms: that would
 * change the last digit.
 *
 * They are evaluated by blocks of rows. One pass over a block for each operation costs no more than special code for
 * the usual `scale · input + offset` would. Derivatives with respect to inputs follow by the chain rule.
 */
import {
  ADD,
  DIVIDE,
  FIRST_FUNCTION,
  FUNCTIONS,
  MULTIPLY,
  NEGATE,
  SUBTRACT,
} from './angle-operations.ts';

/** In place of a value's number: an angle that is the same at every point. */
export const CONSTANT = -1;

/**
 * Formulas of a circuit's angles, in the order of its operations, in a row of inputs.
 *
 * Values are numbered: the inputs, then the constants, then the results of the operations, each of which uses earlier
 * values only.
 */
export interface AngleFormulas {
  readonly numInputs: number;
  readonly numAngles: number;
  readonly constants: Float64Array;
  /** Code of each operation. */
  readonly operators: Uint8Array;
  /** Number of the value that each operation is applied to. */
  readonly left: Int32Array;
  /** Number of the second value; that of `left` again for operations of one number. */
  readonly right: Int32Array;
  /** Number of the value that each angle is, or CONSTANT. Length numAngles. */
  readonly results: Int32Array;
  /** The angles, radians, at the point that was read; those that are CONSTANT have these values everywhere. */
  readonly angles: Float64Array;
  /** Numbers of further values that must be finite: parameters of a program's own gates. */
  readonly finite: Int32Array;
}

/** Rows of a block. */
const BLOCK_ROWS = 128;
/** Numbers of a block, which are to fit a cache. */
const BLOCK_SIZE = 2 ** 15;

/** Computes values for a block of rows. */
export class Block {
  readonly #formulas: AngleFormulas;
  /** Inputs and operations that the wanted values depend on, in order. */
  readonly #inputs: readonly number[];
  readonly #operations: readonly number[];
  /** Greatest number of rows; value v of row r is at v · numRows + r. */
  readonly numRows: number;
  readonly values: Float64Array;

  /**
   * @param wanted - Numbers of the values to compute.
   * @param maxRows - Number of all rows, so that the block is not larger.
   */
  constructor(formulas: AngleFormulas, wanted: Iterable<number>, maxRows: number) {
    const { numInputs, constants, operators, left, right } = formulas;
    const first = numInputs + constants.length;
    const numValues = first + operators.length;
    this.#formulas = formulas;
    const mostRows = Math.min(BLOCK_ROWS, maxRows, Math.floor(BLOCK_SIZE / (numValues + 1)));
    this.numRows = Math.max(1, mostRows);
    this.values = new Float64Array(numValues * this.numRows);
    for (let i = 0; i < constants.length; i++) {
      const at = (numInputs + i) * this.numRows;
      this.values.fill(constants[i]!, at, at + this.numRows);
    }
    const isNeeded = new Uint8Array(numValues);
    for (const value of wanted) isNeeded[value] = 1;
    const operations: number[] = [];
    for (let i = operators.length - 1; i >= 0; i--) {
      if (isNeeded[first + i] === 0) continue;
      isNeeded[left[i]!] = 1;
      isNeeded[right[i]!] = 1;
      operations.push(i);
    }
    this.#operations = operations.reverse();
    this.#inputs = Array.from({ length: numInputs }, (_, input) => input).filter(
      (input) => isNeeded[input] === 1,
    );
  }

  /** Computes the wanted values of `count` rows, the first of which begins at `at`. */
  compute(rows: Float64Array, at: number, count: number): void {
    const { numInputs, constants, operators, left, right } = this.#formulas;
    const { values, numRows } = this;
    for (const input of this.#inputs) {
      gather(values, input * numRows, rows, at + input, numInputs, count);
    }
    const first = numInputs + constants.length;
    for (const i of this.#operations) {
      const [out, x, y] = [(first + i) * numRows, left[i]! * numRows, right[i]! * numRows];
      switch (operators[i]) {
        case NEGATE:
          negate(values, out, x, count);
          break;
        case ADD:
          add(values, out, x, y, count);
          break;
        case SUBTRACT:
          subtract(values, out, x, y, count);
          break;
        case MULTIPLY:
          multiply(values, out, x, y, count);
          break;
        case DIVIDE:
          divide(values, out, x, y, count);
          break;
        default:
          apply(FUNCTIONS[operators[i]! - FIRST_FUNCTION]!.value, values, out, x, y, count);
      }
    }
  }
}

/** A value that is `input · scale + offset`. */
export interface Linear {
  /** Number of the input. */
  readonly input: number;
  readonly scale: number;
  readonly offset: number;
}

/**
 * The linear form of a value, if computing that rounds as its operations do; undefined otherwise. The offset is −0
 * where nothing is added.
 */
export function linearForm(formulas: AngleFormulas, value: number): Linear | undefined {
  const { numInputs, constants, operators, left, right } = formulas;
  const first = numInputs + constants.length;
  // Multiplying by 1 and adding −0 change no number.
  if (value < numInputs) return { input: value, scale: 1, offset: -0 };
  if (value < first) return undefined;
  const i = value - first;
  const [x, y] = [left[i]!, right[i]!];
  const constant = (number: number) => (number < first ? constants[number - numInputs] : undefined);
  switch (operators[i]) {
    case NEGATE:
      return x < numInputs ? { input: x, scale: -1, offset: -0 } : undefined;
    case MULTIPLY: {
      const [input, scale] = x < numInputs ? [x, constant(y)] : [y, constant(x)];
      if (input >= numInputs || scale === undefined) return undefined;
      return { input, scale, offset: -0 };
    }
    case ADD: {
      const [sum, offset] = constant(x) === undefined ? [x, constant(y)] : [y, constant(x)];
      return offset === undefined ? undefined : withOffset(formulas, sum, offset);
    }
    case SUBTRACT: {
      const offset = constant(y);
      return offset === undefined ? undefined : withOffset(formulas, x, -offset);
    }
    default:
      return undefined;
  }
}

function withOffset(formulas: AngleFormulas, value: number, offset: number): Linear | undefined {
  const form = linearForm(formulas, value);
  return form !== undefined && Object.is(form.offset, -0) ? { ...form, offset } : undefined;
}

/**
 * Angles of many rows of inputs.
 *
 * @param rows - Length numRows · numInputs, row after row.
 * @param out - Written and returned if given.
 * @returns Length numRows · numAngles, row after row; radians.
 */
export function evaluateAngles(
  formulas: AngleFormulas,
  rows: Float64Array,
  numRows: number,
  out: Float64Array = new Float64Array(numRows * formulas.numAngles),
): Float64Array {
  const { numInputs, numAngles, results, angles } = formulas;
  const forms = Array.from(results, (value) =>
    value === CONSTANT ? undefined : linearForm(formulas, value),
  );
  const block = new Block(
    formulas,
    results.filter((value, i) => value !== CONSTANT && forms[i] === undefined),
    numRows,
  );
  for (let row = 0; row < numRows; row += block.numRows) {
    const count = Math.min(block.numRows, numRows - row);
    block.compute(rows, row * numInputs, count);
    for (let i = 0; i < numAngles; i++) {
      const at = row * numAngles + i;
      const value = results[i]!;
      const form = forms[i];
      if (value === CONSTANT) spread(out, at, numAngles, angles[i]!, count);
      else if (form === undefined) {
        scatter(out, at, numAngles, block.values, value * block.numRows, count);
      } else linear(out, at, numAngles, rows, row * numInputs, numInputs, form, count);
    }
  }
  return out;
}

/**
 * For each angle 1 if it depends on one of some inputs, else 0.
 *
 * @param inputs - Numbers of the inputs; all unless given.
 */
export function dependentAngles(formulas: AngleFormulas, inputs?: readonly number[]): Uint8Array {
  const { numInputs, numAngles, constants, operators, left, right, results } = formulas;
  const first = numInputs + constants.length;
  const depends = new Uint8Array(first + operators.length);
  if (inputs === undefined) depends.fill(1, 0, numInputs);
  else for (const input of inputs) depends[input] = 1;
  for (let i = 0; i < operators.length; i++) {
    depends[first + i] = depends[left[i]!]! | depends[right[i]!]!;
  }
  const out = new Uint8Array(numAngles);
  for (const [i, value] of results.entries()) if (value !== CONSTANT) out[i] = depends[value]!;
  return out;
}

function gather(
  values: Float64Array,
  out: number,
  rows: Float64Array,
  at: number,
  stride: number,
  count: number,
): void {
  for (let i = 0; i < count; i++) values[out + i] = rows[at + i * stride]!;
}

function scatter(
  out: Float64Array,
  at: number,
  stride: number,
  values: Float64Array,
  from: number,
  count: number,
): void {
  for (let i = 0; i < count; i++) out[at + i * stride] = values[from + i]!;
}

function linear(
  out: Float64Array,
  at: number,
  stride: number,
  rows: Float64Array,
  from: number,
  numInputs: number,
  { input, scale, offset }: Linear,
  count: number,
): void {
  const first = from + input;
  for (let i = 0; i < count; i++)
    out[at + i * stride] = rows[first + i * numInputs]! * scale + offset;
}

function spread(out: Float64Array, at: number, stride: number, value: number, count: number): void {
  for (let i = 0; i < count; i++) out[at + i * stride] = value;
}

function negate(values: Float64Array, out: number, x: number, count: number): void {
  for (let i = 0; i < count; i++) values[out + i] = -values[x + i]!;
}

function add(values: Float64Array, out: number, x: number, y: number, count: number): void {
  for (let i = 0; i < count; i++) values[out + i] = values[x + i]! + values[y + i]!;
}

function subtract(values: Float64Array, out: number, x: number, y: number, count: number): void {
  for (let i = 0; i < count; i++) values[out + i] = values[x + i]! - values[y + i]!;
}

function multiply(values: Float64Array, out: number, x: number, y: number, count: number): void {
  for (let i = 0; i < count; i++) values[out + i] = values[x + i]! * values[y + i]!;
}

function divide(values: Float64Array, out: number, x: number, y: number, count: number): void {
  for (let i = 0; i < count; i++) values[out + i] = values[x + i]! / values[y + i]!;
}

function apply(
  f: (x: number, y: number) => number,
  values: Float64Array,
  out: number,
  x: number,
  y: number,
  count: number,
): void {
  for (let i = 0; i < count; i++) values[out + i] = f(values[x + i]!, values[y + i]!);
}

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
