/**
 * Sums of products of powers with exact fractions as coefficients: the form in which like terms meet. What is not a
 * sum, product or power is an atom, known by its text.
 */
/** n/d in lowest terms, d positive. */
export interface Rational {
  readonly n: bigint;
  readonly d: bigint;
}

/** A fraction in lowest terms; `d` is not zero. */
export function rational(n: bigint, d = 1n): Rational {
  let [a, b] = [n < 0n ? -n : n, d < 0n ? -d : d];
  while (b !== 0n) [a, b] = [b, a % b];
  const divisor = d < 0n ? -a : a;
  return divisor === 0n ? { n: 0n, d: 1n } : { n: n / divisor, d: d / divisor };
}

/** Zero and one. */
const ZERO = rational(0n);
export const ONE = rational(1n);

/** a + b. */
function plus(a: Rational, b: Rational): Rational {
  return rational(a.n * b.d + b.n * a.d, a.d * b.d);
}

/** a·b. */
function times(a: Rational, b: Rational): Rational {
  return rational(a.n * b.n, a.d * b.d);
}

/** Whether they are one number. */
function isSame(a: Rational, b: Rational): boolean {
  return a.n === b.n && a.d === b.d;
}

/** To a whole power; zero has no negative ones. */
export function toPower({ n, d }: Rational, exponent: number): Rational {
  const size = BigInt(Math.abs(exponent));
  return exponent < 0 ? rational(d ** size, n ** size) : rational(n ** size, d ** size);
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d{1,2}))?$/;

/**
 * The fraction that a double's shortest decimal text denotes: 0.1 is 1/10. Undefined for infinite,
 * tiny and huge doubles.
 */
export function fromDouble(value: number): Rational | undefined {
  const match = DECIMAL.exec(String(value));
  if (match === null) return undefined;
  const [, sign = '', whole = '', decimals = '', exponent = '0'] = match;
  const shift = Number(exponent) - decimals.length;
  const digits = BigInt(`${sign}${whole}${decimals}`);
  return shift < 0
    ? rational(digits, 10n ** BigInt(-shift))
    : rational(digits * 10n ** BigInt(shift));
}

/** `3`, `-1/2`. */
function rationalText({ n, d }: Rational): string {
  return d === 1n ? `${n}` : `${n}/${d}`;
}

/** An atom to a power. */
interface Power {
  /** Whether the atom is a name or a call, which needs no brackets. */
  readonly isSimple: boolean;
  readonly exponent: Rational;
}

/** A coefficient times powers, by the atoms' texts. */
export interface Term {
  readonly coefficient: Rational;
  readonly powers: ReadonlyMap<string, Power>;
}

/** Terms, by the texts of their powers; none is zero. */
export type TermSum = ReadonlyMap<string, Term>;

/** A number. */
export function constantSum(value: Rational): TermSum {
  return sumOf([{ coefficient: value, powers: new Map() }]);
}

/** An atom to a power. */
export function atomSum(text: string, isSimple: boolean, exponent = ONE): TermSum {
  return sumOf([termOf(ONE, [[text, { isSimple, exponent }]])]);
}

/** The terms, like ones together. */
function sumOf(terms: Iterable<Term>): TermSum {
  const sum = new Map<string, Term>();
  for (const term of terms) {
    const key = keyOf(term);
    const coefficient = plus(sum.get(key)?.coefficient ?? ZERO, term.coefficient);
    if (coefficient.n === 0n) sum.delete(key);
    else sum.set(key, { ...term, coefficient });
  }
  return sum;
}

function keyOf({ powers }: Term): string {
  const factors = [...powers].map(([text, { exponent }]) => `${text}^${rationalText(exponent)}`);
  return factors.sort().join('*');
}

function termOf(coefficient: Rational, powers: Iterable<readonly [string, Power]>): Term {
  const kept = new Map<string, Power>();
  let sign = coefficient;
  for (const [text, power] of powers) {
    let exponent = plus(kept.get(text)?.exponent ?? ZERO, power.exponent);
    if (text === 'i' && exponent.d === 1n) {
      // i² = −1.
      const turns = ((exponent.n % 4n) + 4n) % 4n;
      if (turns >= 2n) sign = times(sign, rational(-1n));
      exponent = rational(turns % 2n);
    }
    if (exponent.n === 0n) kept.delete(text);
    else kept.set(text, { ...power, exponent });
  }
  return { coefficient: sign, powers: kept };
}

/** The number, where a sum is no more than that. */
export function constantOf(sum: TermSum): Rational | undefined {
  if (sum.size === 0) return ZERO;
  const term = onlyTerm(sum);
  return term?.powers.size === 0 ? term.coefficient : undefined;
}

/** The term, where there is one alone. */
export function onlyTerm(sum: TermSum): Term | undefined {
  return sum.size === 1 ? [...sum.values()][0] : undefined;
}

