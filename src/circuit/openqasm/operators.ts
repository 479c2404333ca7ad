/** Applies OpenQASM's operators and functions to values, known or dependent on measured bits. */
import {
  applied,
  BITWISE,
  bool,
  COMPARISONS,
  FUNCTIONS,
  ValueProblem,
  wholeNumber,
} from '../classical-evaluation.ts';
import {
  type ClassicalExpression,
  isWhole,
  type Scalar,
  type ScalarType,
  scalar,
} from '../classical-expression.ts';
import { ALWAYS, type BitFunction, type DecisionDiagrams, NEVER } from './decision-diagram.ts';
import { appliedOpen, openOf } from './open-inputs.ts';
import {
  type Bits,
  bitsOfInteger,
  type Dynamic,
  expressionOf,
  integerOf,
  truth,
  type Value,
} from './values.ts';

/**
 * Converts a value to a condition.
 *
 * @throws {ValueProblem} where it is a number that is computed while the circuit runs.
 */
export function truthOf(diagrams: DecisionDiagrams, value: Value): BitFunction {
  if (value.kind === 'dynamic')
    throw new ValueProblem('A number computed while it runs, here,', true);
  if (value.kind === 'scalar') return value.value === 0 ? NEVER : ALWAYS;
  return value.bits.reduce((any, f) => diagrams.or(any, f), NEVER);
}

/** Type of a value as an operand; a row of bits is an unsigned number. */
function typeOf(value: Value): ScalarType {
  if (value.kind === 'bits') return value.isScalar ? 'bool' : 'uint';
  return value.type;
}

/** Whether a value depends on measured bits. */
const isMeasured = (value: Value): boolean =>
  value.kind === 'dynamic' ||
  (value.kind === 'bits' && value.bits.some((f) => f.kind === 'choice'));

/** Operations inside each other; expressions are walked and cloned by recursion, in threads of small stacks, too. */
const MAX_NESTED = 256;
/** Operations inside each other, of expressions that are in use. */
const nesting = new WeakMap<ClassicalExpression, number>();

function nestingOf(expression: ClassicalExpression): number {
  // Conversions come one at a time, each around an operation.
  if (expression.kind === 'convert') return nestingOf(expression.operand);
  return nesting.get(expression) ?? 0;
}

/**
 * Makes the expression of an operator or function that is applied while the circuit runs.
 *
 * @throws {ValueProblem} if too many operations are inside each other.
 */
function atRunTime(operator: string, operands: readonly Value[]): Dynamic {
  const [left = 'int', right] = operands.map(typeOf);
  const parts = operands.map(expressionOf);
  const expression: ClassicalExpression = { kind: 'apply', operator, operands: parts };
  const depth = 1 + Math.max(...parts.map(nestingOf));
  if (depth > MAX_NESTED) {
    const problem = `An expression of measured bits has at most ${MAX_NESTED} operations in a row`;
    throw new ValueProblem(`${problem}. Assign a part of it to a variable first.`);
  }
  nesting.set(expression, depth);
  return { kind: 'dynamic', type: resultType(operator, left, right), expression };
}

/** Type of the result, in agreement with `applied`. */
function resultType(operator: string, left: ScalarType, right: ScalarType | undefined): ScalarType {
  if (COMPARISONS.has(operator) || ['&&', '||', '!'].includes(operator)) return 'bool';
  const numeric = left === 'bool' ? 'int' : left;
  if (operator === '<<' || operator === '>>' || BITWISE.has(operator)) return numeric;
  if (right !== undefined) {
    if (!isWhole(left) || !isWhole(right)) {
      return left === 'angle' || right === 'angle' ? 'angle' : 'float';
    }
    return left === 'uint' && right === 'uint' ? 'uint' : 'int';
  }
  if (operator === '-' || operator === 'abs') return isWhole(left) ? 'int' : left;
  if (operator === 'popcount') return 'uint';
  return operator === 'ceiling' || operator === 'floor' ? 'int' : 'float';
}

