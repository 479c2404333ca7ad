/**
 * OpenQASM's classical values by the rules of its specification, on bigints: nothing of the service takes part.
 *
 * A value has the width of its type at every step. Whole numbers convert as in C99 without its promotion to int; a
 * number written as digits takes the other operand's type if it fits, and is an int[64] otherwise.
 */

/** A value with its type; the bits of whole numbers, registers and angles are those of `v`. */
export type OracleValue =
  | { readonly k: 'literal'; readonly v: bigint }
  | { readonly k: 'int' | 'uint' | 'angle'; readonly w: number; readonly v: bigint }
  | { readonly k: 'bool'; readonly v: bigint }
  | { readonly k: 'float'; readonly v: number };

/** There is no value: a division by zero, a negative shift, a whole number past 2^53. */
export class NoValue extends Error {}

const LIMIT = 2n ** 53n;

/** Whether a value was past 2^53, which the service may refuse, since it was last set to false. */
export const seen = { isPast53: false };

function held(v: bigint): bigint {
  if (v >= LIMIT || v <= -LIMIT) seen.isPast53 = true;
  return v;
}

/** A whole number of a type, wrapped. */
export function whole(k: 'int' | 'uint', w: number, v: bigint): OracleValue {
  const low = ((v % 2n ** BigInt(w)) + 2n ** BigInt(w)) % 2n ** BigInt(w);
  return { k, w, v: held(k === 'int' && low >= 2n ** BigInt(w - 1) ? low - 2n ** BigInt(w) : low) };
}

/** An angle of w bits, from the number of its units. */
export const angle = (w: number, v: bigint): OracleValue => ({
  k: 'angle',
  w,
  v: ((v % 2n ** BigInt(w)) + 2n ** BigInt(w)) % 2n ** BigInt(w),
});
export const truth = (v: boolean): OracleValue => ({ k: 'bool', v: v ? 1n : 0n });
export const literal = (v: bigint): OracleValue => ({ k: 'literal', v: held(v) });

type Sized = { readonly k: 'int' | 'uint'; readonly w: number };

const within = ({ k, w }: Sized, v: bigint) =>
  k === 'uint'
    ? v >= 0n && v < 2n ** BigInt(w)
    : v >= -(2n ** BigInt(w - 1)) && v < 2n ** BigInt(w - 1);

/** The type that both operands of an arithmetic operator get; undefined for two literals. */
function common(a: OracleValue, b: OracleValue): Sized | undefined {
  if (a.k === 'literal' && b.k === 'literal') return undefined;
  const alone = (x: OracleValue, other: OracleValue): Sized => {
    if (x.k === 'int' || x.k === 'uint') return { k: x.k, w: x.w };
    const isSized = other.k === 'int' || other.k === 'uint';
    const beside: Sized = isSized ? { k: other.k, w: other.w } : { k: 'int', w: 32 };
    // A bool is 0 or 1, so that only int[1] cannot hold it.
    const most = x.k === 'bool' ? 1n : (x.v as bigint);
    return within(beside, most) ? beside : { k: 'int', w: beside.w >= 64 ? beside.w + 1 : 64 };
  };
  const [p, q] = [alone(a, b), alone(b, a)];
  if (p.w !== q.w) return p.w > q.w ? p : q;
  return { k: p.k === 'uint' || q.k === 'uint' ? 'uint' : 'int', w: p.w };
}

const make = (type: Sized | undefined, v: bigint) =>
  type === undefined ? literal(v) : whole(type.k, type.w, v);
const as = (type: Sized | undefined, x: OracleValue): bigint =>
  type === undefined ? (x.v as bigint) : (whole(type.k, type.w, x.v as bigint).v as bigint);

/** An angle in radians. */
const radians = (x: OracleValue): number =>
  x.k === 'angle' ? (Number(x.v) / 2 ** x.w) * 2 * Math.PI : Number(x.v);

