/**
 * Expressions over classical bits that are evaluated while a circuit runs: values of assignments and tests of
 * loops.
 *
 * An expression is plain data, so that it crosses threads with its circuit. Whole numbers are exact up to
 * 2^53; angles and floats are doubles. `classical-evaluation.ts` evaluates expressions.
 */

/** Index into the classical register, from 0. */
export type Bit = number;

/** Types of numbers. An angle is in radians. */
export type ScalarType = 'int' | 'uint' | 'float' | 'angle' | 'bool';

/** A number with its type; a bool is 0 or 1. */
export interface Scalar {
  readonly kind: 'scalar';
  readonly type: ScalarType;
  readonly value: number;
  /**
   * Width in bits of an int or uint, and of an angle that is a multiple of 2π/2^width. An int without one is written
   * as digits.
   */
  readonly width?: number;
}

/**
 * A boolean function of bits: a decision diagram, or the single bit or constant that it equals.
 *
 * `nodes[i]` branches on a bit: it holds the index of the next node if the bit reads 0, and if it reads
 * 1. Instead of an index, −1 is the result false and −2 the result true. Evaluation starts at the last
 * node.
 */
export type BitDiagram =
  | Bit
  | boolean
  | { readonly nodes: readonly (readonly [bit: Bit, low: number, high: number])[] };

/** Results of evaluating a diagram, in place of the index of a node. */
export const FALSE_NODE = -1;
export const TRUE_NODE = -2;

/**
 * Encoding of a number in bits: two's complement for `int`, an IEEE 754 double for `float`. An angle of n
 * bits is a `uint` that counts multiples of 2π/2^n.
 */
export type BitEncoding = 'uint' | 'int' | 'float';

/** A value computed from classical bits. */
export type ClassicalExpression =
  | Scalar
  /** Reads bits, the first one least significant, as a number of a type. */
  | {
      readonly kind: 'read';
      readonly bits: readonly BitDiagram[];
      readonly encoding: BitEncoding;
      readonly type: ScalarType;
    }
  | {
      readonly kind: 'apply';
      /** Operator as OpenQASM writes it, or the name of a function. */
      readonly operator: string;
      readonly operands: readonly ClassicalExpression[];
    }
  /** `whenTrue` where the test is not 0, else `whenFalse`. */
  | {
      readonly kind: 'select';
      readonly test: ClassicalExpression;
      readonly whenTrue: ClassicalExpression;
      readonly whenFalse: ClassicalExpression;
    }
  /** Converts a value to a type, as assigning it to a variable does. */
  | {
      readonly kind: 'convert';
      readonly type: ScalarType;
      readonly width: number | undefined;
      /** Whether fractions are dropped; without a cast a fraction is an error. */
      readonly isCast: boolean;
      readonly operand: ClassicalExpression;
    };

/** Bits of a double. */
export const FLOAT_BITS = 64;

/** Makes a number of a type. */
export const scalar = (type: ScalarType, value: number, width?: number): Scalar =>
  width === undefined ? { kind: 'scalar', type, value } : { kind: 'scalar', type, value, width };

/** Whether a type holds whole numbers only; a bool counts as 0 or 1. */
export const isWhole = (type: ScalarType): boolean => type !== 'float' && type !== 'angle';

/** Bits that an expression's value depends on. */
export function bitsRead(expression: ClassicalExpression): ReadonlySet<Bit> {
  const bits = new Set<Bit>();
  const walk = (part: ClassicalExpression): void => {
    switch (part.kind) {
      case 'scalar':
        return;
      case 'read':
        for (const diagram of part.bits) for (const bit of bitsOfDiagram(diagram)) bits.add(bit);
        return;
      case 'apply':
        part.operands.forEach(walk);
        return;
      case 'select':
        [part.test, part.whenTrue, part.whenFalse].forEach(walk);
        return;
      case 'convert':
        walk(part.operand);
    }
  };
  walk(expression);
  return bits;
}

function bitsOfDiagram(diagram: BitDiagram): readonly Bit[] {
  if (typeof diagram === 'boolean') return [];
  return typeof diagram === 'number' ? [diagram] : diagram.nodes.map(([bit]) => bit);
}

/** Cost of evaluating an expression: its numbers, diagram nodes and operators. */
export function sizeOf(expression: ClassicalExpression): number {
  switch (expression.kind) {
    case 'scalar':
      return 1;
    case 'read':
      return expression.bits.reduce<number>(
        (sum, diagram) => sum + (typeof diagram === 'object' ? diagram.nodes.length : 1),
        1,
      );
    case 'apply':
      return expression.operands.reduce((sum, operand) => sum + sizeOf(operand), 1);
    case 'select': {
      const { test, whenTrue, whenFalse } = expression;
      return 1 + sizeOf(test) + sizeOf(whenTrue) + sizeOf(whenFalse);
    }
    case 'convert':
      return 1 + sizeOf(expression.operand);
  }
}

/** Rewrites an expression to read other bits. */
export function renumbered(
  expression: ClassicalExpression,
  toBit: (bit: Bit) => Bit,
): ClassicalExpression {
  const again = (part: ClassicalExpression) => renumbered(part, toBit);
  switch (expression.kind) {
    case 'scalar':
      return expression;
    case 'read':
      return {
        ...expression,
        bits: expression.bits.map((diagram): BitDiagram => {
          if (typeof diagram === 'boolean') return diagram;
          if (typeof diagram === 'number') return toBit(diagram);
          return { nodes: diagram.nodes.map(([bit, low, high]) => [toBit(bit), low, high]) };
        }),
      };
    case 'apply':
      return { ...expression, operands: expression.operands.map(again) };
    case 'select': {
      const { test, whenTrue, whenFalse } = expression;
      return {
        ...expression,
        test: again(test),
        whenTrue: again(whenTrue),
        whenFalse: again(whenFalse),
      };
    }
    case 'convert':
      return { ...expression, operand: again(expression.operand) };
  }
}
