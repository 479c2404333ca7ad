/** Conversions of values to the types of declarations and casts. */
import { convertedScalar, evaluateExpression } from '../classical-evaluation.ts';
import { type ClassicalExpression, isWhole } from '../classical-expression.ts';
import {
  MAX_WIDTH,
  type NumberType,
  typeName,
  ValueProblem,
  valueType,
} from '../classical-types.ts';
import type { DecisionDiagrams } from './decision-diagram.ts';
import type { ValueType } from './expressions.ts';
import { openOf, openScalar } from './open-inputs.ts';
import { asScalar, truthOf } from './operators.ts';
import {
  type Bits,
  bitsFor,
  diagramOf,
  expressionOf,
  isMeasured,
  numberOfBits,
  resized,
  truth,
  type Value,
} from './values.ts';

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
  const { base, width } = valueType(type);
  if (value.kind === 'dynamic') return dynamic(type, value.expression, isCast);
  if (base === 'bool') return truth(truthOf(diagrams, value));
  if (value.kind === 'bits') {
    if (base === 'angle' && isRegister(value)) return angleOfRegister(width, value);
    if (base === 'int' || base === 'uint') {
      const bits = resized(value, width!);
      const number: Bits = { kind: 'bits', bits, isScalar: false, number: base };
      const isKnown = !isMeasured(number) && width! <= MAX_WIDTH;
      return (isKnown ? numberOfBits(number) : undefined) ?? number;
    }
    if (isMeasured(value)) return dynamic(type, expressionOf(value), isCast);
  }
  const number = asScalar(value);
  // A float, or an angle without a width, holds any number unchanged.
  const open = openOf(number);
  if (open !== undefined && !isWhole(base) && width === undefined) return openScalar(base, open);
  return convertedScalar(type, number, isCast);
}

const isRegister = ({ isScalar, number }: Bits): boolean => !isScalar && number === undefined;

/** An angle of n bits and a register of n bits have the same bits. */
function angleOfRegister(width: number | undefined, register: Bits): Value {
  if (width !== register.bits.length) {
    const problem = `bit[${register.bits.length}] has the bits of angle[${register.bits.length}]`;
    throw new ValueProblem(`${problem}, not of ${typeName('angle', width)}.`);
  }
  const bits = register.bits.map(diagramOf);
  const expression = { kind: 'read', bits, encoding: 'uint', type: 'angle' } as const;
  return isMeasured(register)
    ? { kind: 'dynamic', type: 'angle', width, expression }
    : evaluateExpression(expression, () => false);
}

function dynamic(type: NumberType, operand: ClassicalExpression, isCast: boolean): Value {
  const { base, width } = type;
  const isSame = operand.kind === 'convert' && operand.type === base && operand.width === width;
  const expression = isSame
    ? operand
    : ({ kind: 'convert', type: base, width, isCast, operand } as const);
  return { kind: 'dynamic', type: base, width: valueType(type).width, expression };
}

/** Converts a value to a bit, or to a register; a number computed while the circuit runs is left to the caller. */
function asBits(diagrams: DecisionDiagrams, width: number | undefined, value: Value): Value {
  if (value.kind === 'dynamic') return value;
  if (width === undefined) {
    return { kind: 'bits', bits: [truthOf(diagrams, value)], isScalar: true };
  }
  if (width < 1) throw new ValueProblem('A register has at least 1 bit.');
  return { kind: 'bits', bits: bitsFor(value, width), isScalar: false };
}
