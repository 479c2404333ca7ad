/** Runs the task `simplify`. */
import {
  compareAt,
  parseSymbolic,
  shortestForm,
  valuesOf,
  variablesOf,
} from '../../algorithms/expressions/symbolic.ts';
import type { RunProcedure } from '../../procedures/procedure.ts';

/** Largest difference between the values of two equivalent expressions. */
const TOLERANCE = 1e-9;

/** Runs `simplify`. */
export const runSimplify: RunProcedure<{ readonly expression: string }> = async ({
  expression,
}) => {
  const original = parseSymbolic(expression);
  const variables = variablesOf(original);
  const values = valuesOf(original);
  const simplified = shortestForm(original);
  const verification = compareAt(variables, values, valuesOf(simplified));
  // A simpler form whose values differ is discarded.
  const isEqual = (verification.max_relative_difference ?? 0) <= TOLERANCE;
  const result = isEqual ? simplified : original;
  return {
    result: result.toString(),
    variables,
    is_changed: result.toString() !== original.toString(),
    verification: isEqual ? verification : compareAt(variables, values, values),
  };
};
