/** What OpenQASM's operators and functions do to values. */
import { ALWAYS, type BitFunction, type DecisionDiagrams, NEVER } from './decision-diagram.ts';
import {
  type Bits,
  bitsOfInteger,
  bool,
  integerOf,
  isWhole,
  type Scalar,
  scalar,
  truth,
  type Value,
} from './values.ts';

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

interface FunctionSignature {
  readonly arity: number;
  readonly in2: boolean;
}

const ARITHMETIC: ReadonlyMap<string, (x: number, y: number) => number> = new Map([
  ['+', (x: number, y: number) => x + y],
  ['-', (x: number, y: number) => x - y],
  ['*', (x: number, y: number) => x * y],
  ['/', (x: number, y: number) => x / y],
  ['%', (x: number, y: number) => x % y],
  ['**', (x: number, y: number) => x ** y],
]);

const COMPARISONS: ReadonlyMap<string, (x: number, y: number) => boolean> = new Map([
  ['==', (x: number, y: number) => x === y],
  ['!=', (x: number, y: number) => x !== y],
  ['<', (x: number, y: number) => x < y],
  ['<=', (x: number, y: number) => x <= y],
  ['>', (x: number, y: number) => x > y],
  ['>=', (x: number, y: number) => x >= y],
]);

const BITWISE: ReadonlyMap<string, (x: bigint, y: bigint) => bigint> = new Map([
  ['&', (x: bigint, y: bigint) => x & y],
  ['|', (x: bigint, y: bigint) => x | y],
  ['^', (x: bigint, y: bigint) => x ^ y],
]);

/** Why a value cannot be had; the reader adds the place. */
export class ValueProblem extends Error {
  /** Whether the text means something, only nothing that is run here. */
  readonly isUnsupported: boolean;

  constructor(message: string, isUnsupported = false) {
    super(message);
    this.isUnsupported = isUnsupported;
  }
}

/** A whole number that is exact in a float; past 2^53 there is none. */
function whole(type: Scalar['type'], value: number): Scalar {
  if (Number.isFinite(value) && !Number.isSafeInteger(value)) {
    throw new ValueProblem(`A whole number passes 2^53 in size.`);
  }
  if (!Number.isFinite(value)) throw new ValueProblem('A whole number is divided by zero.');
  // −0 + 0 is 0: whole numbers have no negative zero.
  return scalar(type === 'bool' ? 'int' : type, value + 0);
}

/** The truth of a value, as a condition. */
export function truthOf(diagrams: DecisionDiagrams, value: Value): BitFunction {
  if (value.kind === 'scalar') return value.value === 0 ? NEVER : ALWAYS;
  return value.bits.reduce((any, f) => diagrams.or(any, f), NEVER);
}

/** `-x`, `!x`, `~x`. */
export function unary(diagrams: DecisionDiagrams, operator: string, operand: Value): Value {
  if (operator === '!') return truth(diagrams.not(truthOf(diagrams, operand)));
  if (operator === '~') {
    if (operand.kind === 'bits') {
      return { ...operand, bits: operand.bits.map((f) => diagrams.not(f)) };
    }
    throw new ValueProblem('~ turns the bits of a register; of a number it is not', true);
  }
  const { type, value } = asScalar(operand);
  return isWhole(type) ? whole('int', -value) : scalar(type, -value);
}

/** Any operator between two values. */
export function binary(
  diagrams: DecisionDiagrams,
  operator: string,
  left: Value,
  right: Value,
): Value {
  if (operator === '&&' || operator === '||') {
    const [f, g] = [truthOf(diagrams, left), truthOf(diagrams, right)];
    return truth(operator === '&&' ? diagrams.and(f, g) : diagrams.or(f, g));
  }
  if (left.kind === 'bits' || right.kind === 'bits') return onBits(diagrams, operator, left, right);
  return onScalars(operator, left, right);
}

function onScalars(operator: string, left: Scalar, right: Scalar): Value {
  const compare = COMPARISONS.get(operator);
  if (compare !== undefined) return bool(compare(left.value, right.value));
  const areWhole = isWhole(left.type) && isWhole(right.type);
  const bitwise = BITWISE.get(operator);
  if (bitwise !== undefined || operator === '<<' || operator === '>>') {
    if (!areWhole) throw new ValueProblem(`${operator} needs whole numbers.`);
    if (bitwise === undefined) {
      const factor = 2 ** (operator === '<<' ? right.value : -right.value);
      return whole(left.type, Math.floor(left.value * factor));
    }
    const value = Number(bitwise(BigInt(left.value), BigInt(right.value)));
    return whole(left.type, value);
  }
  const compute = ARITHMETIC.get(operator);
  if (compute === undefined) throw new Error(`unreachable: no operator is written ${operator}`);
  const value = compute(left.value, right.value);
  if (!areWhole) {
    const isAngle = left.type === 'angle' || right.type === 'angle';
    return scalar(isAngle ? 'angle' : 'float', value);
  }
  // Between whole numbers / drops the fraction, as in C; a negative power is no whole number.
  if (operator === '**' && right.value < 0) return scalar('float', value);
  const type = left.type === 'uint' && right.type === 'uint' ? 'uint' : 'int';
  return whole(type, Math.trunc(value));
}

