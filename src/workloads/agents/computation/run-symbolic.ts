/** Runs the tasks `derivative` and `simplify`. */
import type { MathNode } from 'mathjs';
import {
  checkDerivative,
  type DerivativeCheck,
  derive,
} from '../../algorithms/expressions/derivative.ts';
import {
  compareAt,
  parseSymbolic,
  shortestForm,
  sizeOf,
  symbolicMath,
  valuesOf,
  variablesOf,
} from '../../algorithms/expressions/symbolic.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import type { RunProcedure } from '../../procedures/procedure.ts';
import type { DerivativeInput } from './expression-input.ts';

/** Most nodes of a derivative that is differentiated again. */
const MAX_NODES_BETWEEN = 1000;

/** Largest deviation from the numerical derivative. */
const MAX_DEVIATION = 1e-4;

/** Runs `derivative`. */
export const runDerivative: RunProcedure<DerivativeInput> = async (input, context) => {
  const { expression, variable, order } = input;
  const bounded = symbolicMath();
  let tree = parseSymbolic(expression);
  const checks: DerivativeCheck[] = [];
  for (let k = 0; k < order; k++) {
    context.progress(k / order, `derivative ${k + 1} of ${order}`);
    if (k > 0) checkSize(tree);
    const before = tree;
    tree = shortestForm(bounded.bounded(() => derive(before, variable)));
    const variables = [...new Set([variable, ...variablesOf(before)])];
    const check = checkDerivative(before, tree, variables, variable);
    if ((check.max_relative_difference ?? 0) > MAX_DEVIATION) refuse(check);
    checks.push(check);
  }
  const verification = leastOf(checks);
  const verified = verification.points > 0;
  return { result: tree.toString(), variable, order, verified, verification };
};

/** Verification of all steps: the fewest points and the largest difference of any step. */
function leastOf(checks: readonly DerivativeCheck[]): DerivativeCheck {
  return checks.reduce((least, check) => {
    if (least.points === 0 || check.points === 0) return { points: 0 };
    const differences = [least, check].map((each) => each.max_relative_difference ?? 0);
    return {
      points: Math.min(least.points, check.points),
      max_relative_difference: Math.max(...differences),
      domain: [least, check].some(({ domain }) => domain === 'complex') ? 'complex' : 'real',
    };
  });
}

function refuse({ max_relative_difference: difference = 0, domain = 'real' }: DerivativeCheck) {
  const message = `The derivative that was found is not returned: difference quotients at ${domain} values contradict it, by up to ${difference.toPrecision(2)} of its size.`;
  throw new ProcedureInputError([{ path: 'expression', message }]);
}

function checkSize(tree: MathNode): void {
  const numNodes = sizeOf(tree);
  if (numNodes <= MAX_NODES_BETWEEN) return;
  const message = `A derivative on the way has ${numNodes} nodes; the limit is ${MAX_NODES_BETWEEN}.`;
  throw new ProcedureInputError([{ path: 'order', message }]);
}

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
