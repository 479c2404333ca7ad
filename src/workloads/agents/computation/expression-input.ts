/** Inputs of the tasks on expressions (`evaluate`, `derivative`, `simplify`), their limits and their faults. */
import { z } from 'zod';
import type { Fault } from '../../../errors/coded-error.ts';
import {
  ALLOWED_CONSTANTS,
  ALLOWED_FUNCTIONS,
  EXPRESSION_LIMITS,
  expressionField,
  expressionTextFaults,
  isVariableName,
} from '../../algorithms/expressions/expression-limits.ts';
import { seedField } from '../../procedures/input-fields.ts';

export const MAX_VARIABLES = 100;
export const MAX_DIGITS = 64;
/** Default precision of a bignumber, digits. */
export const DEFAULT_DIGITS = 32;

const complexNumber = z.strictObject({
  re: z.number().describe('Real part'),
  im: z.number().describe('Imaginary part'),
});
const scalar = z.union([z.number(), complexNumber]);
const vector = z.array(scalar).max(EXPRESSION_LIMITS.max_elements);

/** Schema of the value of one variable. */
export const variableValue = z.union([
  scalar,
  z.boolean(),
  z.string().max(EXPRESSION_LIMITS.max_expression_length),
  vector,
  z.array(vector).max(EXPRESSION_LIMITS.max_elements),
]);
/** Value of one variable. */
export type VariableValue = z.output<typeof variableValue>;

/** Limits of the input. */
export const evaluateInput = z.strictObject({
  expression: expressionField.describe(
    'In the syntax of mathjs: `sqrt(3^2 + 4^2)`, `[1, 2; 3, 4] * [5; 6]`, `f(x) = x^2; f(3)`, `5 cm to inch`. Objects, methods and functions that change the language are refused',
  ),
  scope: z
    .record(z.string().max(64), variableValue)
    .optional()
    .describe(
      'Values of variables by name: numbers, {re, im}, booleans, strings, lists, and matrices as lists of rows',
    ),
  precision: z
    .enum(['number', 'bignumber', 'fraction'])
    .default('number')
    .describe(
      'Type of decimal numbers, also those in `scope`: double (Infinity beyond 1.8e308), decimal with `digits` digits (an error beyond 10^±max_decimal_exponent), or exact fraction',
    ),
  digits: z
    .int()
    .min(1)
    .max(MAX_DIGITS)
    .optional()
    .describe(`Significant digits with precision bignumber; default ${DEFAULT_DIGITS}`),
  seed: seedField,
});
/** Parsed input. */
export type EvaluateInput = z.output<typeof evaluateInput>;

/** Faults of an input. */
export function evaluateFaults({
  expression,
  scope = {},
  precision,
  digits,
}: EvaluateInput): Fault[] {
  const faults: Fault[] = [...expressionTextFaults(expression, 'expression')];
  const names = Object.keys(scope);
  if (names.length > MAX_VARIABLES) {
    const message = `${names.length} variables; the limit max_variables is ${MAX_VARIABLES}.`;
    faults.push({ path: 'scope', message });
  }
  for (const name of names) {
    if (isVariableName(name)) continue;
    const message = 'A variable is called by a letter, then letters, digits and underscores.';
    faults.push({ path: `scope.${name}`, message });
  }
  for (const [name, value] of Object.entries(scope)) {
    const message = Array.isArray(value) ? listFault(value) : undefined;
    if (message !== undefined) faults.push({ path: `scope.${name}`, message });
  }
  if (digits !== undefined && precision !== 'bignumber') {
    faults.push({ path: 'digits', message: 'Only taken with precision bignumber.' });
  }
  return faults;
}

/** Reason why a list is neither a vector nor a matrix; undefined if it is one. */
function listFault(list: readonly VariableValue[]): string | undefined {
  const lengths = list.map((row) => (Array.isArray(row) ? row.length : undefined));
  const [first] = lengths;
  const other = lengths.findIndex((length) => length !== first);
  if (other >= 0) {
    const said = (length: number | undefined) =>
      length === undefined ? 'a number' : `a row of ${length}`;
    return `The rows of a matrix are of one length; element 0 is ${said(first)}, element ${other} ${said(lengths[other])}.`;
  }
  const count = lengths.length * (first ?? 1);
  const { max_elements } = EXPRESSION_LIMITS;
  if (count <= max_elements) return undefined;
  return `${count} elements; the limit max_elements is ${max_elements}.`;
}

/** Highest order of a derivative. */
export const MAX_ORDER = 4;

/** Input of `derivative`. */
export const derivativeInput = z.strictObject({
  expression: expressionField.describe(
    'Expression to differentiate: `x^2 * sin(x)`; every other variable is a constant',
  ),
  variable: z.string().min(1).max(64).describe('Variable of differentiation: `x`'),
  order: z.int().min(1).max(MAX_ORDER).default(1).describe('Order of the derivative; default 1'),
});
/** Parsed input. */
export type DerivativeInput = z.output<typeof derivativeInput>;

/** Faults of an input. */
export function derivativeFaults({ expression, variable }: DerivativeInput): readonly Fault[] {
  const faults = [...expressionTextFaults(expression, 'expression')];
  const path = 'variable';
  if (!isVariableName(variable)) {
    const message = 'A variable is called by a letter, then letters, digits and underscores.';
    faults.push({ path, message });
  } else if (ALLOWED_CONSTANTS.has(variable) || ALLOWED_FUNCTIONS.has(variable)) {
    faults.push({ path, message: `${variable} is a constant or a function.` });
  }
  return faults;
}

/** Input of `simplify`. */
export const simplifyInput = z.strictObject({
  expression: expressionField.describe(
    'Expression with numbers, variables, operators and functions: `2x + 3x`, `sin(x)^2 + cos(x)^2`',
  ),
});
