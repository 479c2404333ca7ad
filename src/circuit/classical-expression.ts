/**
 * Values computed from classical bits while a circuit runs: what a program assigns, and what the tests
 * of its loops come to.
 *
 * An expression is plain data, so that it crosses threads with its circuit. Whole numbers are exact up
 * to 2^53 in size; angles and floats are doubles. `classical-evaluation.ts` evaluates expressions.
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
  /** Of an angle that is a multiple of 2π/2^width: the bits that say which. */
  readonly width?: number;
}

/**
 * A boolean function of bits as a decision diagram, or the bit or constant that it equals.
 *
 * `nodes[i]` is a choice by a bit: where to go if it reads 0, and if it reads 1. A place in `nodes`
 * leads on, −1 is false and −2 is true. The walk begins at the last node.
 */
export type BitDiagram =
  | Bit
  | boolean
  | { readonly nodes: readonly (readonly [bit: Bit, low: number, high: number])[] };

/** The results of a walk through a diagram. */
export const FALSE_NODE = -1;
export const TRUE_NODE = -2;

/**
 * How bits are read as a number: two's complement for `int`, an IEEE 754 double for `float`. An angle
 * of n bits in `uint` is so many times 2π/2^n.
 */
export type BitEncoding = 'uint' | 'int' | 'float';

/** A value computed from classical bits. */
export type ClassicalExpression =
  | Scalar
  /** The bits, the first least significant, as a number of that type. */
  | {
      readonly kind: 'read';
      readonly bits: readonly BitDiagram[];
      readonly encoding: BitEncoding;
      readonly type: ScalarType;
    }
  | {
      readonly kind: 'apply';
      /** As OpenQASM writes it, or the name of a function. */
      readonly operator: string;
      readonly operands: readonly ClassicalExpression[];
    }
  /** The first value where the test is not 0, else the second. */
  | {
      readonly kind: 'select';
      readonly test: ClassicalExpression;
      readonly whenTrue: ClassicalExpression;
      readonly whenFalse: ClassicalExpression;
    }
  /** As a variable of that type holds it. */
  | {
      readonly kind: 'convert';
      readonly type: ScalarType;
      readonly width: number | undefined;
      /** A cast drops fractions; without one a whole number is not made of 2.5. */
      readonly isCast: boolean;
      readonly operand: ClassicalExpression;
    };

/** Bits that hold a double. */
export const FLOAT_BITS = 64;

/** A number of that type. */
export const scalar = (type: ScalarType, value: number): Scalar => ({
  kind: 'scalar',
  type,
  value,
});

/** Whether a type holds whole numbers only; a bool counts as 0 or 1. */
export const isWhole = (type: ScalarType): boolean => type !== 'float' && type !== 'angle';

/** The bits that an expression's value depends on. */
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

/** Numbers, reads and operators of an expression together: what evaluating it costs. */
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

/** The expression on other bits. */
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