/** Applies `-x`, `!x` or `~x`. */
export function unary(diagrams: DecisionDiagrams, operator: string, operand: Value): Value {
  if (operator === '!') {
    if (operand.kind === 'dynamic') return atRunTime('!', [operand]);
    return truth(diagrams.not(truthOf(diagrams, operand)));
  }
  if (operator === '~') {
    if (operand.kind === 'bits') {
      return { ...operand, bits: operand.bits.map((f) => diagrams.not(f)) };
    }
    if (typeOf(operand) === 'int') {
      return binary(diagrams, '-', unary(diagrams, '-', operand), scalar('int', 1));
    }
    throw new ValueProblem('~ of anything but a register or an int', true);
  }
  return isMeasured(operand)
    ? atRunTime('-', [operand])
    : appliedTo('-', asScalar(operand), undefined);
}

/** Applies any operator to two values. */
export function binary(
  diagrams: DecisionDiagrams,
  operator: string,
  left: Value,
  right: Value,
): Value {
  if (operator === '++') return joined(left, right);
  if (left.kind === 'dynamic' || right.kind === 'dynamic') {
    return atRunTime(operator, [left, right]);
  }
  if (operator === '&&' || operator === '||') {
    const [f, g] = [truthOf(diagrams, left), truthOf(diagrams, right)];
    return truth(operator === '&&' ? diagrams.and(f, g) : diagrams.or(f, g));
  }
  if (left.kind === 'bits' || right.kind === 'bits') return onBits(diagrams, operator, left, right);
  return appliedTo(operator, left, right);
}

/** Joins registers; the first keeps the lowest bits. */
function joined(left: Value, right: Value): Bits {
  if (left.kind === 'bits' && right.kind === 'bits') {
    return { kind: 'bits', bits: [...left.bits, ...right.bits], isScalar: false };
  }
  throw new ValueProblem('++ joins registers, or arrays, and nothing else.');
}

/** Applies an operator or function to numbers known while reading; those that follow from inputs stay open. */
function appliedTo(operator: string, left: Scalar, right: Scalar | undefined): Scalar {
  const isOpen = openOf(left) !== undefined || (right !== undefined && openOf(right) !== undefined);
  return isOpen ? appliedOpen(operator, left, right) : applied(operator, left, right);
}