function nearestEven(x: number): bigint {
  const below = Math.floor(x);
  const rest = x - below;
  if (rest === 0.5) return BigInt(below % 2 === 0 ? below : below + 1);
  return BigInt(rest < 0.5 ? below : below + 1);
}

/** An angle of w bits from any value. */
export function asAngle(w: number, x: OracleValue): OracleValue {
  if (x.k !== 'angle') return angle(w, nearestEven((radians(x) / (2 * Math.PI)) * 2 ** w));
  if (w >= x.w) return angle(w, x.v << BigInt(w - x.w));
  return angle(w, nearestEven(Number(x.v) / 2 ** (x.w - w)));
}

/** Converts to int or uint, dropping fractions. */
export function asWhole(k: 'int' | 'uint', w: number, x: OracleValue): OracleValue {
  if (x.k !== 'float') return whole(k, w, x.v);
  if (!Number.isFinite(x.v)) throw new NoValue('not finite');
  return whole(k, w, BigInt(Math.trunc(x.v)));
}

export const isTrue = (x: OracleValue): boolean => x.v !== 0n && x.v !== 0;
export const asFloat = (x: OracleValue): OracleValue => ({ k: 'float', v: radians(x) });

/** The lowest w bits of a value, the first one lowest. */
export function bitsOf(x: OracleValue, w: number): readonly boolean[] {
  const v = BigInt.asUintN(w, x.v as bigint);
  return Array.from({ length: w }, (_, i) => (v >> BigInt(i)) % 2n === 1n);
}

export function unary(operator: string, x: OracleValue): OracleValue {
  switch (operator) {
    case '!':
      return truth(!isTrue(x));
    case '-':
      if (x.k === 'float') return { k: 'float', v: -x.v };
      if (x.k === 'angle') return angle(x.w, -x.v);
      if (x.k === 'bool') return whole('int', 32, -x.v);
      return x.k === 'literal' ? literal(-x.v) : whole(x.k, x.w, -x.v);
    default:
      if (x.k === 'float') throw new Error('no bits');
      if (x.k === 'bool') return truth(x.v === 0n);
      if (x.k === 'angle') return angle(x.w, -1n - x.v);
      return x.k === 'literal' ? literal(-1n - x.v) : whole(x.k, x.w, -1n - x.v);
  }
}

export function popcount(x: OracleValue): OracleValue {
  if (x.k === 'literal' && x.v < 0n) throw new NoValue('no width');
  const w = 'w' in x ? x.w : 64;
  return whole('uint', 32, BigInt(bitsOf(x, w).filter(Boolean).length));
}

export function rotl(x: OracleValue, by: bigint): OracleValue {
  if (x.k !== 'uint' && x.k !== 'angle') throw new Error('no width');
  const w = BigInt(x.w);
  const places = ((by % w) + w) % w;
  const v = (x.v << places) | (x.v >> (w - places));
  return x.k === 'uint' ? whole('uint', x.w, v) : angle(x.w, v);
}

export function binary(operator: string, a: OracleValue, b: OracleValue): OracleValue {
  if (operator === '&&') return truth(isTrue(a) && isTrue(b));
  if (operator === '||') return truth(isTrue(a) || isTrue(b));
  if (operator === '<<' || operator === '>>') return shifted(operator, a, b);
  if (a.k === 'float' || b.k === 'float') {
    if (a.k !== 'angle' && b.k !== 'angle') return ofFloats(operator, Number(a.v), Number(b.v));
  }
  if (a.k === 'angle' || b.k === 'angle') return ofAngles(operator, a, b);
  if (a.k === 'bool' && b.k === 'bool' && '&|^'.includes(operator)) {
    return truth(bitwise(operator, a.v, b.v) === 1n);
  }
  const type = common(a, b);
  const [x, y] = [as(type, a), as(type, b)];
  if (COMPARISONS.includes(operator)) return truth(compared(operator, x, y));
  if ('&|^'.includes(operator)) return make(type, bitwise(operator, x, y));
  if (operator === '**') return powered(type, x, y);
  return make(type, counted(operator, x, y));
}

