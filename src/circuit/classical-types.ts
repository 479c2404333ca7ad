/**
 * Types of OpenQASM's numbers, and the table of operators over them: what an operator or function converts its
 * operands to, and the type of its result.
 *
 * Values known while a program is read and values computed from measured bits share this table, so that both have the
 * width of their type at every step. Whole numbers convert as in C99, without its promotion to int: the wider type
 * wins, and at equal width `uint` does. A whole number written as digits takes the type of the other operand if it
 * fits, and is an `int` of 64 bits otherwise.
 *
 * @see OpenQASM 3 specification, "Types and casting" and "Classical instructions".
 */
import { isWhole, type Scalar, type ScalarType } from './classical-expression.ts';

/** Bits of the widest whole number that is exact in a double. */
export const MAX_WIDTH = 53;
/** Bits of the widest angle that counts multiples of 2π/2^width; a wider one is a double, like one without a width. */
export const MAX_ANGLE_WIDTH = 50;
/** Bits of an int or uint that is declared without a width. */
export const DEFAULT_WIDTH = 32;
/** Bits of a whole number written as digits where no other type gives its width. */
const LITERAL_WIDTH = 64;

/** Type of a number in a declaration, a cast or an expression. */
export interface NumberType {
  readonly base: ScalarType;
  /**
   * Width in bits; undefined for the type's default. In an expression only a bool, a float, an angle held as a
   * double, and a whole number written as digits (an `int`) have none.
   */
  readonly width: number | undefined;
}

/** Type of an operand, with the value of a whole number that is written as digits. */
export interface Operand extends NumberType {
  readonly literal?: number;
}

/** Types that an operator converts its operands to, and the type of its result. */
interface Signature {
  readonly left: NumberType;
  readonly right: NumberType;
  readonly result: NumberType;
}

/** Reason why an expression has no value. The caller adds the place in the program. */
export class ValueProblem extends Error {
  /** Whether the construct is valid OpenQASM that this service does not support. */
  readonly isUnsupported: boolean;

  constructor(message: string, isUnsupported = false) {
    super(message);
    this.isUnsupported = isUnsupported;
  }
}

const BOOL: NumberType = { base: 'bool', width: undefined };
const FLOAT: NumberType = { base: 'float', width: undefined };
const LITERAL: NumberType = { base: 'int', width: undefined };
const INT: NumberType = { base: 'int', width: DEFAULT_WIDTH };
const UINT: NumberType = { base: 'uint', width: DEFAULT_WIDTH };

/** Functions of one float. */
export const FLOAT_FUNCTIONS: ReadonlyMap<string, (x: number) => number> = new Map([
  ['sin', Math.sin],
  ['cos', Math.cos],
  ['tan', Math.tan],
  ['exp', Math.exp],
  ['ln', Math.log],
  ['log', Math.log],
  ['sqrt', Math.sqrt],
  ['asin', Math.asin],
  ['acos', Math.acos],
  ['atan', Math.atan],
  ['arcsin', Math.asin],
  ['arccos', Math.acos],
  ['arctan', Math.atan],
]);

/** Comparison operators. */
export const COMPARISONS: ReadonlyMap<string, (x: number, y: number) => boolean> = new Map([
  ['==', (x: number, y: number) => x === y],
  ['!=', (x: number, y: number) => x !== y],
  ['<', (x: number, y: number) => x < y],
  ['<=', (x: number, y: number) => x <= y],
  ['>', (x: number, y: number) => x > y],
  ['>=', (x: number, y: number) => x >= y],
]);

/** Bitwise operators of two operands. */
export const BITWISE: ReadonlyMap<string, (x: bigint, y: bigint) => bigint> = new Map([
  ['&', (x: bigint, y: bigint) => x & y],
  ['|', (x: bigint, y: bigint) => x | y],
  ['^', (x: bigint, y: bigint) => x ^ y],
]);

/** Writes a type as a program does: `int[8]`. */
export const typeName = (base: string, width: number | undefined): string =>
  width === undefined ? base : `${base}[${width}]`;

