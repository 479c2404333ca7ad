/**
 * Differentiates trees by mathjs's rules, and by own rules for functions for which mathjs's are wrong or
 * hold for positive numbers only.
 *
 * A call with an own rule is first replaced by a variable v. By the chain rule the derivative is mathjs's
 * derivative with v fixed, plus the derivative by v times that of the call.
 */
import type { FunctionNode, MathNode } from 'mathjs';
import { uniformDraw } from '../../../math/philox.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { isFunctionNode, isSymbolNode } from '../mathjs.ts';
import { type At, symbolicMath, type Value, valuesOf, variablesOf } from './symbolic.ts';

/** The derivatives of a call by its arguments u and n, by the call's name and number of arguments. */
const OWN_RULES: ReadonlyMap<string, readonly string[]> = new Map([
  // The sign of mathjs's rule is that of the other hyperbolic functions' rules.
  ['acoth/1', ['1 / (1 - u^2)']],
  // Roots of negative numbers are real, and powers with fractions of them are not.
  ['cbrt/1', ['1 / (3 * cbrt(u)^2)']],
  ['nthRoot/2', ['nthRoot(u, n) / (n * u)', '-nthRoot(u, n) * log(u) / n^2']],
]);

/**
 * The derivative of a tree by a variable, not simplified.
 *
 * @throws {Error} if a function in it has no rule.
 */
export function derive(tree: MathNode, variable: string): MathNode {
  const calls = new Map<string, FunctionNode>();
  const longest = Math.max(...variablesOf(tree).map(({ length }) => length), 0);
  // Longer than every name in the tree, so distinct from each.
  const prefix = 'v'.repeat(longest + 1);
  const names = new Map<string, string>();
  const held = tree.transform((node) => {
    if (!isFunctionNode(node) || !rulesOf(node) || !variablesOf(node).includes(variable)) {
      return node;
    }
    const text = node.toString();
    const name = names.get(text) ?? `${prefix}${names.size}`;
    names.set(text, name);
    calls.set(name, node);
    return parsed(name);
  });
  let sum = byMathjs(held, variable);
  for (const [name, call] of calls) {
    const outer = byMathjs(held, name);
    sum = filled('a + b * c', { a: sum, b: outer, c: ofCall(call, variable) });
  }
  return filled(sum, Object.fromEntries(calls));
}

/** The derivative of a call that has rules. */
function ofCall(call: FunctionNode, variable: string): MathNode {
  const [u, n = u] = call.args;
  let sum: MathNode = parsed('0');
  for (const [i, rule] of (rulesOf(call) ?? []).entries()) {
    const arg = call.args[i];
    if (u === undefined || n === undefined || arg === undefined) break;
    if (!variablesOf(arg).includes(variable)) continue;
    const partial = filled(rule, { u, n });
    sum = filled('a + b * c', { a: sum, b: partial, c: derive(arg, variable) });
  }
  return sum;
}

function rulesOf({ fn, args }: FunctionNode): readonly string[] | undefined {
  return isSymbolNode(fn) ? OWN_RULES.get(`${fn.name}/${args.length}`) : undefined;
}

function byMathjs(tree: MathNode, variable: string): MathNode {
  // mathjs's own simplification takes exponential time.
  return symbolicMath().math.derivative(tree, variable, { simplify: false });
}

function parsed(text: string): MathNode {
  return symbolicMath().math.parse(text);
}

/** A tree, or the text of one, with trees in the place of variables. */
function filled(form: string | MathNode, parts: Readonly<Record<string, MathNode>>): MathNode {
  const tree = typeof form === 'string' ? parsed(form) : form;
  return tree.transform((node) => (isSymbolNode(node) ? (parts[node.name] ?? node) : node));
}

/** Result of a comparison. */
export interface DerivativeCheck extends JsonObject {
  /** Number of points at which the quotient was known to be good, and the derivative was finite. */
  readonly points: number;
  /** |difference| / (1 + |derivative|); absent where there was no such point. */
  readonly max_relative_difference?: number;
  /** Domain of the values at those points; absent where there was no such point. */
  readonly domain?: 'real' | 'complex';
}

