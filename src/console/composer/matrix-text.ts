/** Matrices, a row a line, and complex numbers as people write them: `0.5-0.5i`, `1/sqrt(2)`, `exp(i*pi/4)`. */
import type { MatrixRows } from '../live-state/messages.ts';

/** Writes a matrix so that it can be read. */
export function writeMatrix(matrix: MatrixRows): string {
  return matrix
    .map((row) => row.map(([re = 0, im = 0]) => writeComplex([re, im])).join('  '))
    .join('\n');
}

/**
 * Reads a square matrix. Commas or semicolons, where a row has them, separate entries, which may then contain spaces.
 *
 * @returns Undefined if an entry is no number, or if the rows have another length than there are rows.
 */
export function readMatrix(text: string): MatrixRows | undefined {
  const rows = text
    .trim()
    .split('\n')
    .map((line) => entriesOf(line).map(readComplex));
  const whole = rows.flatMap((row) => {
    const read = row.filter((entry): entry is Complex => entry !== undefined);
    return row.length === rows.length && read.length === row.length ? [read] : [];
  });
  return whole.length === rows.length ? whole : undefined;
}

function entriesOf(line: string): readonly string[] {
  const isSeparated = /[,;]/.test(line);
  const entries = line
    .trim()
    .replace(/[,;]$/, '')
    .split(isSeparated ? /[,;]/ : /\s+/);
  return entries.map((entry) => entry.trim());
}

/** The matrix on one more qubit, the most significant one, on which it does nothing. */
export function withOneMoreQubit(matrix: MatrixRows): MatrixRows {
  const zeros = matrix.map((): Complex => [0, 0]);
  return [...matrix.map((row) => [...row, ...zeros]), ...matrix.map((row) => [...zeros, ...row])];
}

/** The block of a matrix in which the most significant qubit stays 0; the identity if it does not stay. */
export function withoutLastQubit(matrix: MatrixRows): MatrixRows {
  const size = matrix.length / 2;
  const stays = matrix.every((row, i) =>
    row.every(([re, im], j) => i < size === j < size || (re === 0 && im === 0)),
  );
  return Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (_, j): Complex => {
      return stays ? (matrix[i]?.[j] ?? [0, 0]) : [i === j ? 1 : 0, 0];
    }),
  );
}

/** A complex number. */
export type Complex = readonly [re: number, im: number];

const TOKEN =
  /\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)|(sqrt|exp|cos|sin|pi|π|√|i|j)|([-+*/^()]))/iy;

/** Functions of one number. Those but sqrt and exp take real numbers. */
const FUNCTIONS: Readonly<Record<string, (z: Complex) => Complex | undefined>> = {
  sqrt: ([re, im]) => {
    const size = Math.hypot(re, im);
    const part = Math.sqrt((size + Math.abs(re)) / 2);
    if (part === 0) return [0, 0];
    const other = im / (2 * part);
    if (re >= 0) return [part, other];
    return [Math.abs(other), im < 0 ? -part : part];
  },
  exp: ([re, im]) => [Math.exp(re) * Math.cos(im), Math.exp(re) * Math.sin(im)],
  cos: ([re, im]) => (im === 0 ? [Math.cos(re), 0] : undefined),
  sin: ([re, im]) => (im === 0 ? [Math.sin(re), 0] : undefined),
};

/**
 * Reads a number with the signs `+ - * / ^`, brackets, `i` or `j`, `pi`, and the functions sqrt, exp, cos and sin.
 * Powers have whole exponents. A product needs no sign: `2i`, `2pi`, `2sqrt(2)`.
 *
 * @returns Undefined if the text is no such number, or if it is not finite.
 */
export function readComplex(text: string): Complex | undefined {
  const tokens = tokensOf(text.replaceAll('−', '-').replaceAll('·', '*'));
  if (tokens === undefined || tokens.length === 0) return undefined;
  const reader = new Reader(tokens);
  const value = reader.sum();
  if (value === undefined || !reader.isAtEnd || !value.every(Number.isFinite)) return undefined;
  const [re, im] = value;
  return [re + 0, im + 0];
}

function tokensOf(text: string): readonly string[] | undefined {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const match = TOKEN.exec(text);
    if (match === null) return undefined;
    tokens.push((match[1] ?? match[2] ?? match[3] ?? '').toLowerCase());
  }
  return tokens;
}