/** a + factor·b. */
export function addSums(a: TermSum, b: TermSum, factor = ONE): TermSum {
  const scaled = [...b.values()].map((term) => ({
    ...term,
    coefficient: times(term.coefficient, factor),
  }));
  return sumOf([...a.values(), ...scaled]);
}

/** Every term times every term. */
export function multiplySums(a: TermSum, b: TermSum): TermSum {
  const terms: Term[] = [];
  for (const left of a.values()) {
    for (const right of b.values()) {
      const coefficient = times(left.coefficient, right.coefficient);
      terms.push(termOf(coefficient, [...left.powers, ...right.powers]));
    }
  }
  return sumOf(terms);
}

/** A term whose exponents are all multiplied, with a coefficient of its own. */
export function withExponents(term: Term, coefficient: Rational, factor: Rational): TermSum {
  const powers = [...term.powers].map(
    ([text, power]) => [text, { ...power, exponent: times(power.exponent, factor) }] as const,
  );
  return sumOf([termOf(coefficient, powers)]);
}

/** k where a = k·b. */
export function ratioOf(a: TermSum, b: TermSum): Rational | undefined {
  if (a.size !== b.size || a.size === 0) return undefined;
  let ratio: Rational | undefined;
  for (const [key, { coefficient }] of b) {
    const other = a.get(key)?.coefficient;
    if (other === undefined) return undefined;
    const each = times(other, rational(coefficient.d, coefficient.n));
    if (ratio !== undefined && !isSame(ratio, each)) return undefined;
    ratio = each;
  }
  return ratio;
}

const TWO = rational(2n);
const MINUS_TWO = rational(-2n);
/** f(a)² + sign·g(a)² = 1. */
const PYTHAGORAS = [
  ['cos', 'sin', ONE],
  ['cosh', 'sinh', rational(-1n)],
] as const;

/** The sum with squares of sines and cosines of one argument put together. */
export function joinSquares(sum: TermSum): TermSum {
  for (const term of sum.values()) {
    for (const [first, second, sign] of PYTHAGORAS) {
      for (const [text, { exponent }] of term.powers) {
        if (!text.startsWith(`${first}(`) || exponent.n < 2n * exponent.d) continue;
        const partner = text.replace(first, second);
        const rest = termOf(term.coefficient, [
          ...term.powers,
          [text, { isSimple: true, exponent: MINUS_TWO }],
        ]);
        const squared: Power = { isSimple: true, exponent: TWO };
        const wanted = termOf(term.coefficient, [...rest.powers, [partner, squared]]);
        const found = sum.get(keyOf(wanted));
        if (found === undefined) continue;
        if (!isSame(found.coefficient, times(term.coefficient, sign))) continue;
        const without = new Map(sum);
        without.delete(keyOf(term));
        without.delete(keyOf(wanted));
        return joinSquares(sumOf([...without.values(), rest]));
      }
    }
  }
  return sum;
}

/** The text of a sum, higher powers first. */
export function sumText(sum: TermSum): string {
  if (sum.size === 0) return '0';
  const terms = [...sum].sort(([keyA, a], [keyB, b]) => {
    const difference = degreeOf(b) - degreeOf(a);
    return difference !== 0 ? difference : keyA < keyB ? -1 : 1;
  });
  return terms
    .map(([, term], i) => {
      const isNegative = term.coefficient.n < 0n;
      const text = termText(term);
      if (i === 0) return isNegative ? `-${text}` : text;
      return isNegative ? ` - ${text}` : ` + ${text}`;
    })
    .join('');
}

function degreeOf({ powers }: Term): number {
  let degree = 0;
  for (const { exponent } of powers.values()) degree += Number(exponent.n) / Number(exponent.d);
  return degree;
}

/** Without its sign. */
function termText({ coefficient: { n, d }, powers }: Term): string {
  const size = n < 0n ? -n : n;
  const above: string[] = [];
  const below: string[] = d === 1n ? [] : [`${d}`];
  for (const [text, power] of [...powers].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { exponent } = power;
    if (exponent.n > 0n) above.push(powerText(text, power));
    else below.push(powerText(text, { ...power, exponent: rational(-exponent.n, exponent.d) }));
  }
  if (size !== 1n || above.length === 0) above.unshift(`${size}`);
  const numerator = above.join(' * ');
  if (below.length === 0) return numerator;
  return `${numerator} / ${below.length === 1 ? below[0] : `(${below.join(' * ')})`}`;
}

function powerText(text: string, { isSimple, exponent }: Power): string {
  if (exponent.n === 1n && exponent.d === 2n) return `sqrt(${text})`;
  const base = isSimple ? text : `(${text})`;
  if (isSame(exponent, ONE)) return base;
  return exponent.d === 1n ? `${base}^${exponent.n}` : `${base}^(${rationalText(exponent)})`;
}