const COMPARISONS = ['==', '!=', '<', '<=', '>', '>='];

function compared<T extends bigint | number>(operator: string, x: T, y: T): boolean {
  switch (operator) {
    case '==':
      return x === y;
    case '!=':
      return x !== y;
    case '<':
      return x < y;
    case '<=':
      return x <= y;
    case '>':
      return x > y;
    default:
      return x >= y;
  }
}

function bitwise(operator: string, x: bigint, y: bigint): bigint {
  if (operator === '&') return x & y;
  return operator === '|' ? x | y : x ^ y;
}

function counted(operator: string, x: bigint, y: bigint): bigint {
  switch (operator) {
    case '+':
      return x + y;
    case '-':
      return x - y;
    case '*':
      return x * y;
  }
  if (y === 0n) throw new NoValue('division by zero');
  return operator === '/' ? x / y : x % y;
}

function powered(type: Sized | undefined, x: bigint, y: bigint): OracleValue {
  if (y < 0n) return { k: 'float', v: Number(x) ** Number(y) };
  if (y > 200n) throw new NoValue('too long for this oracle');
  return make(type, x ** y);
}

function shifted(operator: string, a: OracleValue, b: OracleValue): OracleValue {
  const by = b.v as bigint;
  if (by < 0n) throw new NoValue('negative shift');
  if (by > 4096n) throw new NoValue('too long for this oracle');
  const move = (v: bigint) => (operator === '<<' ? v << by : v >> by);
  if (a.k === 'angle') return angle(a.w, move(a.v));
  if (a.k === 'literal' && b.k === 'literal') return literal(move(a.v));
  if (a.k === 'literal') return whole('int', 64, move(a.v));
  return a.k === 'bool'
    ? whole('int', 32, move(a.v))
    : whole((a as Sized).k, (a as Sized).w, move(a.v as bigint));
}

function ofFloats(operator: string, x: number, y: number): OracleValue {
  if (COMPARISONS.includes(operator)) return truth(compared(operator, x, y));
  switch (operator) {
    case '+':
      return { k: 'float', v: x + y };
    case '-':
      return { k: 'float', v: x - y };
    case '*':
      return { k: 'float', v: x * y };
    case '/':
      return { k: 'float', v: x / y };
    default:
      throw new Error(`no ${operator} of floats here`);
  }
}

function ofAngles(operator: string, a: OracleValue, b: OracleValue): OracleValue {
  const w = Math.max(...[a, b].map((x) => (x.k === 'angle' ? x.w : 0)));
  if ((operator === '*' || operator === '/') && b.k !== 'float' && a.k !== 'float') {
    if (a.k === 'angle' && b.k === 'angle') {
      if (operator === '*') throw new Error('no product of angles');
      return whole('uint', w, counted('/', asAngle(w, a).v as bigint, asAngle(w, b).v as bigint));
    }
    return angle(w, counted(operator, a.v, b.v));
  }
  if (operator === '*' || operator === '/') {
    const { v } = ofFloats(operator, radians(a), radians(b)) as { v: number };
    if (!Number.isFinite(v)) throw new NoValue('not finite');
    return asAngle(w, { k: 'float', v });
  }
  if ('&|^'.includes(operator)) return angle(w, bitwise(operator, bitsIn(w, a), bitsIn(w, b)));
  const [x, y] = [asAngle(w, a).v as bigint, asAngle(w, b).v as bigint];
  return COMPARISONS.includes(operator)
    ? truth(compared(operator, x, y))
    : angle(w, counted(operator, x, y));
}

const bitsIn = (w: number, x: OracleValue): bigint =>
  (x.k === 'angle' ? asAngle(w, x).v : x.v) as bigint;
