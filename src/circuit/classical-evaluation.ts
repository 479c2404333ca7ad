/**
 * Arithmetic of OpenQASM's operators, functions and types. Reading a program and running its circuit share
 * this code.
 */
import type { Bit } from './classical-expression.ts';
import {
  type BitDiagram,
  type BitEncoding,
  type ClassicalExpression,
  FLOAT_BITS,
  isWhole,
  type Scalar,
  type ScalarType,
  scalar,
  TRUE_NODE,
} from './classical-expression.ts';

/** Bits of the widest whole number that is exact in a double. */
export const MAX_WIDTH = 53;

/** Functions of one float. */
const FLOAT_FUNCTIONS: ReadonlyMap<string, (x: number) => number> = new Map([
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

interface FunctionSignature {
  readonly arity: number;
  readonly in2: boolean;
}

/** Functions of a program with the number of their arguments, and whether OpenQASM 2 has them. */
export const FUNCTIONS: ReadonlyMap<string, FunctionSignature> = new Map<string, FunctionSignature>(
  [
    ...[...FLOAT_FUNCTIONS.keys()].map((name) => [name, { arity: 1, in2: true }] as const),
    ...['ceiling', 'floor', 'popcount', 'abs'].map(
      (name) => [name, { arity: 1, in2: false }] as const,
    ),
    ...['mod', 'pow', 'rotl', 'rotr'].map((name) => [name, { arity: 2, in2: false }] as const),
  ],
);

const ARITHMETIC: ReadonlyMap<string, (x: number, y: number) => number> = new Map([
  ['+', (x: number, y: number) => x + y],
  ['-', (x: number, y: number) => x - y],
  ['*', (x: number, y: number) => x * y],
  ['/', (x: number, y: number) => x / y],
  ['%', (x: number, y: number) => x % y],
  ['**', (x: number, y: number) => x ** y],
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

/** Bitwise operators on whole numbers. */
export const BITWISE: ReadonlyMap<string, (x: bigint, y: bigint) => bigint> = new Map([
  ['&', (x: bigint, y: bigint) => x & y],
  ['|', (x: bigint, y: bigint) => x | y],
  ['^', (x: bigint, y: bigint) => x ^ y],
]);

/** Reason why an expression has no value. The caller adds the place in the program. */
export class ValueProblem extends Error {
  /** Whether the construct is valid OpenQASM that this service does not support. */
  readonly isUnsupported: boolean;

  constructor(message: string, isUnsupported = false) {
    super(message);
    this.isUnsupported = isUnsupported;
  }
}

/** Writes a type as a program does: `int[8]`. */
export const typeName = (base: string, width: number | undefined): string =>
  width === undefined ? base : `${base}[${width}]`;

/** Makes a bool. */
export const bool = (value: boolean): Scalar => scalar('bool', value ? 1 : 0);

/**
 * Makes a whole number, which must be exact in a double.
 *
 * @throws {ValueProblem} if it exceeds 2^53 or is not finite.
 */
export function wholeNumber(type: ScalarType, value: number): Scalar {
  if (Number.isFinite(value) && !Number.isSafeInteger(value)) {
    throw new ValueProblem('A whole number exceeds 2^53 in size.');
  }
  if (!Number.isFinite(value)) throw new ValueProblem('A whole number is divided by zero.');
  // Adding 0 turns −0 into 0: whole numbers have no negative zero.
  return scalar(type === 'bool' ? 'int' : type, value + 0);
}

/**
 * Applies an operator or function to one or two numbers.
 *
 * @param right - Undefined for operators and functions of one number.
 * @throws {ValueProblem} where there is no result.
 */
export function applied(operator: string, left: Scalar, right: Scalar | undefined): Scalar {
  if (right === undefined) return appliedToOne(operator, left);
  switch (operator) {
    case '&&':
      return bool(left.value !== 0 && right.value !== 0);
    case '||':
      return bool(left.value !== 0 || right.value !== 0);
    case 'pow':
      return applied('**', left, right);
    case 'mod':
      return applied('%', left, right);
    case '<<':
    case '>>':
      return shifted(operator, left, right);
  }
  const compare = COMPARISONS.get(operator);
  if (compare !== undefined) return bool(compare(left.value, right.value));
  const areWhole = isWhole(left.type) && isWhole(right.type);
  const bitwise = BITWISE.get(operator);
  if (bitwise !== undefined) {
    if (!areWhole) throw new ValueProblem(`${operator} needs whole numbers.`);
    return wholeNumber(left.type, Number(bitwise(BigInt(left.value), BigInt(right.value))));
  }
  const compute = ARITHMETIC.get(operator);
  if (compute === undefined) throw new ValueProblem(`${operator}()`, true);
  const value = compute(left.value, right.value);
  if (!areWhole) {
    const isAngle = left.type === 'angle' || right.type === 'angle';
    return scalar(isAngle ? 'angle' : 'float', value);
  }
  // Division of whole numbers drops the fraction, as in C; a negative power gives a float.
  if (operator === '**' && right.value < 0) return scalar('float', value);
  const type = left.type === 'uint' && right.type === 'uint' ? 'uint' : 'int';
  return wholeNumber(type, Math.trunc(value));
}

function shifted(operator: '<<' | '>>', left: Scalar, right: Scalar): Scalar {
  if (!isWhole(right.type) || right.value < 0) {
    throw new ValueProblem(`${operator} shifts by a whole number that is at least 0.`);
  }
  const factor = 2 ** (operator === '<<' ? right.value : -right.value);
  if (left.type === 'angle' && left.width !== undefined) {
    return angleOfMultiple(Math.floor(multipleOf(left.value, left.width) * factor), left.width);
  }
  if (!isWhole(left.type)) {
    throw new ValueProblem(
      `${operator} needs a whole number, or an angle with a width, such as angle[16].`,
    );
  }
  return wholeNumber(left.type, Math.floor(left.value * factor));
}

function appliedToOne(operator: string, operand: Scalar): Scalar {
  const { type, value } = operand;
  const float = FLOAT_FUNCTIONS.get(operator);
  if (float !== undefined) return scalar('float', float(value));
  switch (operator) {
    case '-':
      return isWhole(type) ? wholeNumber('int', -value) : scalar(type, -value);
    case '!':
      return bool(value === 0);
    case 'ceiling':
      return wholeNumber('int', Math.ceil(value));
    case 'floor':
      return wholeNumber('int', Math.floor(value));
    case 'abs':
      return scalar(type, Math.abs(value));
    case 'popcount':
      return wholeNumber('uint', [...value.toString(2)].filter((digit) => digit === '1').length);
    default:
      throw new ValueProblem(`${operator}()`, true);
  }
}

/** Type of a number in a declaration or a cast. */
export interface NumberType {
  readonly base: ScalarType;
  /** Width in bits; undefined for the type's default. */
  readonly width: number | undefined;
}

/**
 * Converts a number to a type, as assigning it to a variable of that type does.
 *
 * @param isCast - Whether fractions are dropped, as in a cast.
 * @throws {ValueProblem} where the type cannot hold the number.
 */
export function convertedScalar(
  { base, width }: NumberType,
  { value }: Scalar,
  isCast: boolean,
): Scalar {
  if (base === 'bool') return bool(value !== 0);
  if (base === 'float') return scalar(base, value);
  if (base === 'angle') {
    if (width === undefined || width >= MAX_WIDTH) return scalar(base, value);
    return angleOfMultiple(multipleOf(value, width), width);
  }
  if (!Number.isInteger(value) && !isCast) {
    throw new ValueProblem(
      `${value} is not a whole number, and ${typeName(base, width)} holds only those. The cast ${base}(…) drops the fraction.`,
    );
  }
  if (!Number.isFinite(value)) throw new ValueProblem('A cast needs a finite number.');
  return wrapped(base, width, Math.trunc(value) + 0);
}

/** Keeps the lowest `width` bits of a whole number. */
function wrapped(base: 'int' | 'uint', width: number | undefined, value: number): Scalar {
  if (base === 'uint' && width === undefined && value < 0) {
    throw new ValueProblem(`uint holds no negative number; this one is ${value}.`);
  }
  if (width === undefined || width >= MAX_WIDTH) return scalar(base, value);
  const size = 2 ** width;
  const low = ((value % size) + size) % size;
  return scalar(base, base === 'int' && low >= size / 2 ? low - size : low);
}

/** Nearest multiple of 2π/2^width to an angle, as a whole number; not reduced modulo 2^width. */
function multipleOf(angle: number, width: number): number {
  return Math.round((angle / (2 * Math.PI)) * 2 ** width);
}

function angleOfMultiple(multiple: number, width: number): Scalar {
  const size = 2 ** width;
  const low = ((multiple % size) + size) % size;
  return { ...scalar('angle', (low / size) * 2 * Math.PI), width };
}

/** Returns the current value of a bit. */
type ReadBit = (bit: Bit) => boolean;

/** Evaluates a boolean function of bits. */
function diagramHolds(diagram: BitDiagram, read: ReadBit): boolean {
  if (typeof diagram === 'boolean') return diagram;
  if (typeof diagram === 'number') return read(diagram);
  let place = diagram.nodes.length - 1;
  while (place >= 0) {
    const [bit, low, high] = diagram.nodes[place]!;
    place = read(bit) ? high : low;
  }
  return place === TRUE_NODE;
}

/**
 * Evaluates an expression with the current values of the bits.
 *
 * @throws {ValueProblem} where it has no value: a division by zero, a whole number past 2^53.
 */
export function evaluateExpression(expression: ClassicalExpression, read: ReadBit): Scalar {
  switch (expression.kind) {
    case 'scalar':
      return expression;
    case 'read': {
      const { type, encoding } = expression;
      const bits = expression.bits.map((diagram) => diagramHolds(diagram, read));
      const value = decoded(bits, encoding);
      return type === 'angle' && encoding === 'uint'
        ? angleOfMultiple(value, bits.length)
        : scalar(type, value);
    }
    case 'apply': {
      const [left, right] = expression.operands.map((part) => evaluateExpression(part, read));
      if (left === undefined) throw new Error('unreachable: an operator without operands');
      return applied(expression.operator, left, right);
    }
    case 'select': {
      const test = evaluateExpression(expression.test, read);
      const chosen = test.value !== 0 ? expression.whenTrue : expression.whenFalse;
      return evaluateExpression(chosen, read);
    }
    case 'convert': {
      const { type: base, width, isCast, operand } = expression;
      return convertedScalar({ base, width }, evaluateExpression(operand, read), isCast);
    }
  }
}

/**
 * Bits that an assignment writes into a register of `numBits` bits, least significant first.
 *
 * @throws {ValueProblem} as `evaluateExpression`.
 */
export function bitsToWrite(
  value: ClassicalExpression,
  numBits: number,
  read: ReadBit,
): readonly boolean[] {
  if (value.kind === 'read' && (isWhole(value.type) || value.bits.length === numBits)) {
    // Copied bit by bit, because a register may be wider than a double is exact.
    const bits = value.bits.map((diagram) => diagramHolds(diagram, read));
    const sign = value.encoding === 'int' && bits.at(-1) === true;
    return Array.from({ length: numBits }, (_, i) => bits[i] ?? sign);
  }
  return encoded(evaluateExpression(value, read), numBits);
}

const buffer = new DataView(new ArrayBuffer(8));

function decoded(bits: readonly boolean[], encoding: BitEncoding): number {
  if (encoding === 'float') {
    for (let word = 0; word < 2; word++) {
      let value = 0;
      for (let i = 0; i < 32; i++) if (bits[32 * word + i]) value |= 1 << i;
      buffer.setInt32(4 * word, value, true);
    }
    return buffer.getFloat64(0, true);
  }
  let value = 0;
  for (const [i, bit] of bits.entries()) if (bit) value += 2 ** i;
  return encoding === 'int' && bits.at(-1) === true ? value - 2 ** bits.length : value;
}

function encoded({ type, value }: Scalar, numBits: number): readonly boolean[] {
  if (!isWhole(type) && numBits === FLOAT_BITS) {
    buffer.setFloat64(0, value, true);
    const words = [buffer.getInt32(0, true), buffer.getInt32(4, true)];
    return Array.from({ length: numBits }, (_, i) => ((words[i >> 5]! >> (i & 31)) & 1) === 1);
  }
  const whole = type === 'angle' ? multipleOf(value, numBits) : value;
  if (!Number.isInteger(whole)) throw new ValueProblem(`${whole} is not a whole number.`);
  // Two's complement; higher bits are dropped.
  const low = BigInt.asUintN(numBits, BigInt(whole));
  return Array.from({ length: numBits }, (_, i) => ((low >> BigInt(i)) & 1n) === 1n);
}
