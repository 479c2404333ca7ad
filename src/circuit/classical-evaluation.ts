/**
 * Arithmetic of OpenQASM's operators, functions and types. Reading a program and running its circuit share
 * this code.
 */
import type { Bit } from './classical-expression.ts';
import {
  type BitDiagram,
  type ClassicalExpression,
  FLOAT_BITS,
  isWhole,
  type Scalar,
  type ScalarType,
  scalar,
  TRUE_NODE,
} from './classical-expression.ts';
import {
  BITWISE,
  COMPARISONS,
  DEFAULT_WIDTH,
  FLOAT_FUNCTIONS,
  fits,
  isCounted,
  MAX_WIDTH,
  type NumberType,
  operandOf,
  signatureOf,
  typeName,
  ValueProblem,
  valueType,
} from './classical-types.ts';

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

interface Arithmetic {
  readonly float: (x: number, y: number) => number;
  /** The same of whole numbers; a quotient loses its fraction, as in C. */
  readonly whole: (x: bigint, y: bigint) => bigint;
}

const ARITHMETIC: ReadonlyMap<string, Arithmetic> = new Map<string, Arithmetic>([
  ['+', { float: (x, y) => x + y, whole: (x, y) => x + y }],
  ['-', { float: (x, y) => x - y, whole: (x, y) => x - y }],
  ['*', { float: (x, y) => x * y, whole: (x, y) => x * y }],
  ['/', { float: (x, y) => x / y, whole: (x, y) => x / y }],
  ['%', { float: (x, y) => x % y, whole: (x, y) => x % y }],
]);

/** Makes a bool. */
export const bool = (value: boolean): Scalar => scalar('bool', value ? 1 : 0);

/**
 * Makes a whole number of a type: keeps its lowest bits.
 *
 * @throws {ValueProblem} if it is not exact in a double.
 */
export function wholeNumber({ base, width }: NumberType, value: number | bigint): Scalar {
  const low =
    typeof value === 'number' && fits({ base, width }, value)
      ? value
      : Number(width === undefined ? value : lowBits(base, width, BigInt(value)));
  if (!Number.isSafeInteger(low)) throw new ValueProblem('A whole number exceeds 2^53 in size.');
  // Adding 0 turns −0 into 0: whole numbers have no negative zero.
  return scalar(base, low + 0, width);
}

const lowBits = (base: ScalarType, width: number, value: bigint): bigint =>
  base === 'int' ? BigInt.asIntN(width, value) : BigInt.asUintN(width, value);

/**
 * Applies an operator or function to one or two numbers.
 *
 * @param right - Undefined for operators and functions of one number.
 * @throws {ValueProblem} where there is no result.
 */
export function applied(operator: string, left: Scalar, right: Scalar | undefined): Scalar {
  const types = signatureOf(operator, operandOf(left), right && operandOf(right));
  const x = represented(left, types.left);
  if (right === undefined) return appliedToOne(operator, x, types.left, types.result);
  const y = represented(right, types.right);
  const compare = COMPARISONS.get(operator);
  if (compare !== undefined) return bool(compare(x, y));
  const bitwise = BITWISE.get(operator);
  if (bitwise !== undefined) return ofType(types.result, bitwise(BigInt(x), BigInt(y)));
  switch (operator) {
    case '&&':
      return bool(x !== 0 && y !== 0);
    case '||':
      return bool(x !== 0 || y !== 0);
    case '<<':
    case '>>':
      return ofType(types.result, shifted(operator, x, y, types.left.width));
    case 'rotl':
      return ofType(types.result, rotated(x, y, types.left.width!));
    case 'rotr':
      return ofType(types.result, rotated(x, -y, types.left.width!));
    case '**':
      return isWhole(types.left.base) ? power(x, y, types.result) : scalar('float', x ** y);
  }
  const compute = ARITHMETIC.get(operator);
  if (compute === undefined) throw new ValueProblem(`${operator}()`, true);
  const isWholeResult = isCounted(types.left) && isCounted(types.right);
  if (!isWholeResult) return ofType(types.result, compute.float(x, y));
  if (y === 0 && (operator === '/' || operator === '%')) {
    throw new ValueProblem('A whole number is divided by zero.');
  }
  return ofType(types.result, compute.whole(BigInt(x), BigInt(y)));
}

