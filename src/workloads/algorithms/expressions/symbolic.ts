/** Symbolic expressions: which ones are accepted, and how transformed ones are verified. */
import type { EvalFunction, MathNode } from 'mathjs';
import type { Fault } from '../../../errors/coded-error.ts';
import { uniformDraw } from '../../../math/philox.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { isComplex, isFunctionNode, isParenthesisNode, isSymbolNode } from '../mathjs.ts';
import { BoundedMath, faultsOfParsing } from './bounded-math.ts';
import { ALLOWED_CONSTANTS, DRAWING_FUNCTIONS, MAX_SYMBOLIC_NODES } from './expression-limits.ts';
import { normalText } from './normal-form.ts';

let opened: BoundedMath | undefined;

/** The instance for transformations; they work on doubles and small fractions. */
export function symbolicMath(): BoundedMath {
  opened ??= new BoundedMath({ kind: 'number' });
  return opened;
}

const KINDS: ReadonlySet<string> = new Set([
  'ConstantNode',
  'FunctionNode',
  'OperatorNode',
  'ParenthesisNode',
  'SymbolNode',
]);

/**
 * The tree of an expression that can be transformed.
 *
 * @throws {ProcedureInputError} at `expression`.
 */
export function parseSymbolic(expression: string, maxNodes = MAX_SYMBOLIC_NODES): MathNode {
  return symbolicMath().parse(expression, {
    maxNodes,
    kinds: KINDS,
    withoutFunctions: DRAWING_FUNCTIONS,
  });
}

/** Faults of an expression that its syntax tree shows before it is transformed. */
export function symbolicFaults({ expression }: { readonly expression: string }): readonly Fault[] {
  return faultsOfParsing(() => parseSymbolic(expression));
}

/**
 * The shortest of an expression's forms: unchanged, in normal form, and multiplied out.
 *
 * @throws {ProcedureInputError} at `expression`, where a form is too long.
 */
export function shortestForm(tree: MathNode): MathNode {
  const bounded = symbolicMath();
  return bounded.bounded(() => {
    const forms = (['kept', 'expanded'] as const).map((products) =>
      withoutBrackets(bounded.math.parse(normalText(tree, products))),
    );
    // The normal form is preferred to the given form if both have one length.
    return [...forms, tree].reduce((best, form) => (sizeOf(form) < sizeOf(best) ? form : best));
  });
}

function withoutBrackets(tree: MathNode): MathNode {
  return isParenthesisNode(tree) ? tree.content : tree;
}

/** Nodes of a tree, brackets not counted. */
export function sizeOf(tree: MathNode): number {
  return tree.filter((node) => node.type !== 'ParenthesisNode').length;
}

/** The variables of a tree, in order of appearance. */
export function variablesOf(root: MathNode): readonly string[] {
  const names = new Set<string>();
  root.traverse((node, _path, parent) => {
    if (!isSymbolNode(node) || ALLOWED_CONSTANTS.has(node.name)) return;
    // The root's `parent` is absent, whatever the types say.
    if (parent && isFunctionNode(parent) && parent.fn === node) return;
    names.add(node.name);
  });
  return [...names];
}

/** The comparison of two expressions at points. */
export interface Verification extends JsonObject {
  /** At which both had finite values. */
  readonly points: number;
  /** |a − b| / (1 + |a|); absent where there was no such point. */
  readonly max_relative_difference?: number;
}

/** A value of an expression: [re, im]. */
export type Value = readonly [number, number];
/** The value at a point; undefined where there is no finite number. */
export type At = (point: ReadonlyMap<string, number>) => Value | undefined;

const NUM_POINTS = 16;
/** Points of every check are the same: an answer does not hang on them. */
const POINTS_SEED = 20_240_229;

/** Compares two at random points of [−2, 2] for each variable. */
export function compareAt(variables: readonly string[], a: At, b: At): Verification {
  let points = 0;
  let worst = 0;
  for (let k = 0; k < NUM_POINTS; k++) {
    const point = new Map(
      variables.map((name, i) => [name, 4 * uniformDraw(POINTS_SEED, k, 0, i) - 2]),
    );
    const [left, right] = [a(point), b(point)];
    if (left === undefined || right === undefined) continue;
    points++;
    const difference = Math.hypot(left[0] - right[0], left[1] - right[1]);
    worst = Math.max(worst, difference / (1 + Math.hypot(...left)));
  }
  return points === 0 ? { points } : { points, max_relative_difference: worst };
}

/** Values of a tree at points. */
export function valuesOf(tree: MathNode): At {
  let compiled: EvalFunction | undefined;
  return (point) => {
    try {
      compiled ??= tree.compile();
      const { evaluate } = compiled;
      // Each point has the calls of one evaluation.
      return numberOf(symbolicMath().bounded((): unknown => evaluate(new Map(point))));
    } catch (error) {
      // Undefined at the point, or nowhere defined: not compared.
      if (error instanceof Error) return undefined;
      throw error;
    }
  };
}

function numberOf(value: unknown): Value | undefined {
  const pair: Value | undefined = isComplex(value)
    ? [value.re, value.im]
    : typeof value === 'number'
      ? [value, 0]
      : undefined;
  return pair?.every(Number.isFinite) ? pair : undefined;
}
