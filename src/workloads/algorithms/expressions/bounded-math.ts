/**
 * A sandboxed mathjs: expressions reach only the allowed functions, every call is counted and has its
 * arguments and result checked, and random functions draw by the run's seed.
 *
 * The namespace of expressions is one object of the instance, which every compiled expression reads; it
 * is emptied here and refilled with guarded functions. Passing overriding functions to mathjs instead
 * would leave in place every function that nobody thought of, and would affect mathjs's internal calls,
 * too. Time and memory are bounded by the process in which this runs.
 */
import type { MathJsInstance, MathNode } from 'mathjs';
import type { Fault } from '../../../errors/coded-error.ts';
import { uniformDraw } from '../../../math/philox.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import { createMath, isMatrix } from '../mathjs.ts';
import { guardBroadcast, guardOf } from './argument-guards.ts';
import {
  ALLOWED_CONSTANTS,
  ALLOWED_FUNCTIONS,
  EXPRESSION_LIMITS,
  expressionTextFaults,
} from './expression-limits.ts';
import { checkLiterals, checkRange, correctedGamma } from './number-range.ts';
import { checkTree, EVALUATED_KINDS, type TreeRules } from './tree-faults.ts';
import { checkValue, ExpressionLimitError, isRecord } from './value-size.ts';

/** Draws one after another. */
export class SeededDraws {
  readonly #seed: number;
  #numDraws = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Number of draws so far. */
  get numDraws(): number {
    return this.#numDraws;
  }

  /** In [0, 1). */
  next(): number {
    return uniformDraw(this.#seed, 0, 0, this.#numDraws++);
  }

  /** `random(size?, min?, max?)`, as mathjs has it. */
  random(args: readonly unknown[]): unknown {
    return this.#fill('random', args, (low, high) => low + this.next() * (high - low));
  }

  /** `randomInt(size?, min?, max?)`: whole numbers, `max` excluded. */
  randomInt(args: readonly unknown[]): unknown {
    const draw = (low: number, high: number) => Math.floor(low + this.next() * (high - low));
    return this.#fill('randomInt', args, draw);
  }

  /** `pickRandom(list, count?)`, each entry as likely as any. */
  pickRandom(args: readonly unknown[]): unknown {
    const list: unknown = isMatrix(args[0]) ? args[0].valueOf() : args[0];
    const count = args[1];
    if (!Array.isArray(list) || list.length === 0 || list.some(Array.isArray)) {
      throw new TypeError('pickRandom takes a list of at least one entry.');
    }
    const pick = (): unknown => list[Math.floor(this.next() * list.length)];
    if (count === undefined) return pick();
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || args.length > 2) {
      throw new TypeError('pickRandom takes a whole number of entries to pick.');
    }
    if (count > list.length) throw new ExpressionLimitError('pickRandom has too few entries.');
    return Array.from({ length: count }, pick);
  }

  #fill(name: string, args: readonly unknown[], draw: (low: number, high: number) => number) {
    const [first, ...others] = args;
    const size: unknown = isMatrix(first) ? first.valueOf() : first;
    const bounds = Array.isArray(size) ? others : args;
    const isGood = bounds.every((bound) => typeof bound === 'number' && Number.isFinite(bound));
    if (!isGood || bounds.length > 2) {
      throw new TypeError(`${name} takes a list of sizes, if any, and up to two finite bounds.`);
    }
    const ends = bounds.filter((bound) => typeof bound === 'number');
    // One bound is the upper one.
    const [low, high] = ends.length === 2 ? ends : [0, ends[0] ?? (name === 'random' ? 1 : 2)];
    const filled = (lengths: readonly unknown[]): unknown => {
      const [length, ...rest] = lengths;
      if (length === undefined) return draw(low!, high!);
      if (typeof length !== 'number' || !Number.isInteger(length) || length < 0) {
        throw new TypeError(`${name} takes whole numbers as sizes.`);
      }
      return Array.from({ length }, () => filled(rest));
    };
    return Array.isArray(size) ? filled(size) : draw(low!, high!);
  }
}

/** Type of decimal literals. */
export type Precision =
  | { readonly kind: 'number' }
  | { readonly kind: 'bignumber'; readonly digits: number }
  | { readonly kind: 'fraction' };