const NUM_POINTS = 16;
/** Points in [−width, width] for each variable. */
const TRIED = [
  { width: 2, count: 256 },
  { width: 20, count: 64 },
  { width: 1000, count: 64 },
];
/** Points of every check are the same: an answer does not hang on them. */
const POINTS_SEED = 20_240_229;
/** Steps of the quotients, in parts of 1 + |x|: errors of order h⁴ and of rounding are alike small. */
const STEPS = [1e-3, 5e-4] as const;
/** Quotients whose doubt is larger, in parts of 1 + |quotient|, decide nothing. */
const MAX_DOUBT = 1e-6;
const ROUNDING = 2 ** -50;

/**
 * Compares a derivative with the difference quotients of its expression.
 *
 * If an expression is real at some points, it is compared at those alone: the rules for acosh, say, are
 * those of real functions. If quotients of two step sizes disagree, there is a kink, a pole or a jump
 * between the points, or digits were lost; such a point is ignored.
 */
export function checkDerivative(
  tree: MathNode,
  derivative: MathNode,
  variables: readonly string[],
  variable: string,
): DerivativeCheck {
  const [values, slopes] = [valuesOf(tree), valuesOf(derivative)];
  const found = { real: { points: 0, worst: 0 }, complex: { points: 0, worst: 0 } };
  const sizes = sizedBy(tree);
  for (const point of pointsFor(variables)) {
    const all = [values, ...sizes].map((each) => each(point));
    const domain = found[all.every((value) => value?.[1] === 0) ? 'real' : 'complex'];
    if (domain.points === NUM_POINTS) continue;
    const quotient = quotientAt(values, point, variable);
    const slope = quotient && slopes(point);
    if (quotient === undefined || slope === undefined) continue;
    const difference = Math.hypot(slope[0] - quotient[0], slope[1] - quotient[1]);
    domain.points++;
    domain.worst = Math.max(domain.worst, difference / (1 + Math.hypot(...slope)));
    if (found.real.points === NUM_POINTS) break;
  }
  const domain = found.real.points > 0 ? 'real' : 'complex';
  const { points, worst } = found[domain];
  return points === 0 ? { points } : { points, max_relative_difference: worst, domain };
}

function* pointsFor(variables: readonly string[]): Generator<ReadonlyMap<string, number>> {
  let k = 0;
  for (const { width, count } of TRIED) {
    for (let tried = 0; tried < count; tried++, k++) {
      yield new Map(
        variables.map((name, i) => [name, width * (2 * uniformDraw(POINTS_SEED, k, 0, i) - 1)]),
      );
    }
  }
}

/** Arguments of `abs`. Its derivative rule holds for real arguments only, though its value is always real. */
function sizedBy(tree: MathNode): readonly At[] {
  const args: At[] = [];
  tree.traverse((node) => {
    if (!isFunctionNode(node) || !isSymbolNode(node.fn) || node.fn.name !== 'abs') return;
    for (const arg of node.args) args.push(valuesOf(arg));
  });
  return args;
}

/** The quotient at a point; undefined where it is none to go by. */
function quotientAt(
  values: At,
  point: ReadonlyMap<string, number>,
  variable: string,
): Value | undefined {
  const x = point.get(variable) ?? 0;
  const seen: Value[] = [];
  const quotients: Value[] = [];
  for (const step of STEPS) {
    const h = step * (1 + Math.abs(x));
    const sum: [number, number] = [0, 0];
    // Symmetric, of fourth order.
    for (const [steps, weight] of [
      [1, 8],
      [-1, -8],
      [2, -1],
      [-2, 1],
    ] as const) {
      const value = values(new Map(point).set(variable, x + steps * h));
      if (value === undefined) return undefined;
      seen.push(value);
      sum[0] += (weight * value[0]) / (12 * h);
      sum[1] += (weight * value[1]) / (12 * h);
    }
    quotients.push(sum);
  }
  const [wide, narrow] = quotients;
  if (wide === undefined || narrow === undefined) throw new Error('unreachable: two step sizes');
  const largest = Math.max(...seen.map((value) => Math.hypot(...value)));
  const doubt =
    Math.hypot(wide[0] - narrow[0], wide[1] - narrow[1]) + (ROUNDING * largest) / STEPS[1];
  return doubt <= MAX_DOUBT * (1 + Math.hypot(...narrow)) ? narrow : undefined;
}