function onBits(
  diagrams: DecisionDiagrams,
  operator: string,
  left: Scalar | Bits,
  right: Scalar | Bits,
): Value {
  if (operator === '<<' || operator === '>>') return shifted(operator, left, right);
  const isComparison = COMPARISONS.has(operator);
  if (!isComparison && !BITWISE.has(operator)) {
    if (isMeasured(left) || isMeasured(right)) return atRunTime(operator, [left, right]);
    return appliedTo(operator, asScalar(left), asScalar(right));
  }
  if (isComparison && [left, right].some(isFraction)) {
    return atRunTime(operator, [left, right]);
  }
  const isNegative = (v: Value) => v.kind === 'scalar' && v.value < 0;
  if (!isComparison && (isNegative(left) || isNegative(right))) {
    return atRunTime(operator, [left, right]);
  }
  const width = Math.max(...[left, right].map((v) => widthOf(v, isComparison)));
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

/** Result of comparing bits with a number that they can never read; undefined for other numbers. */
function comparedOutside(
  operator: string,
  left: Scalar | Bits,
  right: Scalar | Bits,
  width: number,
) {
  const compare = COMPARISONS.get(operator)!;
  const isNever = ({ value }: Scalar) =>
    value < 0 || value >= 2 ** width || !Number.isInteger(value);
  // A number that the bits can read represents them all: the other number is below or above every one.
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

/** Bits that an operand needs; a number that is only compared needs none of its own. */
function widthOf(value: Scalar | Bits, isCompared: boolean): number {
  if (value.kind === 'bits') return value.bits.length;
  return isCompared || value.value < 2 ? 1 : Math.floor(Math.log2(value.value)) + 1;
}

/** Whether a value is a number with a fraction. */
const isFraction = (value: Value): boolean =>
  value.kind === 'scalar' && Number.isFinite(value.value) && !Number.isInteger(value.value);

function shifted(operator: '<<' | '>>', left: Scalar | Bits, right: Scalar | Bits): Value {
  if (isMeasured(right)) return atRunTime(operator, [left, right]);
  const by = asScalar(right);
  if (left.kind === 'scalar') return applied(operator, left, by);
  if (!isWhole(by.type) || by.value < 0) throw new ValueProblem('Bits shift by a whole number.');
  const step = operator === '<<' ? -by.value : by.value;
  return { ...left, bits: left.bits.map((_, i) => left.bits[i + step] ?? NEVER) };
}

function equal(diagrams: DecisionDiagrams, f: Bits, g: Bits): BitFunction {
  // From the highest bit down, so that each step adds one node on top.
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

/** Converts a value to a row of `width` bits. */
function asBits(value: Scalar | Bits, width: number): Bits {
  if (value.kind === 'scalar') {
    const fits = Number.isInteger(value.value) && value.value >= 0 && value.value < 2 ** width;
    if (!fits)
      throw new ValueProblem(`Bits are compared only with whole numbers that are at least 0.`);
    return { kind: 'bits', bits: bitsOfInteger(value.value, width), isScalar: width === 1 };
  }
  const missing = new Array<BitFunction>(width - value.bits.length).fill(NEVER);
  return { ...value, bits: [...value.bits, ...missing] };
}

/**
 * Converts a value to a number known while the program is read.
 *
 * @throws {ValueProblem} where it depends on a measurement.
 */
export function asScalar(value: Value): Scalar {
  if (value.kind === 'scalar') return value;
  const known = value.kind === 'bits' ? integerOf(value.bits) : undefined;
  if (known === undefined) {
    throw new ValueProblem('A number that depends on measured bits, here,', true);
  }
  return wholeNumber('uint', known);
}

/** Calls a function of the language. */
export function call(name: string, operands: readonly Value[]): Value {
  const [x, y] = operands;
  if (x === undefined) throw new Error(`unreachable: ${name} without an argument`);
  if (x.kind === 'bits') {
    if (name === 'popcount') return popcount(x);
    if (name === 'rotl' || name === 'rotr') return rotated(name, x, asScalar(y!));
  }
  if (name === 'pow') return call('**', operands);
  if (name === 'mod') return call('%', operands);
  if (!FUNCTIONS.has(name) && operands.length === 1) {
    throw new Error(`unreachable: no function is called ${name}`);
  }
  if (name === 'rotl' || name === 'rotr') {
    throw new ValueProblem(`${name}() of anything but a register`, true);
  }
  if (operands.some(isMeasured)) return atRunTime(name, operands);
  return appliedTo(name, asScalar(x), y === undefined ? undefined : asScalar(y));
}

/** Counts the bits that read 1; a register may be wider than a double is exact. */
function popcount({ bits }: Bits): Value {
  const measured = bits.filter((f) => f.kind === 'choice');
  const known = scalar('uint', bits.filter((f) => f.kind === 'constant' && f.value).length);
  if (measured.length === 0) return known;
  let sums: readonly Value[] = measured.map((f) => ({ kind: 'bits', bits: [f], isScalar: true }));
  // In pairs: the sum of a wide register would be nested as deeply as it is wide.
  while (sums.length > 1) {
    const pairs = Array.from({ length: Math.ceil(sums.length / 2) }, (_, i) =>
      sums.slice(2 * i, 2 * i + 2),
    );
    sums = pairs.map((pair) => (pair.length === 1 ? pair[0]! : atRunTime('+', pair)));
  }
  return atRunTime('+', [...sums, known]);
}

/** Rotates the bits of a register by a known number of places. */
function rotated(name: 'rotl' | 'rotr', register: Bits, { type, value }: Scalar): Value {
  if (!isWhole(type)) throw new ValueProblem(`${name} turns by a whole number.`);
  const { bits } = register;
  const step = name === 'rotl' ? -value : value;
  const place = (i: number) => (((i + step) % bits.length) + bits.length) % bits.length;
  return { ...register, bits: bits.map((_, i) => bits[place(i)]!) };
}