function onBits(diagrams: DecisionDiagrams, operator: string, left: Value, right: Value): Value {
  if (operator === '<<' || operator === '>>') return shifted(operator, left, right);
  const isComparison = COMPARISONS.has(operator);
  if (!isComparison && !BITWISE.has(operator)) {
    return onScalars(operator, asScalar(left), asScalar(right));
  }
  const width = Math.max(...[left, right].map((v) => (v.kind === 'bits' ? v.bits.length : 1)));
  if (isComparison) {
    const outside = comparedOutside(operator, left, right, width);
    if (outside !== undefined) return bool(outside);
  }
  const [f, g] = [asBits(left, width), asBits(right, width)];
  switch (operator) {
    case '&':
      return { ...f, bits: f.bits.map((bit, i) => diagrams.and(bit, g.bits[i]!)) };
    case '|':
      return { ...f, bits: f.bits.map((bit, i) => diagrams.or(bit, g.bits[i]!)) };
    case '^':
      return { ...f, bits: f.bits.map((bit, i) => diagrams.xor(bit, g.bits[i]!)) };
    case '==':
      return truth(equal(diagrams, f, g));
    case '!=':
      return truth(diagrams.not(equal(diagrams, f, g)));
    case '<':
      return truth(less(diagrams, f, g));
    case '>':
      return truth(less(diagrams, g, f));
    case '<=':
      return truth(diagrams.not(less(diagrams, g, f)));
    default:
      return truth(diagrams.not(less(diagrams, f, g)));
  }
}

/** What a comparison with a number that the bits never read comes to; undefined for other numbers. */
function comparedOutside(operator: string, left: Value, right: Value, width: number) {
  const compare = COMPARISONS.get(operator)!;
  const isNever = ({ value }: Scalar) =>
    value < 0 || value >= 2 ** width || !Number.isInteger(value);
  // Any number the bits can read stands for them all, unless the other one lies between two.
  const middle = (value: number) => Math.min(Math.max(value < 0 ? 0 : value, 0), 2 ** width - 1);
  if (right.kind === 'scalar' && isNever(right)) {
    if (Number.isFinite(right.value) && !Number.isInteger(right.value)) return undefined;
    return compare(middle(right.value), right.value);
  }
  if (left.kind === 'scalar' && isNever(left)) {
    if (Number.isFinite(left.value) && !Number.isInteger(left.value)) return undefined;
    return compare(left.value, middle(left.value));
  }
  return undefined;
}

function shifted(operator: '<<' | '>>', left: Value, right: Value): Value {
  const by = asScalar(right);
  if (left.kind === 'scalar') return onScalars(operator, left, by);
  if (!isWhole(by.type) || by.value < 0) throw new ValueProblem('Bits shift by a whole number.');
  const step = operator === '<<' ? -by.value : by.value;
  return { ...left, bits: left.bits.map((_, i) => left.bits[i + step] ?? NEVER) };
}

function equal(diagrams: DecisionDiagrams, f: Bits, g: Bits): BitFunction {
  // From the highest bit down, so that each step adds one choice on top of what is there.
  return f.bits.reduceRight<BitFunction>((all, bit, i) => {
    const other = g.bits[i]!;
    return diagrams.ifThenElse(
      bit,
      diagrams.ifThenElse(other, all, NEVER),
      diagrams.ifThenElse(other, NEVER, all),
    );
  }, ALWAYS);
}

function less(diagrams: DecisionDiagrams, f: Bits, g: Bits): BitFunction {
  return f.bits.reduce<BitFunction>((below, bit, i) => {
    const other = g.bits[i]!;
    return diagrams.ifThenElse(diagrams.xor(bit, other), other, below);
  }, NEVER);
}

/** As a row of bits of that width. */
function asBits(value: Value, width: number): Bits {
  if (value.kind === 'scalar') {
    const fits = Number.isInteger(value.value) && value.value >= 0 && value.value < 2 ** width;
    if (!fits) throw new ValueProblem(`Bits are compared with whole numbers from 0.`);
    return { kind: 'bits', bits: bitsOfInteger(value.value, width), isScalar: width === 1 };
  }
  const missing = new Array<BitFunction>(width - value.bits.length).fill(NEVER);
  return { ...value, bits: [...value.bits, ...missing] };
}

/**
 * As a number known while the program is read.
 *
 * @throws {ValueProblem} where it depends on a measurement.
 */
export function asScalar(value: Value): Scalar {
  if (value.kind === 'scalar') return value;
  const known = integerOf(value.bits);
  if (known === undefined) {
    throw new ValueProblem('A number that depends on measured bits, other than in "if",', true);
  }
  return whole('uint', known);
}

/** A function of the language applied to its arguments. */
export function call(name: string, operands: readonly Value[]): Value {
  const [x, y] = operands.map(asScalar);
  if (x === undefined) throw new Error(`unreachable: ${name} without an argument`);
  const float = FLOAT_FUNCTIONS.get(name);
  if (float !== undefined) return scalar('float', float(x.value));
  switch (name) {
    case 'ceiling':
      return whole('int', Math.ceil(x.value));
    case 'floor':
      return whole('int', Math.floor(x.value));
    case 'abs':
      return scalar(x.type, Math.abs(x.value));
    case 'popcount':
      return whole('uint', [...x.value.toString(2)].filter((digit) => digit === '1').length);
    case 'pow':
      return onScalars('**', x, y!);
    case 'mod':
      return onScalars('%', x, y!);
    default:
      throw new ValueProblem(`${name}() is not`, true);
  }
}
