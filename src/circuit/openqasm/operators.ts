/**
 * Applies OpenQASM's operators and functions to values, known or dependent on measured bits.
 *
 * Both follow the table of `classical-types.ts`. Known numbers are computed at once, and others while the circuit runs,
 * by the same code. Operators that act on bits one by one give functions of bits, which stay exact at any width and
 * which conditions can test.
 */
import { applied, bool } from '../classical-evaluation.ts';
import { type ClassicalExpression, isWhole, type Scalar, scalar } from '../classical-expression.ts';
import {
  BITWISE,
  COMPARISONS,
  MAX_WIDTH,
  type NumberType,
  signatureOf,
  ValueProblem,
} from '../classical-types.ts';
import { ALWAYS, type BitFunction, type DecisionDiagrams, NEVER } from './decision-diagram.ts';
import { combinedParts, type DurationPart } from './duration-arithmetic.ts';
import { appliedOpen, openOf } from './open-inputs.ts';
import {
  type Bits,
  bitsFor,
  type Dynamic,
  durationProblem,
  expressionOf,
  isMeasured,
  numberOfBits,
  resized,
  truth,
  typeOf,
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
  if (value.kind === 'duration') throw durationProblem();
  if (value.kind === 'scalar') return value.value === 0 ? NEVER : ALWAYS;
  return value.bits.reduce((any, f) => diagrams.or(any, f), NEVER);
}

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
function atRunTime(operator: string, left: Value, right?: Value): Dynamic {
  const { result } = signatureOf(operator, typeOf(left), right && typeOf(right));
  const parts = (right === undefined ? [left] : [left, right]).map(expressionOf);
  const expression: ClassicalExpression = { kind: 'apply', operator, operands: parts };
  const depth = 1 + Math.max(...parts.map(nestingOf));
  if (depth > MAX_NESTED) {
    const problem = `An expression of measured bits has at most ${MAX_NESTED} operations in a row`;
    throw new ValueProblem(`${problem}. Assign a part of it to a variable first.`);
  }
  nesting.set(expression, depth);
  return { kind: 'dynamic', type: result.base, width: result.width, expression };
}

/** Applies an operator or function where its operands are known, and leaves it to the run of the circuit otherwise. */
function computed(operator: string, left: Value, right?: Value): Value {
  if (isMeasured(left) || (right !== undefined && isMeasured(right))) {
    return atRunTime(operator, left, right);
  }
  const [x, y] = [asScalar(left), right && asScalar(right)];
  const isOpen = openOf(x) !== undefined || (y !== undefined && openOf(y) !== undefined);
  return isOpen ? appliedOpen(operator, x, y) : applied(operator, x, y);
}

/** Whether an operator on bits is applied bit by bit: where some are measured, or more than a double can hold. */
function isByBit(
  types: { readonly left: NumberType; readonly result: NumberType },
  ...values: readonly Value[]
) {
  if (values.some(({ kind }) => kind === 'dynamic')) return false;
  if (![types.left, types.result].every(({ base }) => isWhole(base))) return false;
  return values.some(({ kind }) => kind === 'bits') || (types.left.width ?? 0) > MAX_WIDTH;
}

/** Bits of a whole number as a type has them; a dynamic value has none before it is assigned to some. */
function rowOf(
  value: Scalar | Bits,
  { base, width = base === 'bool' ? 1 : MAX_WIDTH }: NumberType,
) {
  return value.kind === 'bits' ? resized(value, width) : bitsFor(value, width);
}

/** The value with these bits: a register's where an operand is one, unless another is a number. */
function ofBits(
  bits: readonly BitFunction[],
  { base }: NumberType,
  ...from: readonly Value[]
): Value {
  const row: Bits = { kind: 'bits', bits, isScalar: base === 'bool' };
  if (base === 'bool') return bits[0]!.kind === 'constant' ? numberOfBits(row)! : row;
  const isRegister = from.every(
    (value) =>
      isRegisterBits(value) || typeOf(value).literal !== undefined || typeOf(value).base === 'bool',
  );
  if (isRegister && base === 'uint' && from.some(isRegisterBits)) return row;
  const number: Bits = { ...row, number: base === 'int' ? 'int' : 'uint' };
  return number.bits.length <= MAX_WIDTH ? (numberOfBits(number) ?? number) : number;
}

const isRegisterBits = (value: Value): value is Bits =>
  value.kind === 'bits' && !value.isScalar && value.number === undefined;