/** Reads sums of products of powers. Each method gives undefined where the text is none. */
class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  sum(): Complex | undefined {
    let total = this.#product();
    while (total !== undefined && (this.#next === '+' || this.#next === '-')) {
      const sign = this.#taken() === '-' ? -1 : 1;
      const other = this.#product();
      total = other && [total[0] + sign * other[0], total[1] + sign * other[1]];
    }
    return total;
  }

  #product(): Complex | undefined {
    let total = this.#signed();
    while (total !== undefined) {
      const isQuotient = this.#next === '/';
      if (isQuotient || this.#next === '*') this.#taken();
      else if (!/^[a-zπ√(]/.test(this.#next)) return total;
      const other = this.#signed();
      total = other && (isQuotient ? quotient(total, other) : times(total, other));
    }
    return total;
  }

  #signed(): Complex | undefined {
    if (this.#next !== '-' && this.#next !== '+') return this.#power();
    const sign = this.#taken() === '-' ? -1 : 1;
    const value = this.#signed();
    return value && [sign * value[0], sign * value[1]];
  }

  #power(): Complex | undefined {
    const base = this.#atom();
    if (base === undefined || this.#next !== '^') return base;
    this.#taken();
    const [exponent = Number.NaN, im] = this.#signed() ?? [];
    if (im !== 0 || !Number.isInteger(exponent) || Math.abs(exponent) > 64) return undefined;
    let total: Complex = [1, 0];
    for (let i = 0; i < Math.abs(exponent); i += 1) total = times(total, base);
    return exponent < 0 ? quotient([1, 0], total) : total;
  }

  #atom(): Complex | undefined {
    const token = this.#taken();
    if (/^[\d.]/.test(token)) return [Number(token), 0];
    if (token === 'i' || token === 'j') return [0, 1];
    if (token === 'pi' || token === 'π') return [Math.PI, 0];
    if (token === '(') return this.#closed(this.sum());
    const apply = Object.hasOwn(FUNCTIONS, token) ? FUNCTIONS[token] : undefined;
    if (token === '√') return rootOf(this.#atom());
    if (apply === undefined || this.#taken() !== '(') return undefined;
    const argument = this.#closed(this.sum());
    return argument && apply(argument);
  }

  #closed(value: Complex | undefined): Complex | undefined {
    return this.#taken() === ')' ? value : undefined;
  }

  get #next(): string {
    return this.#tokens[this.#at] ?? '';
  }

  #taken(): string {
    const token = this.#next;
    this.#at += 1;
    return token;
  }
}

const rootOf = (value: Complex | undefined) => value && FUNCTIONS['sqrt']?.(value);

function times([a, b]: Complex, [c, d]: Complex): Complex {
  return [a * c - b * d, a * d + b * c];
}

function quotient([a, b]: Complex, [re, im]: Complex): Complex {
  // Exact to the last digit, as 1/sqrt(2) is expected to be.
  if (im === 0) return [a / re, b / re];
  const size = re * re + im * im;
  return [(a * re + b * im) / size, (b * re - a * im) / size];
}

/** Sizes that have a shorter text than their decimals. */
const KNOWN = [
  { size: Math.SQRT1_2, text: '1/sqrt(2)', imaginary: 'i/sqrt(2)' },
  { size: 1 / Math.sqrt(3), text: '1/sqrt(3)', imaginary: 'i/sqrt(3)' },
  { size: 1 / Math.sqrt(8), text: '1/sqrt(8)', imaginary: 'i/sqrt(8)' },
] as const;

/** Writes a number so that it is read again, to the last digit but for roots: `1/sqrt(2)`, `0.5-0.5i`. */
export function writeComplex([re, im]: Complex): string {
  if (im === 0) return part(re, false);
  const imaginary = part(im, true);
  if (re === 0) return imaginary;
  return `${part(re, false)}${im < 0 ? '' : '+'}${imaginary}`;
}

function part(value: number, isImaginary: boolean): string {
  const sign = value < 0 ? '-' : '';
  const size = Math.abs(value);
  const known = KNOWN.find((each) => Math.abs(each.size - size) < 1e-14);
  if (known !== undefined) return `${sign}${isImaginary ? known.imaginary : known.text}`;
  if (!isImaginary) return String(value);
  return size === 1 ? `${sign}i` : `${value}i`;
}
