/**
 * Puts expressions in normal form: sums of products of powers, with like terms combined. mathjs's own
 * rules try all splits of sums and products, whose number grows exponentially with their length; this
 * takes one walk over the tree. Those rules also turn 0 / 0 into 0 and (x^3)^(1/3) into x, and do not
 * simplify sin(x)^2 + cos(x)^2.
 *
 * Variables are real numbers, and forms are equal wherever both are defined: x/x is 1.
 */
import type { MathNode } from 'mathjs';
import {
  isConstantNode,
  isFunctionNode,
  isOperatorNode,
  isParenthesisNode,
  isSymbolNode,
} from '../mathjs.ts';
import {
  addSums,
  atomSum,
  constantOf,
  constantSum,
  fromDouble,
  joinSquares,
  multiplySums,
  ONE,
  onlyTerm,
  type Rational,
  rational,
  ratioOf,
  sumText,
  type TermSum,
  toPower,
  withExponents,
} from './term-sum.ts';
import { ExpressionLimitError } from './value-size.ts';

/** Whether products and powers of sums are multiplied out. */
export type Products = 'expanded' | 'kept';

/** Terms that multiplying out may give. */
const MAX_TERMS = 64;
const MAX_EXPANDED_POWER = 12;
/** Largest exponent of a number, and largest exponent that is multiplied into others. */
const MAX_EXPONENT = 64;
/** Bits of a coefficient that a power may give. */
const MAX_BITS = 512;
const MAX_FACTORIAL = 20n;
const MAX_TEXT = 20_000;
const MINUS_ONE = rational(-1n);
const HALF = rational(1n, 2n);

/** The text of an expression in normal form. */
export function normalText(tree: MathNode, products: Products): string {
  return new Normaliser(products).text(tree);
}

class Normaliser {
  readonly #isExpanding: boolean;
  /** A part may be requested more than once. */
  readonly #sums = new Map<MathNode, TermSum>();

  constructor(products: Products) {
    this.#isExpanding = products === 'expanded';
  }

  text(node: MathNode): string {
    const text = sumText(this.#sum(node));
    if (text.length <= MAX_TEXT) return text;
    throw new ExpressionLimitError(
      `A form on the way takes more than ${MAX_TEXT} characters, which is the limit.`,
    );
  }

  #sum(node: MathNode): TermSum {
    const sum = this.#sums.get(node) ?? this.#sumOf(node);
    this.#sums.set(node, sum);
    return sum;
  }

  #sumOf(node: MathNode): TermSum {
    if (isParenthesisNode(node)) return this.#sum(node.content);
    if (isConstantNode(node)) return this.#constant(node);
    if (isSymbolNode(node)) return atomSum(node.name, true);
    if (isOperatorNode(node)) return joinSquares(this.#operator(node.fn, node.args, node));
    if (isFunctionNode(node)) return this.#call(node.fn.name, node.args, node);
    return this.#atom(node);
  }

