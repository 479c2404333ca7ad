/** Values of expressions. */
import { bitsToWrite, bool, countOf, wholeNumber } from '../classical-evaluation.ts';
import {
  type BitDiagram,
  type ClassicalExpression,
  FALSE_NODE,
  isWhole,
  type Scalar,
  type ScalarType,
  scalar,
  TRUE_NODE,
} from '../classical-expression.ts';
import { MAX_ANGLE_WIDTH, type Operand, operandOf, ValueProblem } from '../classical-types.ts';
import { ALWAYS, type BitFunction, NEVER } from './decision-diagram.ts';
import { openOf } from './open-inputs.ts';

/** A row of bits, least significant first, each a function of measured bits. */
export interface Bits {
  readonly kind: 'bits';
  readonly bits: readonly BitFunction[];
  /** Whether it is a single bit, or the truth of a comparison, rather than a register of one. */
  readonly isScalar: boolean;
  /** Type of the number that has these bits; undefined for a single bit and for a register, which is no number. */
  readonly number?: 'int' | 'uint';
}

/** A number that is computed while the circuit runs. */
export interface Dynamic {
  readonly kind: 'dynamic';
  readonly type: ScalarType;
  /** Width of its type, as that of a scalar. */
  readonly width: number | undefined;
  readonly expression: ClassicalExpression;
}

/** A length of time. */
export interface Duration {
  readonly kind: 'duration';
  /** Nanoseconds; undefined where they depend on the device. */
  readonly value: number | undefined;
}

/** A number or a duration known while the program is read, or a value that depends on measured bits. */
export type Value = Scalar | Bits | Dynamic | Duration;

/** Reason why a duration cannot stand where a number is needed. */
export const durationProblem = (): ValueProblem =>
  new ValueProblem(
    'A number is needed here, not a duration; the ratio of two is one, as in t / 1ns.',
  );

/** Makes a boolean value of a function; a known bool if it is constant. */
export function truth(f: BitFunction): Value {
  if (f.kind === 'constant') return bool(f.value);
  return { kind: 'bits', bits: [f], isScalar: true };
}

/** Problem of an angle that is a double. */
export const ANGLE_WITHOUT_BITS = `An angle has bits where its declaration says how many, up to angle[${MAX_ANGLE_WIDTH}].`;

/**
 * The bits that a register of `width` bits gets from a value: the lowest ones of a whole number, in two's complement,
 * and those of an angle of as many bits.
 *
 * @throws {ValueProblem} if the value has no such bits.
 */
export function bitsFor(value: Exclude<Value, Dynamic>, width: number): readonly BitFunction[] {
  checkBits(value, width);
  if (value.kind === 'bits') return resized(value, width);
  if (value.kind === 'duration') throw durationProblem();
  return bitsToWrite(value, width, () => false).map((bit) => (bit ? ALWAYS : NEVER));
}

/**
 * Checks that a register of `width` bits can get the bits of a value.
 *
 * @throws {ValueProblem} if the value has no such bits.
 */
export function checkBits(value: Value, width: number): void {
  const type = typeOf(value);
  if (isWhole(type.base) || (type.base === 'angle' && type.width === width)) return;
  if (type.base === 'float') {
    throw new ValueProblem('A float has no bits; the cast int[8](…) makes a whole number of it.');
  }
  if (type.width === undefined) {
    throw new ValueProblem(ANGLE_WITHOUT_BITS);
  }
  const problem = `angle[${type.width}] has ${type.width} bits, and ${width} are needed here`;
  throw new ValueProblem(`${problem}; select some, as in a[0:1], or convert the angle.`);
}

/**
 * Number that constant bits have; undefined if any depends on a measurement.
 *
 * @throws {ValueProblem} if it is not exact in a double.
 */
export function numberOfBits(value: Bits): Scalar | undefined {
  const bits: boolean[] = [];
  for (const f of value.bits) {
    if (f.kind !== 'constant') return undefined;
    bits.push(f.value);
  }
  if (value.isScalar) return bool(bits[0]!);
  return wholeNumber(typeOf(value), countOf(bits));
}

/** Type of a value as an operand; a register is an unsigned number. */
export function typeOf(value: Value): Operand {
  if (value.kind === 'scalar') return operandOf(value);
  if (value.kind === 'duration') throw durationProblem();
  if (value.kind === 'dynamic') return { base: value.type, width: value.width };
  if (value.isScalar) return { base: 'bool', width: undefined };
  return { base: value.number ?? 'uint', width: value.bits.length };
}

/** Whether a value depends on measured bits. */
export const isMeasured = (value: Value): boolean =>
  value.kind === 'dynamic' ||
  (value.kind === 'bits' && value.bits.some((f) => f.kind === 'choice'));

/** Bits extended to `width`, by the sign of a signed number, or cut to it. */
export function resized({ bits, number }: Bits, width: number): readonly BitFunction[] {
  const above = number === 'int' ? (bits.at(-1) ?? NEVER) : NEVER;
  return Array.from({ length: width }, (_, i) => bits[i] ?? above);
}

/** Converts a value to an expression. Bits are read as an unsigned number, a single one as a bool. */
export function expressionOf(value: Value): ClassicalExpression {
  switch (value.kind) {
    case 'scalar':
      // Part of the circuit from here on, so its value is read for good.
      return openOf(value) === undefined ? value : scalar(value.type, value.value, value.width);
    case 'duration':
      throw durationProblem();
    case 'dynamic':
      return value.expression;
    case 'bits':
      return {
        kind: 'read',
        bits: value.bits.map(diagramOf),
        encoding: value.number ?? 'uint',
        type: typeOf(value).base,
      };
  }
}

/** Converts a function to plain data. */
export function diagramOf(f: BitFunction): BitDiagram {
  if (f.kind === 'constant') return f.value;
  if (f.low === NEVER && f.high === ALWAYS) return f.bit;
  const nodes: [bit: number, low: number, high: number][] = [];
  const places = new Map<BitFunction, number>();
  const place = (node: BitFunction): number => {
    if (node.kind === 'constant') return node.value ? TRUE_NODE : FALSE_NODE;
    const known = places.get(node);
    if (known !== undefined) return known;
    const [low, high] = [place(node.low), place(node.high)];
    const at = nodes.push([node.bit, low, high]) - 1;
    places.set(node, at);
    return at;
  };
  place(f);
  return { nodes };
}
