/**
 * The functions of mathjs, from the one file that its package has for browsers. Loading its thousand modules
 * takes six times as long, and 85 MB more of each process that does.
 */
import { createRequire } from 'node:module';
import type { ConfigOptions, MathJsInstance } from 'mathjs';

/** Its types are those of the modules; but its `create` already has all functions, and takes a configuration alone. */
type Bundle = Omit<typeof import('mathjs'), 'all' | 'create'> & {
  create(config: ConfigOptions): MathJsInstance;
};
const bundle: Bundle = createRequire(import.meta.url)('mathjs/lib/browser/math.js');

/** Classes of values whose names the file has shortened; `typeOf` reads them. */
const SHORTENED = ['Index', 'Range', 'ResultSet'] as const;

/** A mathjs of its own, with all functions. */
export function createMath(config: ConfigOptions): MathJsInstance {
  const math = bundle.create(config);
  for (const name of SHORTENED) {
    const itsClass: unknown = Reflect.get(math, name);
    if (typeof itsClass !== 'function') throw new Error(`unreachable: mathjs has no ${name}`);
    Object.defineProperty(itsClass, 'name', { value: name });
  }
  return math;
}

export const {
  isAccessorNode,
  isAssignmentNode,
  isBigNumber,
  isComplex,
  isConstantNode,
  isFraction,
  isFunctionAssignmentNode,
  isFunctionNode,
  isIndexNode,
  isMatrix,
  isOperatorNode,
  isParenthesisNode,
  isResultSet,
  isSymbolNode,
  isUnit,
} = bundle;
