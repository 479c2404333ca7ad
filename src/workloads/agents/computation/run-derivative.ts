/** Derives expressions. */
import type { MathNode } from 'mathjs';
import { ProcedureInputError } from '../../procedures/errors.ts';
import type { RunProcedure } from '../../procedures/procedure.ts';
import type { DerivativeInput } from './derivative.ts';
import {
  type At,
  compareAt,
  parseSymbolic,
  shortestForm,
  sizeOf,
  symbolicMath,
  type Value,
  valuesOf,
  variablesOf,
} from './expressions/symbolic.ts';

/** Nodes of a derivative that is derived once more. */
const MAX_NODES_BETWEEN = 1000;

/** Runs `derivative`. */
export const runDerivative: RunProcedure<DerivativeInput> = async (input, context) => {
  const { expression, variable, order } = input;
  const bounded = symbolicMath();
  let tree = parseSymbolic(expression);
  let before = tree;
  for (let k = 0; k < order; k++) {
    context.progress(k / order, `derivative ${k + 1} of ${order}`);
    if (k > 0) checkSize(tree);
    before = tree;
    // mathjs's own simplification takes exponential time.
    tree = shortestForm(
      bounded.bounded(() => bounded.math.derivative(before, variable, { simplify: false })),
    );
  }
  // The last step is checked: what it started from was the derivative before it.
  const variables = [...new Set([variable, ...variablesOf(before)])];
  const verification = compareAt(variables, valuesOf(tree), quotientOf(valuesOf(before), variable));
  return { result: tree.toString(), variable, order, verification };
};

function checkSize(tree: MathNode): void {
  const numNodes = sizeOf(tree);
  if (numNodes <= MAX_NODES_BETWEEN) return;
  const message = `A derivative on the way has ${numNodes} nodes; the limit is ${MAX_NODES_BETWEEN}.`;
  throw new ProcedureInputError([{ path: 'order', message }]);
}

/** Steps of the quotient, in parts of 1 + |x|: errors of order h⁴ and of rounding are alike small. */
const STEP = 1e-3;

/** The symmetric difference quotient of fourth order. */
function quotientOf(values: At, variable: string): At {
  return (point) => {
    const x = point.get(variable) ?? 0;
    const h = STEP * (1 + Math.abs(x));
    const sum: [number, number] = [0, 0];
    for (const [steps, weight] of [
      [1, 8],
      [-1, -8],
      [2, -1],
      [-2, 1],
    ] as const) {
      const value: Value | undefined = values(new Map(point).set(variable, x + steps * h));
      if (value === undefined) return undefined;
      sum[0] += (weight * value[0]) / (12 * h);
      sum[1] += (weight * value[1]) / (12 * h);
    }
    return sum;
  };
}