/** Type of the values that a variable of a declared type holds. */
export function valueType({ base, width }: NumberType): NumberType {
  switch (base) {
    case 'bool':
      return BOOL;
    case 'float':
      return FLOAT;
    case 'angle':
      return { base, width: width !== undefined && width <= MAX_ANGLE_WIDTH ? width : undefined };
    default:
      return { base, width: width ?? DEFAULT_WIDTH };
  }
}

/** Type of a number as an operand. */
export function operandOf(number: Scalar): Operand {
  const { type: base, width } = number;
  // Reading the value of a number that follows from inputs has consequences, so others are left alone.
  const isLiteral = base === 'int' && width === undefined;
  return isLiteral ? { base, width, literal: number.value } : { base, width };
}

/** Whether a type of whole numbers holds a value. */
export function fits({ base, width }: NumberType, value: number): boolean {
  if (width === undefined) return true;
  if (base === 'uint') return value >= 0 && value < 2 ** width;
  return value >= -(2 ** (width - 1)) && value < 2 ** (width - 1);
}

/** Whether a type counts units: a whole number, or an angle with a number of bits. */
export const isCounted = ({ base, width }: NumberType): boolean =>
  isWhole(base) || (base === 'angle' && width !== undefined);

/**
 * Types that an operator or function works on.
 *
 * @param right - Undefined for operators and functions of one operand.
 * @throws {ValueProblem} where it has no meaning for these types.
 */
export function signatureOf(operator: string, left: Operand, right?: Operand): Signature {
  if (right === undefined) {
    const { operand, result } = unarySignature(operator, left);
    return { left: operand, right: operand, result };
  }
  if (COMPARISONS.has(operator)) return { ...all(compared(left, right)), result: BOOL };
  if (BITWISE.has(operator)) return bitwise(operator, left, right);
  switch (operator) {
    case '&&':
    case '||':
      return all(BOOL);
    case '<<':
    case '>>':
      return shift(operator, left, right);
    case 'rotl':
    case 'rotr':
      return rotation(operator, left, right);
    default:
      return arithmetic(operator, left, right);
  }
}

const all = (type: NumberType): Signature => ({ left: type, right: type, result: type });

/** Type of one operand alone: as a value that is no literal. */
const plain = ({ base, width }: Operand): NumberType => ({ base, width });

function unarySignature(operator: string, operand: Operand) {
  const same = { operand: plain(operand), result: plain(operand) };
  switch (operator) {
    case '!':
      return { operand: BOOL, result: BOOL };
    case '-':
    case 'abs':
      return operand.base === 'bool' ? { operand: INT, result: INT } : same;
    case '~':
      if (isCounted(operand)) return same;
      throw new ValueProblem('~ of anything but bits, a whole number or an angle[n]', true);
    case 'popcount':
      if (isCounted(operand)) return { ...same, result: UINT };
      throw new ValueProblem(
        'popcount() of anything but bits, a whole number or an angle[n]',
        true,
      );
    case 'ceiling':
    case 'floor':
      return { operand: FLOAT, result: { base: 'int', width: LITERAL_WIDTH } as const };
    default:
      if (FLOAT_FUNCTIONS.has(operator)) return { operand: FLOAT, result: FLOAT };
      throw new ValueProblem(`${operator}()`, true);
  }
}

/** The type that two whole numbers are converted to. */
function commonWhole(left: Operand, right: Operand): NumberType {
  if (left.literal !== undefined && right.literal !== undefined) return LITERAL;
  const [one, other] = [settled(left, right), settled(right, left)];
  if (one.width === other.width) return one.base === 'uint' ? one : other;
  return one.width! > other.width! ? one : other;
}

/** Type that a literal or a bool takes next to another operand; others keep theirs. */
function settled(operand: Operand, other: Operand): NumberType {
  const value = operand.base === 'bool' ? 1 : operand.literal;
  if (value === undefined) return plain(operand);
  const isTyped = other.width !== undefined;
  const wanted = isTyped ? plain(other) : INT;
  if (fits(wanted, value)) return wanted;
  return { base: 'int', width: Math.max(LITERAL_WIDTH, wanted.width! + 1) };
}

