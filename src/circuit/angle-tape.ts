/** Records how the angles of a circuit follow from its inputs, while the circuit is read. */
import { type AngleFormulas, CONSTANT } from './angle-formulas.ts';

/** Operations up to which an equal one is found again; the search takes memory for each. */
const MAX_SHARED = 2 ** 16;

/** In `#operators`, beside the codes of operations. */
const INPUT = 255;
const CONSTANT_VALUE = 254;

/** A growing list of inputs, constants and operations on earlier members of the list. */
export class AngleTape {
  readonly #numInputs: number;
  readonly #operators: number[] = [];
  readonly #left: number[] = [];
  readonly #right: number[] = [];
  readonly #constants = new Map<number | string, number>();
  readonly #shared = new Map<number, number>();
  readonly #finite = new Set<number>();

  constructor(numInputs: number) {
    this.#numInputs = numInputs;
    for (let input = 0; input < numInputs; input++) this.#push(INPUT, 0, 0);
  }

  /** Number of values so far; inputs come first. */
  get size(): number {
    return this.#operators.length;
  }

  /** Adds a constant. */
  constant(value: number): number {
    // A Map takes −0 for 0.
    const key = Object.is(value, -0) ? '-0' : value;
    const known = this.#constants.get(key);
    if (known !== undefined) return known;
    const added = this.#push(CONSTANT_VALUE, value, 0);
    this.#constants.set(key, added);
    return added;
  }

  /**
   * Adds an operation.
   *
   * @param right - For an operation on one value the same as `left`.
   */
  apply(operator: number, left: number, right = left): number {
    if (this.size >= MAX_SHARED) return this.#push(operator, left, right);
    const key = (operator * MAX_SHARED + left) * MAX_SHARED + right;
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const added = this.#push(operator, left, right);
    this.#shared.set(key, added);
    return added;
  }

  /** Records that a value must be finite although no angle is that value. */
  mustBeFinite(value: number): void {
    this.#finite.add(value);
  }

  /**
   * Calls back for each input that a value depends on.
   *
   * @param isSeen - Whether a value was visited by an earlier call; it is then left out with all below it.
   */
  visitInputs(value: number, isSeen: Set<number>, visit: (input: number) => void): void {
    const open = [value];
    for (let top = open.pop(); top !== undefined; top = open.pop()) {
      if (isSeen.has(top)) continue;
      isSeen.add(top);
      const operator = this.#operators[top]!;
      if (operator === INPUT) visit(top);
      else if (operator !== CONSTANT_VALUE) open.push(this.#left[top]!, this.#right[top]!);
    }
  }

  /**
   * For each value 1 if one of the results depends on it, else 0.
   *
   * @param results - Values, or CONSTANT.
   */
  neededFor(results: readonly number[]): Uint8Array {
    const isNeeded = new Uint8Array(this.size);
    for (const value of results) if (value !== CONSTANT) isNeeded[value] = 1;
    for (let value = this.size - 1; value >= this.#numInputs; value--) {
      if (isNeeded[value] === 0 || this.#operators[value] === CONSTANT_VALUE) continue;
      isNeeded[this.#left[value]!] = 1;
      isNeeded[this.#right[value]!] = 1;
    }
    return isNeeded;
  }

  /**
   * The formulas of angles.
   *
   * @param results - For each angle the value that it is, or CONSTANT.
   * @param angles - The angles at the point that was read, radians.
   */
  formulas(results: readonly number[], angles: readonly number[]): AngleFormulas {
    const size = this.size;
    const isNeeded = this.neededFor([...results, ...this.#finite]);
    const places = new Int32Array(size);
    for (let input = 0; input < this.#numInputs; input++) places[input] = input;
    const constants: number[] = [];
    let numOperations = 0;
    for (let value = this.#numInputs; value < size; value++) {
      if (isNeeded[value] === 0) continue;
      if (this.#operators[value] === CONSTANT_VALUE) {
        places[value] = this.#numInputs + constants.length;
        constants.push(this.#left[value]!);
      } else {
        numOperations++;
      }
    }
    const operators = new Uint8Array(numOperations);
    const left = new Int32Array(numOperations);
    const right = new Int32Array(numOperations);
    let next = 0;
    for (let value = this.#numInputs; value < size; value++) {
      if (isNeeded[value] === 0 || this.#operators[value] === CONSTANT_VALUE) continue;
      operators[next] = this.#operators[value]!;
      left[next] = places[this.#left[value]!]!;
      right[next] = places[this.#right[value]!]!;
      places[value] = this.#numInputs + constants.length + next++;
    }
    const placed = (value: number) => (value === CONSTANT ? CONSTANT : places[value]!);
    return {
      numInputs: this.#numInputs,
      numAngles: results.length,
      constants: Float64Array.from(constants),
      operators,
      left,
      right,
      results: Int32Array.from(results, placed),
      angles: Float64Array.from(angles),
      finite: Int32Array.from(this.#finite, placed),
    };
  }

  #push(operator: number, left: number, right: number): number {
    this.#left.push(left);
    this.#right.push(right);
    return this.#operators.push(operator) - 1;
  }
}
