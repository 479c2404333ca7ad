/** Runs the task `evaluate`, in a process of its own, and writes values as JSON. */

import type { MathJsInstance } from 'mathjs';
import type { Fault } from '../../../errors/coded-error.ts';
import {
  BoundedMath,
  faultsOfParsing,
  type Precision,
} from '../../algorithms/expressions/bounded-math.ts';
import { EXPRESSION_LIMITS } from '../../algorithms/expressions/expression-limits.ts';
import { isRecord } from '../../algorithms/expressions/value-size.ts';
import {
  isBigNumber,
  isComplex,
  isFraction,
  isMatrix,
  isResultSet,
  isUnit,
} from '../../algorithms/mathjs.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import type { Json, JsonObject } from '../../procedures/json.ts';
import type { RunProcedure } from '../../procedures/procedure.ts';
import { DEFAULT_DIGITS, type EvaluateInput, type VariableValue } from './expression-input.ts';

/** Evaluator of doubles, kept: opening one takes a while, and most runs need only doubles. */
let ofDoubles: BoundedMath | undefined;

/** The evaluator for a precision. */
function mathOf(precision: Precision): BoundedMath {
  if (precision.kind !== 'number') return new BoundedMath(precision);
  ofDoubles ??= new BoundedMath(precision);
  return ofDoubles;
}

function precisionOf({ precision, digits = DEFAULT_DIGITS }: EvaluateInput): Precision {
  return precision === 'bignumber' ? { kind: precision, digits } : { kind: precision };
}

/** Parsers by kind of number; parsing does not depend on the digits of a bignumber. */
const parsers = new Map<Precision['kind'], BoundedMath>();

/** Faults of an expression that its syntax tree shows before it is evaluated. */
export function evaluationFaults(input: EvaluateInput): readonly Fault[] {
  const parser = parsers.get(input.precision) ?? mathOf(precisionOf(input));
  parsers.set(input.precision, parser);
  return faultsOfParsing(() => parser.parse(input.expression));
}

/** Runs `evaluate`. */
export const runEvaluate: RunProcedure<EvaluateInput> = async (input, context) => {
  const { expression, scope = {}, digits = DEFAULT_DIGITS, seed = context.seed } = input;
  const bounded = mathOf(precisionOf(input));
  const { math } = bounded;
  const variables = Object.entries(scope).map(([name, value]): [string, unknown] => [
    name,
    variableOf(value, bounded, input.precision),
  ]);
  const { value, numDraws } = bounded.evaluate(expression, variables, seed);
  return {
    ...renderValue(value, math, input.precision === 'bignumber' ? digits : undefined),
    precision: input.precision,
    ...(input.precision === 'bignumber' ? { digits } : {}),
    // The result names the seed only if the expression draws random numbers.
    ...(numDraws > 0 ? { seed, random_draws: numDraws } : {}),
  };
};

/** Converts a variable's value to numbers of the requested precision. */
function variableOf(value: VariableValue, { math }: BoundedMath, kind: Precision['kind']): unknown {
  const entryOf = (entry: VariableValue): unknown => {
    if (Array.isArray(entry)) return entry.map(entryOf);
    if (typeof entry === 'object') return math.complex(entry.re, entry.im);
    if (typeof entry !== 'number' || kind === 'number') return entry;
    return kind === 'fraction' ? math.fraction(entry) : math.bignumber(String(entry));
  };
  const entries: unknown = entryOf(value);
  return Array.isArray(entries) ? math.matrix(entries) : entries;
}

/** A value rendered. */
export interface Rendered extends JsonObject {
  /** Exact kinds of numbers, and infinite ones and NaN, are texts. */
  readonly result: Json;
  /** Mathjs's name of the type: `number`, `BigNumber`, `Complex`, `DenseMatrix`, … */
  readonly type: string;
  /** The value in a person's notation, doubles to 14 digits. */
  readonly text: string;
}

/** Digits of doubles that rounding leaves unchanged. */
const TEXT_DIGITS = 14;

/**
 * The value, its type and its text.
 *
 * @param digits - Of the text.
 * @throws {ProcedureInputError} at `expression`, where the value is a function or larger than a result.
 */
export function renderValue(value: unknown, math: MathJsInstance, digits = TEXT_DIGITS): Rendered {
  const result = render(value, math);
  const text = typeof value === 'string' ? value : math.format(value, digits);
  if (text.length > EXPRESSION_LIMITS.max_text_length * 2) {
    refuse(`The result takes ${text.length} characters, which is too much for an answer.`);
  }
  return { result, type: math.typeOf(value), text };
}

/** @param depth - Of lists and objects around the value. */
function render(value: unknown, math: MathJsInstance, depth = 0): Json {
  if (value === null || value === undefined) return null;
  switch (typeof value) {
    case 'boolean':
    case 'string':
      return value;
    case 'number':
      return renderDouble(value);
    case 'bigint':
      return value.toString();
    default:
      return renderObject(value, math, depth);
  }
}

/** JSON has no infinity and no NaN; −0 is 0 in it. */
function renderDouble(value: number): Json {
  return Number.isFinite(value) ? value + 0 : String(value);
}

function renderObject(value: unknown, math: MathJsInstance, depth: number): Json {
  if (isBigNumber(value)) return value.toString();
  if (isFraction(value)) return value.toFraction();
  if (isComplex(value)) return { re: renderDouble(value.re), im: renderDouble(value.im) };
  if (isMatrix(value)) return render(value.toArray(), math, depth);
  if (isResultSet(value)) return value.entries.map((entry) => render(entry, math, within(depth)));
  if (isUnit(value)) {
    const { value: amount, unit } = value.toJSON();
    return { value: render(amount, math), unit };
  }
  if (Array.isArray(value)) return value.map((entry) => render(entry, math, within(depth)));
  if (isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [name, render(field, math, within(depth))]),
    );
  }
  return refuse(`A ${math.typeOf(value)} is not a result; name what it is to be applied to.`);
}

/** The depth inside a list or an object that lies so deep itself. */
function within(depth: number): number {
  const { max_dimensions } = EXPRESSION_LIMITS;
  if (depth < max_dimensions) return depth + 1;
  return refuse(
    `The result has more than ${max_dimensions} dimensions, which is the limit max_dimensions.`,
  );
}

function refuse(message: string): never {
  throw new ProcedureInputError([{ path: 'expression', message }]);
}