/** Common angle type of two operands, one of them an angle at least: the wider one, and a double before all. */
function commonAngle(left: Operand, right: Operand): NumberType {
  const widths = [left, right].flatMap(({ base, width }) => (base === 'angle' ? [width] : []));
  const isDouble = widths.includes(undefined);
  return {
    base: 'angle',
    width: isDouble ? undefined : Math.max(...widths.map((width) => width!)),
  };
}

function compared(left: Operand, right: Operand): NumberType {
  if (isWhole(left.base) && isWhole(right.base)) return commonWhole(left, right);
  if (left.base !== 'angle' && right.base !== 'angle') return FLOAT;
  const angle = commonAngle(left, right);
  return angle.width === undefined ? FLOAT : angle;
}

function bitwise(operator: string, left: Operand, right: Operand): Signature {
  if (left.base === 'bool' && right.base === 'bool') return all(BOOL);
  if (isWhole(left.base) && isWhole(right.base)) return all(commonWhole(left, right));
  const angle = left.base === 'angle' || right.base === 'angle' ? commonAngle(left, right) : FLOAT;
  const { width } = angle;
  if (width === undefined) {
    throw new ValueProblem(`${operator} needs whole numbers, or angles with a width.`);
  }
  const asBits = (operand: Operand): NumberType => {
    if (operand.base === 'angle') return angle;
    const uint: NumberType = { base: 'uint', width };
    const value = operand.base === 'bool' ? 1 : operand.literal;
    const isSameWidth = operand.base === 'uint' && operand.width === width;
    if (value === undefined ? isSameWidth : fits(uint, value)) return uint;
    const other = typeName(operand.base, operand.width);
    throw new ValueProblem(
      `${operator} needs as many bits as angle[${width}] has; ${other} differs.`,
    );
  };
  return { left: asBits(left), right: asBits(right), result: angle };
}

function shift(operator: string, left: Operand, right: Operand): Signature {
  if (!isWhole(right.base)) {
    throw new ValueProblem(`${operator} shifts by a whole number that is at least 0.`);
  }
  if (!isCounted(left)) {
    throw new ValueProblem(
      `${operator} needs a whole number, or an angle with a width, such as angle[16].`,
    );
  }
  const isKnown = left.literal !== undefined && right.literal !== undefined;
  const type = isKnown || left.width !== undefined ? plain(left) : alone(left);
  return { left: type, right: plain(right), result: type };
}

/** Type of a literal or a bool next to which nothing gives one. */
const alone = ({ base }: Operand): NumberType =>
  base === 'bool' ? INT : { base: 'int', width: LITERAL_WIDTH };

function rotation(operator: string, left: Operand, right: Operand): Signature {
  if (!isWhole(right.base)) throw new ValueProblem(`${operator} turns by a whole number.`);
  if (left.width === undefined || left.base === 'int') {
    throw new ValueProblem(`${operator}() of anything but bits, a uint or an angle[n]`, true);
  }
  return { left: plain(left), right: plain(right), result: plain(left) };
}

function arithmetic(operator: string, left: Operand, right: Operand): Signature {
  if (isWhole(left.base) && isWhole(right.base)) return all(commonWhole(left, right));
  const isAngle = left.base === 'angle' || right.base === 'angle';
  if (!isAngle || operator === '**') return all(FLOAT);
  const angle = commonAngle(left, right);
  if (operator === '/' && right.base === 'angle') {
    if (left.base !== 'angle' || angle.width === undefined) return all(FLOAT);
    return { left: angle, right: angle, result: { base: 'uint', width: angle.width } };
  }
  if (angle.width === undefined) return { ...all(FLOAT), result: angle };
  if (operator === '+' || operator === '-' || operator === '%') return all(angle);
  // A whole number beside an angle multiplies or divides it, and stays a count.
  if (isWhole(right.base)) return { left: angle, right: plain(right), result: angle };
  if (isWhole(left.base)) return { left: plain(left), right: angle, result: angle };
  return { ...all(FLOAT), result: angle };
}
