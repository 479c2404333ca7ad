/** Values as the types that declarations and casts name. */
import { ALWAYS, type DecisionDiagrams, NEVER } from './decision-diagram.ts';
import type { CastType } from './expressions.ts';
import { asScalar, truthOf, ValueProblem } from './operators.ts';
import {
  type Bits,
  bitsOfInteger,
  bool,
  isWhole,
  type Scalar,
  type ScalarType,
  scalar,
  truth,
  type Value,
} from './values.ts';

/** Wider whole numbers are not exact in a float; no program is known to want one. */
const MAX_WIDTH = 53;

/** A type as a program writes it. */
export const typeName = ({ base, width }: CastType): string =>
  width === undefined ? base : `${base}[${width}]`;

/**
 * A value as a variable of that type holds it.
 *
 * @throws {ValueProblem} where it does not fit, or depends on a measurement.
 */
export function stored(
  diagrams: DecisionDiagrams,
  type: CastType & { base: ScalarType },
  value: Value,
): Scalar {
  if (type.base === 'bool') {
    const f = truthOf(diagrams, value);
    if (f.kind === 'choice') {
      throw new ValueProblem('A variable that depends on measured bits', true);
    }
    return bool(f.value);
  }
  const number = asScalar(value);
  if (!isWhole(type.base)) return scalar(type.base, number.value);
  if (!Number.isInteger(number.value)) {
    throw new ValueProblem(`${number.value} is no whole number; ${typeName(type)} holds those.`);
  }
  return wrapped(type.base, type.width, number.value);
}

/** A whole number in `width` bits, the higher ones dropped. */
function wrapped(base: 'int' | 'uint' | ScalarType, width: number | undefined, value: number) {
  if (base === 'uint' && width === undefined && value < 0) {
    throw new ValueProblem(`uint holds no negative number, and here it would be ${value}.`);
  }
  if (width === undefined || width >= MAX_WIDTH) return scalar(base, value);
  const size = 2 ** width;
  const low = ((value % size) + size) % size;
  return scalar(base, base === 'int' && low >= size / 2 ? low - size : low);
}

/**
 * A value as a cast gives it: fractions are dropped, bits become whole numbers and back.
 *
 * @throws {ValueProblem} where there is no such value.
 */
export function converted(diagrams: DecisionDiagrams, type: CastType, value: Value): Value {
  if (type.base === 'bool') return truth(truthOf(diagrams, value));
  if (type.base === 'bit') return asBits(diagrams, type.width, value);
  if (value.kind === 'bits' && value.bits.some((f) => f.kind === 'choice')) {
    return measuredInteger(type, value);
  }
  const number = asScalar(value);
  if (!isWhole(type.base)) return scalar(type.base, number.value);
  if (!Number.isFinite(number.value)) throw new ValueProblem('A cast of what is no number.');
  return wrapped(type.base, type.width, Math.trunc(number.value));
}

function asBits(diagrams: DecisionDiagrams, width: number | undefined, value: Value): Bits {
  if (width === undefined) {
    return { kind: 'bits', bits: [truthOf(diagrams, value)], isScalar: true };
  }
  if (width < 1 || width > 1024) throw new ValueProblem('A register has 1 to 1024 bits.');
  if (value.kind === 'bits') {
    const bits = Array.from({ length: width }, (_, i) => value.bits[i] ?? NEVER);
    return { kind: 'bits', bits, isScalar: false };
  }
  if (!isWhole(value.type) || value.value < 0) {
    throw new ValueProblem('Bits are made of whole numbers from 0.');
  }
  return { kind: 'bits', bits: bitsOfInteger(value.value, width), isScalar: false };
}

/** Measured bits read as an unsigned number, which can be compared but not calculated with. */
function measuredInteger({ base, width }: CastType, value: Bits): Bits {
  const isFit = width === undefined || width > value.bits.length;
  const isExact = base === 'uint' && width === value.bits.length;
  if ((base === 'int' || base === 'uint') && (isFit || isExact)) {
    return { ...value, isScalar: false };
  }
  throw new ValueProblem(`${typeName({ base, width })} of measured bits`, true);
}

/** Whether every bit is known to be 0. */
export function isZero(value: Value): boolean {
  if (value.kind === 'scalar') return value.value === 0;
  return value.bits.every((f) => f !== ALWAYS && f.kind === 'constant');
}
