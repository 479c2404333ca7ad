/**
 * Differentiates trees by mathjs's rules, and by own rules for functions for which mathjs's are wrong or
 * hold for positive numbers only.
 *
 * A call with an own rule is first replaced by a variable v. By the chain rule the derivative is mathjs's
 * derivative with v fixed, plus the derivative by v times that of the call.
 */
import { type FunctionNode, isFunctionNode, isSymbolNode, type MathNode } from 'mathjs';
import { symbolicMath, variablesOf } from './symbolic.ts';

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