/** A value and the number of random draws. */
export interface Evaluated {
  readonly value: unknown;
  readonly numDraws: number;
}

type AnyFunction = (...args: readonly unknown[]) => unknown;
const MAX_MESSAGE_LENGTH = 300;

/** A mathjs instance; evaluations share no state. */
export class BoundedMath {
  readonly math: MathJsInstance;
  readonly #mathNames: ReadonlySet<string>;
  readonly #kind: Precision['kind'];
  #numCalls = 0;
  #draws = new SeededDraws(0);

  constructor(precision: Precision) {
    this.math = createMath({
      number: NUMBER_KINDS[precision.kind],
      ...(precision.kind === 'bignumber' ? { precision: precision.digits } : {}),
    });
    this.#kind = precision.kind;
    boundExponents(this.math);
    const namespace = namespaceOf(this.math);
    this.#mathNames = new Set(Object.getOwnPropertyNames(namespace));
    this.#fill(namespace);
  }

  /** Names that mean something in an expression without a scope. */
  get mathNames(): ReadonlySet<string> {
    return this.#mathNames;
  }

  /**
   * Parses an expression.
   *
   * @throws {ProcedureInputError} at `expression`, if it is malformed or has refused parts.
   */
  parse(expression: string, rules: Omit<TreeRules, 'mathNames'> = EVALUATION): MathNode {
    const faults = expressionTextFaults(expression, 'expression');
    if (faults.length > 0) throw new ProcedureInputError(faults);
    return this.#asked(() => {
      const tree = this.math.parse(expression);
      checkTree(tree, { ...rules, mathNames: this.#mathNames });
      return tree;
    });
  }

  /**
   * Evaluates an expression.
   *
   * @param variables - May be modified; the map is not kept.
   * @throws {ProcedureInputError} at `expression`, if it cannot be evaluated within the limits.
   */
  evaluate(
    expression: string,
    variables: Iterable<readonly [string, unknown]>,
    seed: number,
  ): Evaluated {
    const tree = this.parse(expression);
    return this.bounded(() => {
      if (this.#kind === 'bignumber') checkLiterals(expression);
      this.#draws = new SeededDraws(seed);
      const scope = new CountedScope(() => this.#count());
      for (const [name, value] of variables) scope.set(name, value);
      const value: unknown = tree.compile().evaluate(scope);
      checkValue(value);
      return { value, numDraws: this.#draws.numDraws };
    });
  }

  /**
   * Runs code that calls functions of expressions, with a call count of its own.
   *
   * @throws {ProcedureInputError} as `evaluate`.
   */
  bounded<Result>(work: () => Result): Result {
    this.#numCalls = 0;
    return this.#asked(work);
  }

  /** Converts errors to faults of the expression. */
  #asked<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      // A ReferenceError in code is a bug and not the expression's fault.
      if (!(error instanceof Error) || error instanceof ReferenceError) throw error;
      throw new ProcedureInputError([{ path: 'expression', message: messageOf(error) }]);
    }
  }

  #count(): void {
    this.#numCalls++;
    if (this.#numCalls <= EXPRESSION_LIMITS.max_calls) return;
    throw new ExpressionLimitError(
      `More than ${EXPRESSION_LIMITS.max_calls} calls, which is the limit max_calls.`,
    );
  }

  /** Replaces all functions by guarded ones, each created when first requested. */
  #fill(namespace: Record<string, unknown>): void {
    const originals = Object.getOwnPropertyDescriptors(namespace);
    for (const name of this.#mathNames) Reflect.deleteProperty(namespace, name);
    const { random, randomInt, pickRandom } = SeededDraws.prototype;
    const draws = new Map(Object.entries({ random, randomInt, pickRandom }));
    for (const name of [...ALLOWED_FUNCTIONS, ...ALLOWED_CONSTANTS]) {
      const draw = draws.get(name);
      const original = originals[name];
      if (original === undefined) throw new Error(`unreachable: mathjs has no ${name}`);
      defineLazily(namespace, name, () => {
        if (draw !== undefined) {
          return this.#guarded(name, (...args) => Reflect.apply(draw, this.#draws, [args]));
        }
        const value: unknown = original.get ? original.get() : original.value;
        return isFunction(value) ? this.#guarded(name, value) : value;
      });
    }
    // Literal matrices read their type from it; it cannot be named in an expression.
    defineLazily(namespace, 'config', () => Object.freeze({ matrix: 'Matrix' }));
  }

  #guarded(name: string, target: AnyFunction): unknown {
    const guard = guardOf(name);
    const guarded: AnyFunction = new Proxy(target, {
      // Functions that call back take a signature's code from there, past the guard.
      get: (inner, property) => {
        const value: unknown = Reflect.get(inner, property);
        if (property !== 'signatures' || !isRecord(value)) return value;
        // Plain functions: of typed ones, others are made that refer to themselves.
        const plain: AnyFunction = (...args) => guarded(...args);
        return Object.fromEntries(Object.keys(value).map((signature) => [signature, plain]));
      },
      apply: (inner, self: unknown, args: readonly unknown[]) => {
        this.#count();
        guardBroadcast(args);
        guard?.(args, name);
        const given: unknown = Reflect.apply(inner, self, [...args]);
        const value = correctedGamma(name, args, given, (x) => this.math.gamma(x));
        checkRange(name, args, value);
        checkValue(value);
        return value;
      },
    });
    return guarded;
  }
}

