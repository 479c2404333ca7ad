/**
 * Inputs of a program: the values that a request gives to its `input` declarations, and their use in a program that is
 * read once for many points.
 *
 * The program is read with the values of one point. An input is a number whose operations are recorded: arithmetic on
 * it gives numbers of the same kind (operators.ts), and where one ends in an angle of a gate, the record is the formula
 * of that angle. All other code reads `value` of a number, as it does of any other. That read makes the inputs that the
 * number depends on structural: the program is then read again for each of their values. So nothing can be computed
 * from an input without either being recorded or being seen.
 */

import { type Fault, MAX_FAULTS } from '../../errors/coded-error.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import { type AngleFormulas, CONSTANT } from '../angle-formulas.ts';
import { codeOf } from '../angle-operations.ts';
import { AngleTape } from '../angle-tape.ts';
import { applied, convertedScalar } from '../classical-evaluation.ts';
import { isWhole, type Scalar, type ScalarType, scalar } from '../classical-expression.ts';
import {
  COMPARISONS,
  fits,
  isCounted,
  type NumberType,
  typeName,
  valueType,
} from '../classical-types.ts';
import { OpenQasmInputError } from '../errors.ts';
import {
  givenValue,
  type InputColumns,
  type InputValue,
  inputAt,
  inputPath,
  inputValueAt,
} from '../input-columns.ts';
import { type ProgramWarning, quoted } from './token-stream.ts';

/** Why the derivative with respect to an input does not exist, or is not known. */
export interface Obstacle {
  /** A clause about the input: `decides which gates run`. */
  readonly reason: string;
  /** Offset of the statement in the text. */
  readonly offset: number;
}

/** A number that follows from inputs. */
export interface OpenNumber {
  readonly inputs: OpenInputs;
  /** Number of the value on the tape. */
  readonly node: number;
  /** The value at the point being read. */
  readonly held: number;
}

/** A number as all other code sees it. */
export interface OpenScalar extends Scalar {
  readonly open: OpenNumber;
}

/** Formula of a number that follows from inputs; undefined for all others. */
export const openOf = (number: Scalar): OpenNumber | undefined =>
  // Checked: nothing else has such a field.
  'open' in number ? (number as OpenScalar).open : undefined;

/** For each angle of a gate the number that it is, if it follows from inputs. */
export type OpenAngles = readonly (OpenNumber | undefined)[];

/** Most values on a tape for each gate that a circuit may have, and further ones. */
const VALUES_PER_GATE = 8;
const SPARE_VALUES = 2 ** 16;

const DECIDES = 'decides which gates run';

/** A point of many that a program is read at. */
export interface InputPoint {
  readonly columns: InputColumns;
  readonly point: number;
  /** Types that inputs were found to have at all points, in this reading or earlier ones of the program. */
  readonly fits: Set<string>;
}

/** Records the use of inputs while a program is read. */
export class OpenInputs {
  readonly columns: InputColumns;
  readonly point: number;
  readonly #tape: AngleTape;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #maxValues: number;
  readonly #fits: Set<string>;
  readonly #structural = new Map<number, Obstacle>();
  /** Values of the tape that have no derivative everywhere. */
  readonly #kinks = new Map<number, Obstacle>();
  readonly #fixedNodes = new Set<number>();
  readonly #results: number[] = [];
  readonly #angles: number[] = [];
  /** Offset of the statement being executed. */
  offset = 0;

  constructor({ columns, point, fits }: InputPoint, maxGates: number) {
    this.#fits = fits;
    this.columns = columns;
    this.point = point;
    this.#tape = new AngleTape(columns.names.length);
    this.#numbers = new Map(columns.names.map((name, i) => [name, i]));
    this.#maxValues = VALUES_PER_GATE * maxGates + SPARE_VALUES;
  }

