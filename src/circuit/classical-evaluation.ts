/**
 * What OpenQASM's operators, functions and types do to numbers. The same code works values out while a
 * program is read and while its circuit runs.
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

/** Wider whole numbers are not exact in a double. */
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

/** Names that take arguments, with how many; what OpenQASM 2 lacks is told apart. */
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

/** Comparisons by how they are written. */
export const COMPARISONS: ReadonlyMap<string, (x: number, y: number) => boolean> = new Map([
  ['==', (x: number, y: number) => x === y],
  ['!=', (x: number, y: number) => x !== y],
  ['<', (x: number, y: number) => x < y],
  ['<=', (x: number, y: number) => x <= y],
  ['>', (x: number, y: number) => x > y],
  ['>=', (x: number, y: number) => x >= y],
]);

/** Operators on whole numbers bit by bit. */
export const BITWISE: ReadonlyMap<string, (x: bigint, y: bigint) => bigint> = new Map([
  ['&', (x: bigint, y: bigint) => x & y],
  ['|', (x: bigint, y: bigint) => x | y],
  ['^', (x: bigint, y: bigint) => x ^ y],
]);

/** Why a value cannot be had; whoever asked for it adds the place. */
export class ValueProblem extends Error {
  /** Whether the text means something, only nothing that is run here. */
  readonly isUnsupported: boolean;

  constructor(message: string, isUnsupported = false) {
    super(message);
    this.isUnsupported = isUnsupported;
  }
}

/** A type as a program writes it. */
export const typeName = (base: string, width: number | undefined): string =>
  width === undefined ? base : `${base}[${width}]`;

/** A bool. */
export const bool = (value: boolean): Scalar => scalar('bool', value ? 1 : 0);

/** A whole number that is exact in a float; past 2^53 there is none. */
export function wholeNumber(type: ScalarType, value: number): Scalar {
  if (Number.isFinite(value) && !Number.isSafeInteger(value)) {
    throw new ValueProblem('A whole number passes 2^53 in size.');
  }
  if (!Number.isFinite(value)) throw new ValueProblem('A whole number is divided by zero.');
  // −0 + 0 is 0: whole numbers have no negative zero.
  return scalar(type === 'bool' ? 'int' : type, value + 0);
}

/**
 * An operator or function applied to numbers.
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
  // Between whole numbers / drops the fraction, as in C; a negative power is no whole number.
  if (operator === '**' && right.value < 0) return scalar('float', value);
  const type = left.type === 'uint' && right.type === 'uint' ? 'uint' : 'int';
  return wholeNumber(type, Math.trunc(value));
}

function shifted(operator: '<<' | '>>', left: Scalar, right: Scalar): Scalar {
  if (!isWhole(right.type) || right.value < 0) {
    throw new ValueProblem(`${operator} shifts by a whole number from 0.`);
  }
  const factor = 2 ** (operator === '<<' ? right.value : -right.value);
  if (left.type === 'angle' && left.width !== undefined) {
    return angleOfMultiple(Math.floor(multipleOf(left.value, left.width) * factor), left.width);
  }
  if (!isWhole(left.type)) {
    throw new ValueProblem(`${operator} needs a whole number, or an angle of so many bits.`);
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

/** A number's type in a declaration or a cast. */
export interface NumberType {
  readonly base: ScalarType;
  /** In bits. */
  readonly width: number | undefined;
}

/**
 * A number as a variable of that type holds it.
 *
 * @param isCast - Whether fractions are dropped, as a cast does.
 * @throws {ValueProblem} where it does not fit.
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
      `${value} is no whole number; ${typeName(base, width)} holds those. A cast, ${base}(…), drops the fraction.`,
    );
  }
  if (!Number.isFinite(value)) throw new ValueProblem('A cast of what is no number.');
  return wrapped(base, width, Math.trunc(value) + 0);
}

/** A whole number in `width` bits, the higher ones dropped. */
function wrapped(base: 'int' | 'uint', width: number | undefined, value: number): Scalar {
  if (base === 'uint' && width === undefined && value < 0) {
    throw new ValueProblem(`uint holds no negative number, and here it would be ${value}.`);
  }
  if (width === undefined || width >= MAX_WIDTH) return scalar(base, value);
  const size = 2 ** width;
  const low = ((value % size) + size) % size;
  return scalar(base, base === 'int' && low >= size / 2 ? low - size : low);
}

/** The whole number of 2π/2^width nearest to an angle, not reduced. */
function multipleOf(angle: number, width: number): number {
  return Math.round((angle / (2 * Math.PI)) * 2 ** width);
}

function angleOfMultiple(multiple: number, width: number): Scalar {
  const size = 2 ** width;
  const low = ((multiple % size) + size) % size;
  return { ...scalar('angle', (low / size) * 2 * Math.PI), width };
}

/** What a bit reads. */
export type ReadBit = (bit: Bit) => boolean;

/** Whether the function holds. */
export function diagramHolds(diagram: BitDiagram, read: ReadBit): boolean {
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
 * The value of an expression while bits read what they do.
 *
 * @throws {ValueProblem} where it has none: a division by zero, a whole number past 2^53.
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
 * What an assignment writes into that many bits, least significant first.
 *
 * @throws {ValueProblem} as `evaluateExpression`.
 */
export function bitsToWrite(
  value: ClassicalExpression,
  numBits: number,
  read: ReadBit,
): readonly boolean[] {
  if (value.kind === 'read' && (isWhole(value.type) || value.bits.length === numBits)) {
    // Bit by bit, so that a register may be wider than a number is exact.
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
  if (!Number.isInteger(whole)) throw new ValueProblem(`${whole} is no whole number.`);
  // Two's complement, the higher bits dropped.
  const low = BigInt.asUintN(numBits, BigInt(whole));
  return Array.from({ length: numBits }, (_, i) => ((low >> BigInt(i)) & 1n) === 1n);
}