/** A number as the operator computes with it: angles of n bits as multiples of 2π/2^n. */
function represented(number: Scalar, { base, width }: NumberType): number {
  if (base === 'bool') return number.value === 0 ? 0 : 1;
  if (isWhole(base)) {
    return isWhole(number.type) ? wholeNumber({ base, width }, number.value).value : number.value;
  }
  return base === 'angle' && width !== undefined ? multipleOf(number, width) : number.value;
}

/** The number of a type that has this representation; a bigint counts the units of the type. */
function ofType(type: NumberType, value: number | bigint): Scalar {
  const { base, width } = type;
  if (base === 'bool') return bool(Number(value) !== 0);
  if (isWhole(base)) return wholeNumber(type, value);
  if (typeof value === 'bigint' && width !== undefined) return angleOfMultiple(value, width);
  return convertedScalar(type, scalar('float', Number(value)), false);
}

function shifted(operator: '<<' | '>>', x: number, by: number, width: number | undefined): bigint {
  if (by < 0) throw new ValueProblem(`${operator} shifts by a whole number that is at least 0.`);
  // Beyond the width nothing but the sign is left, and beyond 2^53 no literal is.
  const places = BigInt(Math.min(by, width ?? MAX_WIDTH + 1));
  return operator === '<<' ? BigInt(x) << places : BigInt(x) >> places;
}

function rotated(x: number, by: number, width: number): bigint {
  const left = ((by % width) + width) % width;
  const value = BigInt(x) << BigInt(left);
  return value | (value >> BigInt(width));
}

/** A power of whole numbers; one with a negative exponent is a float. */
function power(x: number, y: number, type: NumberType): Scalar {
  if (y < 0) return scalar('float', x ** y);
  const exact = x ** y;
  if (Number.isSafeInteger(exact) || type.width === undefined) return wholeNumber(type, exact);
  let result = 1n;
  for (let square = BigInt(x), rest = y; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = BigInt.asUintN(type.width, result * square);
    square = BigInt.asUintN(type.width, square * square);
  }
  return wholeNumber(type, result);
}

function appliedToOne(operator: string, x: number, type: NumberType, result: NumberType): Scalar {
  const float = FLOAT_FUNCTIONS.get(operator);
  if (float !== undefined) return scalar('float', float(x));
  switch (operator) {
    case '-':
      return isCounted(type) ? ofType(result, BigInt(-x)) : scalar(type.base, -x);
    case '~':
      return type.base === 'bool' ? bool(x === 0) : ofType(result, BigInt(-1 - x));
    case '!':
      return bool(x === 0);
    case 'ceiling':
    case 'floor': {
      if (!Number.isFinite(x)) throw new ValueProblem(`${operator} needs a finite number.`);
      return wholeNumber(result, operator === 'floor' ? Math.floor(x) : Math.ceil(x));
    }
    case 'abs':
      return isCounted(type) ? ofType(result, BigInt(Math.abs(x))) : scalar(type.base, Math.abs(x));
    default:
      return wholeNumber(result, onesIn(x, type));
  }
}

function onesIn(x: number, { width }: NumberType): number {
  if (width === undefined && x < 0) {
    throw new ValueProblem('The bits of a negative number depend on its width, as in int[8](…).');
  }
  const bits = width === undefined ? BigInt(x) : BigInt.asUintN(width, BigInt(x));
  return [...bits.toString(2)].filter((digit) => digit === '1').length;
}

/**
 * Converts a number to a declared type, as assigning it to a variable of that type does.
 *
 * @param isCast - Whether fractions are dropped, as in a cast.
 * @throws {ValueProblem} where the type cannot hold the number.
 */
