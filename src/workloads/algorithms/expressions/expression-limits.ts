/**
 * Limits of expressions. The descriptions of procedures load this file, so it imports nothing
 * large.
 */
import { z } from 'zod';
import type { Fault } from '../../../errors/coded-error.ts';

/** Limits of one expression, under their published names. */
export const EXPRESSION_LIMITS = {
  /** Characters. */
  max_expression_length: 10_000,
  /** Brackets in brackets, and depth of the parsed tree. */
  max_depth: 100,
  /** Dimensions of a matrix or list; the result of one more has no form in JSON that clients can read. */
  max_dimensions: 16,
  /** Nodes of the parsed tree. */
  max_nodes: 2000,
  /** Elements of any matrix, list or set, on the way and in the result. */
  max_elements: 10_000,
  /** Rows of a matrix that is inverted, decomposed or raised to a power. */
  max_matrix_rows: 64,
  /**
   * Rows of a matrix whose Schur form, root or eigenvalues are found by iteration, unless eigenvalues are asked
   * for and the matrix is real, symmetric and of doubles.
   */
  max_iterated_rows: 24,
  /** The same limit as max_iterated_rows for matrices of bignumbers and fractions. */
  max_iterated_exact_rows: 8,
  /** Characters of any text, on the way and in the result. */
  max_text_length: 100_000,
  /** Bits of an integer, and of a fraction's numerator and denominator. */
  max_integer_bits: 65_536,
  /** Decimal exponent of a bignumber, either side of zero: 10^±9999. */
  max_decimal_exponent: 9999,
  /** Calls of functions and operators. */
  max_calls: 200_000,
} as const;

/** The text of an expression. */
export const expressionField = z.string().min(1).max(EXPRESSION_LIMITS.max_expression_length);

/** Most nodes of an expression that is differentiated or simplified: rules multiply its size. */
export const MAX_SYMBOLIC_NODES = 200;

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/**
 * Whether a text is a valid name of a variable: a letter, then letters, digits and underscores, and no
 * built-in property of objects, such as `constructor`.
 */
export function isVariableName(name: string): boolean {
  return NAME.test(name) && !(name in Object.prototype);
}

/**
 * Faults of an expression that show without parsing: brackets nested so deeply that a parser would
 * exhaust its stack.
 */
export function expressionTextFaults(expression: string, path: string): readonly Fault[] {
  const { max_depth, max_dimensions } = EXPRESSION_LIMITS;
  const depth = nesting(expression, '([{', ')]}');
  if (depth > max_depth) {
    const message = `Brackets are nested ${depth} deep; the limit max_depth is ${max_depth}.`;
    return [{ path, message }];
  }
  const dimensions = nesting(expression, '[', ']');
  if (dimensions > max_dimensions) {
    const message = `Square brackets are nested ${dimensions} deep, but a matrix has at most ${max_dimensions} dimensions (max_dimensions).`;
    return [{ path, message }];
  }
  return [];
}

/** Nesting depth of brackets of these kinds. */
function nesting(text: string, opening: string, closing: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of text) {
    if (opening.includes(character)) depth++;
    else if (closing.includes(character)) depth--;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