/** Applies `-x`, `!x` or `~x`. */
export function unary(diagrams: DecisionDiagrams, operator: string, operand: Value): Value {
  if (operand.kind === 'duration') {
    if (operator !== '-') throw durationProblem();
    return { ...operand, value: operand.value && -operand.value };
  }
  if (operator === '!') {
    if (operand.kind === 'dynamic') return atRunTime('!', operand);
    return truth(diagrams.not(truthOf(diagrams, operand)));
  }
  const types = signatureOf(operator, typeOf(operand));
  if (operator === '~' && operand.kind !== 'dynamic' && isByBit(types, operand)) {
    const bits = rowOf(operand, types.left).map((f) => diagrams.not(f));
    return ofBits(bits, types.result, operand);
  }
  return computed(operator, operand);
}

/** Applies any operator to two values. */
export function binary(
  diagrams: DecisionDiagrams,
  operator: string,
  left: Value,
  right: Value,
): Value {
  if (operator === '++') return joined(left, right);
  if (left.kind === 'duration' || right.kind === 'duration') {
    return ofDurations(operator, left, right);
  }
  if (left.kind === 'dynamic' || right.kind === 'dynamic') return atRunTime(operator, left, right);
  if (operator === '&&' || operator === '||') {
    const [f, g] = [truthOf(diagrams, left), truthOf(diagrams, right)];
    return truth(operator === '&&' ? diagrams.and(f, g) : diagrams.or(f, g));
  }
  const types = signatureOf(operator, typeOf(left), typeOf(right));
  if (!isByBit(types, left, right)) return computed(operator, left, right);
  if (MOVES.has(operator)) {
    return isMeasured(right) ? computed(operator, left, right) : moved(operator, left, right);
  }
  if (COMPARISONS.has(operator)) {
    const numFree = Math.min(numMeasured(left), numMeasured(right));
    const isExact = (types.left.width ?? 0) <= MAX_WIDTH;
    const isOfNumbers = !isRegisterBits(left) && !isRegisterBits(right);
    if (isOfNumbers && numFree > MAX_COMPARED_BITS && isExact) {
      return atRunTime(operator, left, right);
    }
    return truth(
      compared(diagrams, operator, rowOf(left, types.left), rowOf(right, types.right), types.left),
    );
  }
  if (!BITWISE.has(operator)) return computed(operator, left, right);
  const [f, g] = [rowOf(left, types.left), rowOf(right, types.right)];
  return ofBits(
    f.map((bit, i) => combined(diagrams, operator, bit, g[i]!)),
    types.result,
    left,
    right,
  );
}

/** Joins registers; the first keeps the lowest bits. */
function joined(left: Value, right: Value): Bits {
  if (left.kind === 'bits' && right.kind === 'bits') {
    return { kind: 'bits', bits: [...left.bits, ...right.bits], isScalar: false };
  }
  throw new ValueProblem('++ joins registers, or arrays, and nothing else.');
}

/** Applies an operator to durations, or to one and a number. */
function ofDurations(operator: string, left: Value, right: Value): Value {
  const partOf = (value: Value): DurationPart =>
    value.kind === 'duration'
      ? { type: 'duration', value: value.value }
      : { type: 'number', value: asScalar(value).value };
  const [x, y] = [partOf(left), partOf(right)];
  const compare = x.type === y.type ? COMPARISONS.get(operator) : undefined;
  const { type, value } = combinedParts(compare === undefined ? operator : '-', x, y);
  if (type === 'duration' && compare === undefined) return { kind: 'duration', value };
  if (value !== undefined) return compare ? bool(compare(value, 0)) : scalar('float', value);
  throw new ValueProblem(
    'A number made of durations whose length depends on the device (dt, a stretch, durationof),',
    true,
  );
}

function combined(
  diagrams: DecisionDiagrams,
  operator: string,
  f: BitFunction,
  g: BitFunction,
): BitFunction {
  if (operator === '&') return diagrams.and(f, g);
  return operator === '|' ? diagrams.or(f, g) : diagrams.xor(f, g);
}

/** Most measured bits of two numbers that are compared as functions of bits, whose size doubles with each. */
const MAX_COMPARED_BITS = 8;

const numMeasured = (value: Scalar | Bits): number =>
  value.kind === 'bits' ? value.bits.filter(({ kind }) => kind === 'choice').length : 0;

/** Operators and functions that move bits by a number of places. */
const MOVES: ReadonlySet<string> = new Set(['<<', '>>', 'rotl', 'rotr']);