export function convertedScalar(declared: NumberType, number: Scalar, isCast: boolean): Scalar {
  const { base, width } = valueType(declared);
  const { value } = number;
  if (base === 'bool') return bool(value !== 0);
  if (base === 'float') return scalar(base, value);
  if (base === 'angle') {
    if (width === undefined) return scalar(base, value);
    if (!Number.isFinite(value)) throw new ValueProblem(`${typeName(base, width)} is finite.`);
    return angleOfMultiple(BigInt(multipleOf(number, width)), width);
  }
  if (!Number.isInteger(value) && !isCast) {
    throw new ValueProblem(
      `${value} is not a whole number, and ${typeName(base, declared.width)} holds only those. The cast ${base}(…) drops the fraction.`,
    );
  }
  if (!Number.isFinite(value)) throw new ValueProblem('A cast needs a finite number.');
  if (declared.width === undefined && operandOf(number).literal !== undefined) {
    checkLiteral(base, value);
  }
  return wholeNumber({ base, width }, Math.trunc(value));
}

/** Checks that an int or uint without a width holds a number written as digits, which may fill all its bits. */
function checkLiteral(base: ScalarType, value: number): void {
  if (base === 'uint' && value < 0) {
    throw new ValueProblem(`uint holds no negative number; this one is ${value}.`);
  }
  if (value < -(2 ** (DEFAULT_WIDTH - 1)) || value >= 2 ** DEFAULT_WIDTH) {
    const wider = typeName(base, 2 * DEFAULT_WIDTH);
    throw new ValueProblem(
      `${value} needs more than the ${DEFAULT_WIDTH} bits of ${base} without a width; ${wider} holds it.`,
    );
  }
}

/**
 * Nearest multiple of 2π/2^width to an angle, as a whole number, of two the even one. It is not reduced modulo
 * 2^width.
 */
function multipleOf({ type, value, width: own }: Scalar, width: number): number {
  const turns = value / (2 * Math.PI);
  if (type !== 'angle' || own === undefined) return roundToEven(turns * 2 ** width);
  return roundToEven(Math.round(turns * 2 ** own) * 2 ** (width - own));
}

function roundToEven(x: number): number {
  const rounded = Math.round(x);
  return rounded - x === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

function angleOfMultiple(multiple: bigint, width: number): Scalar {
  const low = Number(BigInt.asUintN(width, multiple));
  return scalar('angle', (low / 2 ** width) * 2 * Math.PI, width);
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
      if (encoding === 'float') return scalar(type, decodedFloat(bits));
      return ofType({ base: type, width: bits.length }, countOf(bits));
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

function decodedFloat(bits: readonly boolean[]): number {
  for (let word = 0; word < 2; word++) {
    let value = 0;
    for (let i = 0; i < 32; i++) if (bits[32 * word + i]) value |= 1 << i;
    buffer.setInt32(4 * word, value, true);
  }
  return buffer.getFloat64(0, true);
}

/** The whole number that bits are, the first one least significant. */
export function countOf(bits: readonly boolean[]): bigint {
  let value = 0;
  if (bits.length < MAX_WIDTH) {
    for (const [i, bit] of bits.entries()) if (bit) value += 2 ** i;
    return BigInt(value);
  }
  return BigInt(`0b${bits.map(Number).reverse().join('')}`);
}

function encoded(number: Scalar, numBits: number): readonly boolean[] {
  const { type, value } = number;
  if (!isWhole(type) && numBits === FLOAT_BITS) {
    buffer.setFloat64(0, value, true);
    const words = [buffer.getInt32(0, true), buffer.getInt32(4, true)];
    return Array.from({ length: numBits }, (_, i) => ((words[i >> 5]! >> (i & 31)) & 1) === 1);
  }
  const whole = type === 'angle' ? multipleOf(number, numBits) : value;
  if (!Number.isInteger(whole)) throw new ValueProblem(`${whole} is not a whole number.`);
  // Two's complement; higher bits are dropped.
  const low = BigInt.asUintN(numBits, BigInt(whole));
  return Array.from({ length: numBits }, (_, i) => ((low >> BigInt(i)) & 1n) === 1n);
}
