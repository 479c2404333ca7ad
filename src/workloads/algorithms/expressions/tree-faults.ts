/** Checks of an expression's syntax tree, before any of it is evaluated. */
import type { MathNode } from 'mathjs';
import {
  isAccessorNode,
  isAssignmentNode,
  isConstantNode,
  isFunctionAssignmentNode,
  isFunctionNode,
  isIndexNode,
  isSymbolNode,
} from '../mathjs.ts';
import {
  ALLOWED_CONSTANTS,
  ALLOWED_FUNCTIONS,
  ALLOWED_PROPERTIES,
  EXPRESSION_LIMITS,
} from './expression-limits.ts';
import { ExpressionLimitError } from './value-size.ts';

/** Limits of a tree, and further restrictions on its nodes. */
export interface TreeRules {
  readonly maxNodes: number;
  /** Names that mathjs gives a meaning. */
  readonly mathNames: ReadonlySet<string>;
  /** Accepted kinds of nodes. */
  readonly kinds: ReadonlySet<string>;
  /** Refused functions. */
  readonly withoutFunctions?: ReadonlySet<string>;
}

/** Kinds of nodes that evaluation takes: all but objects. */
export const EVALUATED_KINDS: ReadonlySet<string> = new Set([
  'AccessorNode',
  'ArrayNode',
  'AssignmentNode',
  'BlockNode',
  'ConditionalNode',
  'ConstantNode',
  'FunctionAssignmentNode',
  'FunctionNode',
  'IndexNode',
  'OperatorNode',
  'ParenthesisNode',
  'RangeNode',
  'RelationalNode',
  'SymbolNode',
]);

/**
 * @throws {ExpressionLimitError} naming the first thing that is not taken.
 */
export function checkTree(root: MathNode, rules: TreeRules): void {
  let numNodes = 0;
  const visit = (node: MathNode, depth: number): void => {
    numNodes++;
    if (numNodes > rules.maxNodes) {
      refuse(`The expression has more than ${rules.maxNodes} nodes, which is the limit.`);
    }
    if (depth > EXPRESSION_LIMITS.max_depth) {
      refuse(
        `The expression is nested more than ${EXPRESSION_LIMITS.max_depth} deep, which is the limit max_depth.`,
      );
    }
    checkNode(node, rules);
    node.forEach((child) => {
      visit(child, depth + 1);
    });
  };
  visit(root, 0);
}

function checkNode(node: MathNode, rules: TreeRules): void {
  if (!rules.kinds.has(node.type)) refuse(`${KIND_NAMES[node.type] ?? node.type} is not taken.`);
  if (isSymbolNode(node)) checkName(node.name, rules);
  if (isFunctionNode(node)) {
    // Only functions by their names are called: no methods, and no results of other expressions.
    if (!isSymbolNode(node.fn)) refuse('Methods are not taken; functions are called by name.');
  }
  if (isFunctionAssignmentNode(node))
    for (const name of [node.name, ...node.params]) checkName(name, rules);
  if (isAccessorNode(node)) {
    const property = propertyOf(node.index);
    if (property !== undefined && !ALLOWED_PROPERTIES.has(property)) {
      refuse(`There is no access to the property "${shorten(property)}".`);
    }
  }
  if (isAssignmentNode(node)) {
    const isOfProperty = node.index !== null && propertyOf(node.index) !== undefined;
    if (isOfProperty || !isSymbolNode(node.object)) {
      refuse('Properties are not assigned to; variables and places of a matrix are.');
    }
  }
}

/** Name of the property that an index reads; undefined for an index of numbers. */
function propertyOf(index: unknown): string | undefined {
  if (!isIndexNode(index)) return undefined;
  for (const dimension of index.dimensions) {
    if (!isConstantNode(dimension)) continue;
    const value: unknown = dimension.value;
    if (typeof value === 'string') return value;
  }
  return undefined;
}

function checkName(name: string, { mathNames, withoutFunctions }: TreeRules): void {
  if (name in Object.prototype || name.startsWith('__')) {
    refuse(`"${shorten(name)}" cannot be a name.`);
  }
  const isAllowed = ALLOWED_FUNCTIONS.has(name) || ALLOWED_CONSTANTS.has(name);
  if ((mathNames.has(name) && !isAllowed) || withoutFunctions?.has(name)) {
    refuse(`"${shorten(name)}" is not available in expressions.`);
  }
}

const KIND_NAMES: Readonly<Record<string, string>> = {
  ObjectNode: 'An object',
  AccessorNode: 'An index or property',
  ArrayNode: 'A matrix',
  AssignmentNode: 'An assignment',
  BlockNode: 'A list of several expressions',
  ConditionalNode: 'A condition',
  FunctionAssignmentNode: 'A function definition',
  RangeNode: 'A range',
  RelationalNode: 'A chain of comparisons',
};

function shorten(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name;
}

function refuse(message: string): never {
  throw new ExpressionLimitError(message);
}