  #constant(node: MathNode): TermSum {
    const value: unknown = Reflect.get(node, 'value');
    const exact = typeof value === 'number' ? fromDouble(value) : undefined;
    return exact === undefined ? atomSum(node.toString(), true) : constantSum(exact);
  }

  #operator(name: string, args: readonly MathNode[], node: MathNode): TermSum {
    const [first, second] = args;
    if (first === undefined) return this.#atom(node);
    if (second === undefined) {
      if (name === 'unaryMinus') return multiplySums(this.#sum(first), constantSum(MINUS_ONE));
      if (name === 'factorial') return this.#factorial(this.#sum(first), node);
      return name === 'unaryPlus' ? this.#sum(first) : this.#atom(node);
    }
    switch (name) {
      case 'add':
        return addSums(this.#sum(first), this.#sum(second));
      case 'subtract':
        return addSums(this.#sum(first), this.#sum(second), MINUS_ONE);
      case 'multiply':
        return this.#product(this.#sum(first), this.#sum(second));
      case 'divide':
        return this.#quotient(this.#sum(first), this.#sum(second), node);
      case 'pow':
        return this.#power(this.#sum(first), this.#sum(second), node);
      default:
        return this.#atom(node);
    }
  }

  #call(name: string, args: readonly MathNode[], node: MathNode): TermSum {
    const [argument] = args;
    if (argument === undefined || args.length > 1) return this.#atom(node);
    const inner = this.#sum(argument);
    const value = constantOf(inner);
    if (value?.n === 0n && AT_ZERO.has(name)) return constantSum(AT_ZERO.get(name)!);
    if (name === 'log' && value?.n === value?.d && value !== undefined)
      return constantSum(rational(0n));
    if (name === 'sqrt') return this.#power(inner, constantSum(HALF), node);
    if (isFunctionNode(argument) && argument.args.length === 1) {
      if (INVERSES.get(name) === argument.fn.name) return this.#sum(argument.args[0]!);
    }
    // |−x| = |x|: the sign of the first term tells which of the two is written.
    if (name === 'abs' && sumText(inner).startsWith('-')) {
      const positive = multiplySums(inner, constantSum(MINUS_ONE));
      return atomSum(`abs(${sumText(positive)})`, true);
    }
    return this.#atom(node);
  }

  #factorial(argument: TermSum, node: MathNode): TermSum {
    const value = constantOf(argument);
    if (value === undefined || value.d !== 1n || value.n < 0n || value.n > MAX_FACTORIAL) {
      return this.#atom(node);
    }
    let product = 1n;
    for (let k = 2n; k <= value.n; k++) product *= k;
    return constantSum(rational(product));
  }

  /** A node that has no rule here, as one atom; its arguments are in normal form. */
  #atom(node: MathNode): TermSum {
    const isCall = isFunctionNode(node);
    if (isCall) {
      const args = node.args.map((arg) => this.text(arg)).join(', ');
      return atomSum(`${node.fn.name}(${args})`, true);
    }
    return atomSum(node.toString(), false);
  }

  #product(a: TermSum, b: TermSum): TermSum {
    const isNumber = constantOf(a) !== undefined || constantOf(b) !== undefined;
    const isSingle = a.size <= 1 && b.size <= 1;
    const canExpand = this.#isExpanding && a.size * b.size <= MAX_TERMS;
    if (isNumber || isSingle || canExpand) return multiplySums(a, b);
    return multiplySums(asFactor(a), asFactor(b));
  }

  #quotient(a: TermSum, b: TermSum, node: MathNode): TermSum {
    if (b.size === 0) return this.#atom(node);
    const ratio = ratioOf(a, b);
    if (ratio !== undefined) return constantSum(ratio);
    const inverse = this.#power(b, constantSum(MINUS_ONE), node);
    const numerator = constantOf(b) === undefined && !this.#isExpanding ? asFactor(a) : a;
    return multiplySums(numerator, inverse);
  }

  #power(base: TermSum, exponent: TermSum, node: MathNode): TermSum {
    const value = constantOf(exponent);
    if (value === undefined) return atomSum(`${bracketed(base)}^${bracketed(exponent)}`, false);
    if (value.n === 0n) return constantSum(ONE);
    const isWhole = value.d === 1n;
    const size = Math.abs(Number(value.n));
    const number = constantOf(base);
    if (number !== undefined) return this.#numberPower(number, value, node);
    const term = onlyTerm(base);
    if (term !== undefined && size <= MAX_EXPONENT) {
      // Roots of products are not products of roots where factors are negative.
      const isLone = term.powers.size === 1 && isUnit(term.coefficient);
      const isPlain = isLone && [...term.powers.values()][0]?.exponent.d === 1n;
      const isFirst = isPlain && [...term.powers.values()][0]?.exponent.n === 1n;
      const coefficient = isWhole ? powerOfNumber(term.coefficient, Number(value.n)) : ONE;
      if ((isWhole || isFirst) && coefficient !== undefined) {
        return withExponents(term, coefficient, value);
      }
    }
    const terms = binomial(base.size, size);
    if (
      this.#isExpanding &&
      isWhole &&
      value.n > 1n &&
      terms <= MAX_TERMS &&
      size <= MAX_EXPANDED_POWER
    ) {
      let product = base;
      for (let k = 1; k < size; k++) product = multiplySums(product, base);
      return product;
    }
    return atomSum(sumText(base), false, value);
  }

  #numberPower(number: Rational, exponent: Rational, node: MathNode): TermSum {
    if (number.n === 0n) return exponent.n > 0n ? constantSum(number) : this.#atom(node);
    if (exponent.d === 1n) {
      const exact = powerOfNumber(number, Number(exponent.n));
      if (exact !== undefined) return constantSum(exact);
    }
    const root = exponent.d === 2n && exponent.n === 1n ? squareRootOf(number) : undefined;
    if (root !== undefined) return constantSum(root);
    return atomSum(sumText(constantSum(number)), number.n > 0n && number.d === 1n, exponent);
  }
}

const AT_ZERO: ReadonlyMap<string, Rational> = new Map([
  ...['sin', 'tan', 'sinh', 'tanh', 'asin', 'atan', 'abs', 'sqrt'].map(
    (name) => [name, rational(0n)] as const,
  ),
  ...['cos', 'cosh', 'exp'].map((name) => [name, ONE] as const),
]);

/** f(g(x)) = x for every real x for which it is defined. */
const INVERSES: ReadonlyMap<string, string> = new Map([
  ['log', 'exp'],
  ['exp', 'log'],
]);

/** A sum of several terms becomes one factor. */
function asFactor(sum: TermSum): TermSum {
  return sum.size <= 1 ? sum : atomSum(sumText(sum), false);
}

function bracketed(sum: TermSum): string {
  const text = sumText(sum);
  const term = onlyTerm(sum);
  const power = term?.powers.size === 1 ? [...term.powers.values()][0] : undefined;
  const isBare = term !== undefined && isUnit(term.coefficient) && power?.isSimple === true;
  const isName = isBare && isUnit(power.exponent);
  return isName || /^\d+$/.test(text) ? text : `(${text})`;
}

function isUnit({ n, d }: Rational): boolean {
  return n === 1n && d === 1n;
}

function powerOfNumber(number: Rational, exponent: number): Rational | undefined {
  const bits = Math.max(number.n.toString(2).length, number.d.toString(2).length);
  const isSmall = isUnit(number) || bits * Math.abs(exponent) <= MAX_BITS;
  return isSmall ? toPower(number, exponent) : undefined;
}

/** The exact root of a square. */
function squareRootOf({ n, d }: Rational): Rational | undefined {
  if (n < 0n || n > 2n ** 52n || d > 2n ** 52n) return undefined;
  const [above, below] = [Math.round(Math.sqrt(Number(n))), Math.round(Math.sqrt(Number(d)))];
  const root = rational(BigInt(above), BigInt(below));
  return root.n * root.n === n && root.d * root.d === d ? root : undefined;
}

/** Number of terms of a power of a sum. */
function binomial(numTerms: number, power: number): number {
  let count = 1;
  for (let k = 1; k < numTerms; k++) count = (count * (power + k)) / k;
  return count;
}
