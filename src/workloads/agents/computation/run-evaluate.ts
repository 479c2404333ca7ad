/** Runs the task `evaluate`, in a process of its own. */
import type { Fault } from '../../../errors/coded-error.ts';
import {
  BoundedMath,
  faultsOfParsing,
  type Precision,
} from '../../algorithms/expressions/bounded-math.ts';
import { renderValue } from '../../algorithms/expressions/render-value.ts';
import type { RunProcedure } from '../../procedures/procedure.ts';
import { DEFAULT_DIGITS, type EvaluateInput, type VariableValue } from './evaluate-input.ts';

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
