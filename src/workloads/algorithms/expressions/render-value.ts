/** Values of expressions as JSON, nothing rounded and nothing left out. */
import {
  isBigNumber,
  isComplex,
  isFraction,
  isMatrix,
  isResultSet,
  isUnit,
  type MathJsInstance,
} from 'mathjs';
import { ProcedureInputError } from '../../procedures/errors.ts';
import type { Json, JsonObject } from '../../procedures/json.ts';
import { EXPRESSION_LIMITS } from './expression-limits.ts';
import { isRecord } from './value-size.ts';

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
