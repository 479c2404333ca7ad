/** Conversions of values to the types of declarations and casts. */
import {
  convertedScalar,
  evaluateExpression,
  MAX_WIDTH,
  type NumberType,
  typeName,
  ValueProblem,
} from '../classical-evaluation.ts';
import { type ClassicalExpression, isWhole } from '../classical-expression.ts';
import { type DecisionDiagrams, NEVER } from './decision-diagram.ts';
import type { ValueType } from './expressions.ts';
import { openOf, openScalar } from './open-inputs.ts';
import { asScalar, truthOf } from './operators.ts';
import { type Bits, bitsOfInteger, diagramOf, expressionOf, truth, type Value } from './values.ts';

/**
 * Converts a value as storing it in a variable does.
 *
 * @throws {ValueProblem} where the type cannot hold it.
 */
export function stored(diagrams: DecisionDiagrams, type: NumberType, value: Value): Value {
  return asNumber(diagrams, type, value, false);
}

/**
 * Converts a value as a cast does: fractions are dropped, bits become whole numbers and back.
 *
 * @throws {ValueProblem} where there is no such value.
 */
export function converted(diagrams: DecisionDiagrams, type: ValueType, value: Value): Value {
  const { base, width } = type;
  if (base === 'bit') return asBits(diagrams, width, value);
  return asNumber(diagrams, { base, width }, value, true);
}

function asNumber(
  diagrams: DecisionDiagrams,
  type: NumberType,
  value: Value,
  isCast: boolean,
): Value {
  const { base, width } = type;
  if (value.kind === 'dynamic') return dynamic(type, value.expression, isCast);
  if (base === 'bool') return truth(truthOf(diagrams, value));
  if (value.kind === 'bits') {
    const isMeasured = value.bits.some((f) => f.kind === 'choice');
    if (base === 'angle' && value.bits.length === width && width < MAX_WIDTH) {
      // An angle of n bits and a register of n bits have the same bits.
      const read = {
        kind: 'read',
        bits: value.bits.map(diagramOf),
        encoding: 'uint',
        type: 'angle',
      } as const;
      return isMeasured
        ? { kind: 'dynamic', type: 'angle', expression: read }
        : evaluateExpression(read, () => false);
    }
    if (isMeasured) {
      return isReadable(type, value.bits.length)
        ? { ...value, isScalar: false }
        : dynamic(type, expressionOf(value), isCast);
    }
  }
  const number = asScalar(value);
  // A float, or an angle without a width, holds any number unchanged.
  const isUnchanged =
    base === 'float' || (base === 'angle' && (width === undefined || width >= MAX_WIDTH));
  const open = openOf(number);
  if (open !== undefined && isUnchanged) return openScalar(base, open);
  return convertedScalar(type, number, isCast);
}

/** Whether bits, read as an unsigned number, already have the type. */
function isReadable({ base, width }: NumberType, numBits: number): boolean {
  if (base === 'uint') return width === undefined || width >= numBits;
  return base === 'int' && (width === undefined || width > numBits);
}

function dynamic(
  { base, width }: NumberType,
  operand: ClassicalExpression,
  isCast: boolean,
): Value {
  const isSame = operand.kind === 'convert' && operand.type === base && operand.width === width;
  const expression = isSame
    ? operand
    : ({ kind: 'convert', type: base, width, isCast, operand } as const);
  return { kind: 'dynamic', type: base, expression };
}

/** Converts a value to a row of bits; a number computed while the circuit runs is left to the caller. */
export function asBits(diagrams: DecisionDiagrams, width: number | undefined, value: Value): Value {
  if (value.kind === 'dynamic') return value;
  if (width === undefined) {
    return { kind: 'bits', bits: [truthOf(diagrams, value)], isScalar: true };
  }
  if (width < 1) throw new ValueProblem('A register has at least 1 bit.');
  if (value.kind === 'bits') {
    const bits = Array.from({ length: width }, (_, i) => value.bits[i] ?? NEVER);
    return { kind: 'bits', bits, isScalar: false } satisfies Bits;
  }
  if (!isWhole(value.type)) {
    throw new ValueProblem(
      `Bits are made of whole numbers; ${typeName(value.type, undefined)} is none.`,
    );
  }
  return { kind: 'bits', bits: bitsOfInteger(value.value, width), isScalar: false };
}