/** Moves bits by a known number of places. */
function moved(operator: string, value: Scalar | Bits, places: Value): Value {
  const { value: by } = asScalar(places);
  const { result } = signatureOf(operator, typeOf(value), typeOf(places));
  const bits = rowOf(value, result);
  const isShift = operator === '<<' || operator === '>>';
  if (isShift && by < 0)
    throw new ValueProblem(`${operator} shifts by a whole number that is at least 0.`);
  const above = operator === '>>' && result.base === 'int' ? bits.at(-1)! : NEVER;
  const step = operator === '<<' || operator === 'rotl' ? -by : by;
  const from = (i: number): BitFunction => {
    if (isShift) return bits[i + step] ?? (step > 0 ? above : NEVER);
    return bits[(((i + step) % bits.length) + bits.length) % bits.length]!;
  };
  return ofBits(
    bits.map((_, i) => from(i)),
    result,
    value,
  );
}

/** Compares numbers by their bits, of which there are equally many; the highest of an int is its sign. */
function compared(
  diagrams: DecisionDiagrams,
  operator: string,
  left: readonly BitFunction[],
  right: readonly BitFunction[],
  { base }: NumberType,
): BitFunction {
  // With the signs turned, signed numbers have the order of unsigned ones.
  const ordered = (bits: readonly BitFunction[]) =>
    base === 'int' ? bits.with(-1, diagrams.not(bits.at(-1)!)) : bits;
  const [f, g] = [ordered(left), ordered(right)];
  switch (operator) {
    case '==':
      return equal(diagrams, f, g);
    case '!=':
      return diagrams.not(equal(diagrams, f, g));
    case '<':
      return less(diagrams, f, g);
    case '>':
      return less(diagrams, g, f);
    case '<=':
      return diagrams.not(less(diagrams, g, f));
    default:
      return diagrams.not(less(diagrams, f, g));
  }
}

function equal(
  diagrams: DecisionDiagrams,
  f: readonly BitFunction[],
  g: readonly BitFunction[],
): BitFunction {
  // From the highest bit down, so that each step adds one node on top.
  return f.reduceRight<BitFunction>((all, bit, i) => {
    const other = g[i]!;
    return diagrams.ifThenElse(
      bit,
      diagrams.ifThenElse(other, all, NEVER),
      diagrams.ifThenElse(other, NEVER, all),
    );
  }, ALWAYS);
}

function less(
  diagrams: DecisionDiagrams,
  f: readonly BitFunction[],
  g: readonly BitFunction[],
): BitFunction {
  return f.reduce<BitFunction>((below, bit, i) => {
    const other = g[i]!;
    return diagrams.ifThenElse(diagrams.xor(bit, other), other, below);
  }, NEVER);
}

/**
 * Converts a value to a number known while the program is read.
 *
 * @throws {ValueProblem} where it depends on a measurement.
 */
export function asScalar(value: Value): Scalar {
  if (value.kind === 'scalar') return value;
  if (value.kind === 'duration') throw durationProblem();
  const known = value.kind === 'bits' ? numberOfBits(value) : undefined;
  if (known === undefined) {
    throw new ValueProblem('A number that depends on measured bits, here,', true);
  }
  return known;
}

/** Operators that functions of two arguments are another name for. */
const OPERATOR_NAMES: ReadonlyMap<string, string> = new Map([
  ['pow', '**'],
  ['mod', '%'],
]);

/** Calls a function of the language. */
export function call(diagrams: DecisionDiagrams, name: string, operands: readonly Value[]): Value {
  const [x, y] = operands;
  if (x === undefined) throw new Error(`unreachable: ${name} without an argument`);
  if (y !== undefined) return binary(diagrams, OPERATOR_NAMES.get(name) ?? name, x, y);
  if (name === 'popcount' && x.kind === 'bits') return popcount(x);
  return computed(name, x);
}

/** Counts the bits that read 1; a register may be wider than a double is exact. */
function popcount({ bits }: Bits): Value {
  const measured = bits.filter((f) => f.kind === 'choice');
  const ones = bits.filter((f) => f.kind === 'constant' && f.value).length;
  const known = applied('popcount', bool(false), undefined);
  let sums: readonly Value[] = [
    scalar(known.type, ones, known.width),
    ...measured.map((f): Bits => ({ kind: 'bits', bits: [f], isScalar: true })),
  ];
  // In pairs: the sum of a wide register would be nested as deeply as it is wide.
  while (sums.length > 1) {
    const pairs = Array.from({ length: Math.ceil(sums.length / 2) }, (_, i) =>
      sums.slice(2 * i, 2 * i + 2),
    );
    sums = pairs.map(([one, other]) => (other === undefined ? one! : atRunTime('+', one!, other)));
  }
  return sums[0]!;
}