  /** Number of an input that is given; undefined for others. */
  numberOf(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  /**
   * First point where an input given as an array has no value of a type; −1 if there is none.
   *
   * @param numberFor - Returns undefined for values that the type does not have.
   */
  firstUnfit(
    input: number,
    type: NumberType,
    numberFor: (type: NumberType, value: InputValue) => number | undefined,
  ): number {
    const column = this.columns.columns[input]!;
    const { values } = column;
    const key = `${input} ${type.base} ${type.width}`;
    if (values.length === 1 || this.#fits.has(key)) return -1;
    const point = values.findIndex(
      (_, place) => numberFor(type, givenValue(column, place)) === undefined,
    );
    if (point < 0) this.#fits.add(key);
    return point;
  }

  /** The value of an input, as a number of the type that the program declares. */
  scalar(input: number, declared: NumberType): Scalar {
    const held = inputAt(this.columns, input, this.point);
    const { base, width } = valueType(declared);
    const number = openScalar(base, { inputs: this, node: input, held }, width);
    // An angle with a number of bits is rounded.
    return base === 'angle' && width !== undefined
      ? convertedScalar(declared, number, false)
      : number;
  }

  /** Makes an input structural. */
  fix(input: number, reason = DECIDES): void {
    if (!this.#structural.has(input)) this.#structural.set(input, { reason, offset: this.offset });
  }

  /** Makes the inputs structural that a number depends on. */
  fixNode(node: number, reason = DECIDES): void {
    this.#tape.visitInputs(node, this.#fixedNodes, (input) => this.fix(input, reason));
  }

  /** Records that a number has no derivative everywhere. */
  kink({ node }: OpenNumber, reason: string): void {
    if (!this.#kinks.has(node)) this.#kinks.set(node, { reason, offset: this.offset });
  }

  /** Whether the tape is full, so that further values are not recorded. */
  get isFull(): boolean {
    return this.#tape.size >= this.#maxValues;
  }

  /** Records an operation on one or two values of the tape, with its result at the point. */
  apply(operator: number, held: number, left: number, right?: number): OpenNumber {
    return { inputs: this, node: this.#tape.apply(operator, left, right), held };
  }

  /** Records a constant. */
  constant(value: number): number {
    return this.#tape.constant(value);
  }

  /** Records that a number must be finite although it is no angle of a gate of the table. */
  mustBeFinite({ node }: OpenNumber): void {
    this.#tape.mustBeFinite(node);
  }

  /** Records the angles of a gate that is added to the circuit. */
  addGate(angles: readonly number[], open: OpenAngles | undefined): void {
    for (let i = 0; i < angles.length; i++) {
      this.#results.push(open?.[i]?.node ?? CONSTANT);
      this.#angles.push(angles[i]!);
    }
  }

  /** Inputs whose values decide more than angles, with the reason for the first use of that kind. */
  get structural(): ReadonlyMap<number, Obstacle> {
    return this.#structural;
  }

  /** Inputs that an angle has no derivative with respect to; those that are structural are among them. */
  get obstacles(): ReadonlyMap<number, Obstacle> {
    const obstacles = new Map(this.#structural);
    if (this.#kinks.size === 0) return obstacles;
    const isNeeded = this.#tape.neededFor(this.#results);
    const isSeen = new Set<number>();
    for (const [node, obstacle] of this.#kinks) {
      if (isNeeded[node] === 0) continue;
      this.#tape.visitInputs(node, isSeen, (input) => {
        if (!obstacles.has(input)) obstacles.set(input, obstacle);
      });
    }
    return obstacles;
  }

  /** The formulas of the circuit's angles, once the program has been read. */
  formulas(): AngleFormulas {
    return this.#tape.formulas(this.#results, this.#angles);
  }
}

/** A number that follows from inputs, for code that knows nothing of them. */
export function openScalar(type: ScalarType, open: OpenNumber, width?: number): OpenScalar {
  return {
    kind: 'scalar',
    type,
    open,
    ...(width === undefined ? {} : { width }),
    // Copying the object reads this, too.
    get value() {
      open.inputs.fixNode(open.node);
      return open.held;
    },
  };
}

/** The value at the point being read, without making the inputs structural: the caller records its use. */
function heldScalar(number: Scalar): Scalar {
  const open = openOf(number);
  return open === undefined ? number : scalar(number.type, open.held, number.width);
}

/** Functions without a derivative at some places. */
const KINKED: ReadonlySet<string> = new Set(['abs', '%']);

/** Names of operations on a tape for operators and functions that have other names. */
const TAPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['pow', '**'],
  ['mod', '%'],
  ['ln', 'log'],
  ['arcsin', 'asin'],
  ['arccos', 'acos'],
  ['arctan', 'atan'],
]);

/** Applies an operator or function to one or two numbers, of which one at least is open. */
export function appliedOpen(operator: string, left: Scalar, right: Scalar | undefined): Scalar {
  const { inputs } = (openOf(left) ?? (right && openOf(right)))!;
  const name = TAPE_NAMES.get(operator) ?? operator;
  const code = codeOf(name === '-' && right === undefined ? 'negate' : name);
  // Arithmetic of whole numbers has limits and roundings that formulas have not.
  const isOfWhole = isWhole(left.type) && (right === undefined || isWhole(right.type));
  const result = applied(operator, heldScalar(left), right && heldScalar(right));
  // A whole number, or an angle with a number of bits, is rounded to its width.
  const isRounded =
    isCounted({ base: result.type, width: result.width }) || (isOfWhole && right !== undefined);
  if (code === undefined || isRounded || inputs.isFull) {
    const isDecision = isOfWhole || COMPARISONS.has(operator);
    const reason = isDecision ? DECIDES : `goes through ${operator}`;
    for (const operand of [left, right]) {
      const open = operand && openOf(operand);
      if (open !== undefined) inputs.fixNode(open.node, reason);
    }
    return result;
  }
  const { type, value } = result;
  const nodeOf = (number: Scalar) => openOf(number)?.node ?? inputs.constant(number.value);
  const open = inputs.apply(code, value, nodeOf(left), right && nodeOf(right));
  if (KINKED.has(name)) inputs.kink(open, `goes through ${operator}, which has no derivative`);
  return openScalar(type, open);
}

/** Values by the names of the program's inputs: numbers, or booleans for `input bool`. */
export type InputValues = Readonly<Record<string, unknown>>;

/** Supplies inputs and collects their faults, so that one answer lists them all. */
export class Inputs {
  /** Records how angles follow from the inputs; absent where a program is read for one point. */
  readonly open: OpenInputs | undefined;
  readonly #values: InputValues;
  readonly #declared = new Set<string>();
  readonly #faults: Fault[] = [];

  /** @param open - Inputs of many points, `values` being those of one of them. */
  constructor(values: InputValues, open?: OpenInputs) {
    this.#values = values;
    this.open = open;
  }

  /** Returns the value of a declared input. If it is missing or invalid, records a fault and returns 1. */
  take(name: string, type: NumberType): Scalar {
    this.#declared.add(name);
    const { width } = valueType(type);
    const size = isWhole(type.base) && width !== undefined ? ` of ${width} bits` : '';
    const expected = `${typeName(type.base, type.width)} is ${DESCRIPTIONS[type.base]}${size}`;
    if (!Object.hasOwn(this.#values, name)) {
      this.#add(name, `The program's input ${quoted(name)} has no value; ${expected}.`);
      return scalar(type.base, 1);
    }
    const input = this.open?.numberOf(name);
    const point = input === undefined ? -1 : this.open!.firstUnfit(input, type, numberFor);
    if (point >= 0) {
      const found = textOf(inputValueAt(this.open!.columns, input!, point));
      const problem = `The input ${quoted(name)} is ${found} at point ${point}; ${expected}.`;
      this.#add(name, problem, `[${point}]`);
      return scalar(type.base, 1);
    }
    const value = this.#values[name];
    const number = numberFor(type, value);
    if (number === undefined) {
      this.#add(name, `The input ${quoted(name)} is ${textOf(value)}; ${expected}.`);
      return scalar(type.base, 1);
    }
    return input === undefined
      ? convertedScalar(type, scalar('float', number), false)
      : this.open!.scalar(input, type);
  }

  /**
   * Returns the bits of a declared input register, least significant first. The value is a label such as
   * "011" or a whole number; otherwise a fault is recorded.
   */
  takeBits(name: string, count: number): readonly boolean[] {
    this.#declared.add(name);
    const value = Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
    const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
    const isBit = typeof value === 'boolean' && count === 1;
    const text = isNumber || isBit ? Number(value).toString(2).padStart(count, '0') : value;
    if (typeof text === 'string' && text.length === count && /^[01]+$/.test(text)) {
      const input = this.open?.numberOf(name);
      if (input !== undefined) this.open?.fix(input);
      return [...text].reverse().map((digit) => digit === '1');
    }
    const found = value === undefined ? 'has no value' : `is ${textOf(value)}`;
    const example =
      count > MAX_EXAMPLE ? '' : `, such as "${'011'.padStart(count, '0').slice(-count)}"`;
    const expected = `bit[${count}] is a label of ${count} digits 0 and 1 in quotation marks${example}, or a whole number of ${count} bits`;
    this.#add(name, `The program's input ${quoted(name)} ${found}; ${expected}.`);
    return new Array<boolean>(count).fill(false);
  }

  /** Throws if a declared input had no valid value. Called before any error that may follow from it. */
  checkTaken(): void {
    if (this.#faults.length > 0) throw new OpenQasmInputError(this.#faults);
  }

  /**
   * Throws, once the program has been read, if there are faults.
   *
   * @param mayIgnore - Whether values for inputs that the program does not declare are a warning, and no fault. A
   *   misspelt name still leaves the declared input without a value.
   */
  checkAll(mayIgnore: boolean): readonly ProgramWarning[] {
    const unknown = Object.keys(this.#values).filter((name) => !this.#declared.has(name));
    if (!mayIgnore) {
      for (const name of unknown) {
        // Searching similar names takes time for each one.
        if (this.#faults.length >= MAX_FAULTS) break;
        const suggestion = didYouMean(name, this.#declared);
        this.#add(name, `The program declares no input ${quoted(name)}.${suggestion}`);
      }
    }
    this.checkTaken();
    if (unknown.length === 0) return [];
    const names = unknown.slice(0, MAX_FAULTS).map(quoted).join(', ');
    const further = unknown.length > MAX_FAULTS ? ' and others' : '';
    const message = `The program declares no input ${names}${further}; the values are ignored.`;
    return [{ code: 'CIRCUIT_INPUT_IGNORED', message }];
  }

  #add(name: string, message: string, place = ''): void {
    if (this.#faults.length >= MAX_FAULTS) return;
    this.#faults.push({ path: `${inputPath(name)}${place}`, message });
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'boolean' ? `${value}` : quotedValue(value);

const quotedValue = (value: unknown): string =>
  quoted(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined'));

/** Bits of the longest label that is written as an example. */
const MAX_EXAMPLE = 16;

const DESCRIPTIONS: Readonly<Record<ScalarType, string>> = {
  int: 'a whole number',
  uint: 'a whole number from 0',
  float: 'a finite number',
  angle: 'a finite number, in radians',
  bool: 'true or false',
};

function numberFor(type: NumberType, value: unknown): number | undefined {
  const { base } = type;
  if (base === 'bool') return typeof value === 'boolean' ? Number(value) : undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  if (base === 'float' || base === 'angle') return value;
  if (!Number.isSafeInteger(value)) return undefined;
  return fits(valueType(type), value) ? value : undefined;
}