/** Faults of an expression, from the error that parsing it throws. */
export function faultsOfParsing(parse: () => MathNode): readonly Fault[] {
  try {
    parse();
    return [];
  } catch (error) {
    if (error instanceof ProcedureInputError) return error.faults;
    throw error;
  }
}

const EVALUATION = { maxNodes: EXPRESSION_LIMITS.max_nodes, kinds: EVALUATED_KINDS };

const NUMBER_KINDS = { number: 'number', bignumber: 'BigNumber', fraction: 'Fraction' } as const;

/** A scope in which calls of functions that the expression defines count as all others do. */
class CountedScope extends Map<string, unknown> {
  readonly #count: () => void;

  constructor(count: () => void) {
    super();
    this.#count = count;
  }

  override set(name: string, value: unknown): this {
    if (!isFunction(value)) return super.set(name, value);
    const counted = new Proxy(value, {
      apply: (inner, self: unknown, args: readonly unknown[]) => {
        this.#count();
        return Reflect.apply(inner, self, [...args]);
      },
    });
    return super.set(name, counted);
  }
}

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function';
}

function defineLazily(namespace: Record<string, unknown>, name: string, open: () => unknown): void {
  let held: { readonly value: unknown } | undefined;
  const get = (): unknown => {
    held ??= { value: open() };
    return held.value;
  };
  Object.defineProperty(namespace, name, { get, enumerable: true });
}

/** mathjs's types leave the class of bignumbers out, too. */
function boundExponents(math: MathJsInstance): void {
  const decimal: unknown = Reflect.get(math, 'BigNumber');
  const configure: unknown = isFunction(decimal) ? Reflect.get(decimal, 'config') : undefined;
  if (!isFunction(configure)) throw new Error('unreachable: mathjs has other bignumbers');
  const { max_decimal_exponent: most } = EXPRESSION_LIMITS;
  Reflect.apply(configure, decimal, [{ maxE: most, minE: -most }]);
}

/** The object in which compiled expressions look names up, which mathjs's types leave out. */
function namespaceOf(math: MathJsInstance): Record<string, unknown> {
  const expression: unknown = Reflect.get(math, 'expression');
  const namespace = isRecord(expression) ? expression['mathWithTransform'] : undefined;
  if (!isRecord(namespace)) throw new Error('unreachable: mathjs has another namespace');
  return namespace;
}

/** Prefix that functions with callbacks add to a message, once for each depth of calls. */
const OF_CALLBACKS = /^(?:Function \w+ cannot apply callback arguments to function \S*: )+/;

function messageOf({ message }: Error): string {
  const own = message.replace(OF_CALLBACKS, '');
  if (own.startsWith('Maximum call stack')) return 'Functions call each other too deeply.';
  const shown = own.length > MAX_MESSAGE_LENGTH ? `${own.slice(0, MAX_MESSAGE_LENGTH)}…` : own;
  return /[.…]$/.test(shown) ? shown : `${shown}.`;
}
