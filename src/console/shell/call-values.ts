/** JSON values as expressions of a language, on one line if they are short. */

type Plain = string | number | boolean | null;

/** Syntax of values in a language. */
interface Style {
  /** Indentation of nested values. */
  readonly step: number;
  /** Whether the last of several lines ends with a comma. */
  readonly hasLastComma: boolean;
  /** Padding inside the braces of a short object. */
  readonly inBraces: '' | ' ';
  readonly plain: (value: Plain) => string;
  readonly name: (key: string) => string;
  /** An array of numbers with even steps; undefined if the language writes it out. */
  readonly steps: ((steps: Steps) => string) | undefined;
}

/** Numbers i·span/last + first for i from 0 to `last`. */
interface Steps {
  readonly first: number;
  readonly span: number;
  readonly last: number;
}

const MAX_LINE = 88;
/** Shorter arrays are written out. */
const MIN_STEPS = 8;
const ROUNDING = 1e-12;

/** A value as JSON. */
export function jsonText(value: unknown): string {
  return expression(value, 0, {
    step: 2,
    hasLastComma: false,
    inBraces: '',
    plain: (each) => JSON.stringify(each),
    name: (key) => JSON.stringify(key),
    steps: undefined,
  });
}

/** A value as an expression of Python. @param indent - Spaces before the line that it begins on. */
export function pythonValue(value: unknown, indent: number): string {
  return expression(value, indent, {
    step: 4,
    hasLastComma: true,
    inBraces: '',
    plain: (each) => {
      if (each === null) return 'None';
      if (typeof each === 'boolean') return each ? 'True' : 'False';
      if (typeof each !== 'string' || !each.includes('\n')) return JSON.stringify(each);
      // Three quotes, or one before them, would end the text.
      const text = each.replaceAll('\\', '\\\\').replaceAll(/"(?="")|"$/g, '\\"');
      return `"""${text}"""`;
    },
    name: (key) => JSON.stringify(key),
    steps: ({ first, span, last }) =>
      `[${first === 0 ? '' : `${first} + `}${span} * i / ${last} for i in range(${last + 1})]`,
  });
}

/** A value as an expression of TypeScript. @param indent - Spaces before the line that it begins on. */
export function scriptValue(value: unknown, indent: number): string {
  return expression(value, indent, {
    step: 2,
    hasLastComma: true,
    inBraces: ' ',
    plain: (each) => {
      if (typeof each !== 'string') return JSON.stringify(each);
      if (each.includes('\n')) {
        return `\`${each.replaceAll(/[\\`]|\$\{/g, (found) => `\\${found}`)}\``;
      }
      return /^[^'\\\p{C}]*$/u.test(each) ? `'${each}'` : JSON.stringify(each);
    },
    name: (key) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)),
    steps: ({ first, span, last }) =>
      `Array.from({ length: ${last + 1} }, (_, i) => ${first === 0 ? '' : `${first} + `}(${span} * i) / ${last})`,
  });
}

function expression(value: unknown, indent: number, style: Style): string {
  // The values are those of JSON: all but objects are plain.
  if (typeof value !== 'object' || value === null) return style.plain(value as Plain);
  const numbers = Array.isArray(value) && value.every((each) => typeof each === 'number');
  const steps = numbers ? stepsOf(value) : undefined;
  if (steps !== undefined && style.steps !== undefined) return style.steps(steps);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((each) => [undefined, each] as const)
    : Object.entries(value).filter(([, each]) => each !== undefined);
  const write = (inner: number) =>
    parts.map(
      ([key, each]) =>
        `${key === undefined ? '' : `${style.name(key)}: `}${expression(each, inner, style)}`,
    );
  const [open, close] = isList ? '[]' : '{}';
  const space = isList || parts.length === 0 ? '' : style.inBraces;
  const flat = `${open}${space}${write(0).join(', ')}${space}${close}`;
  if (flat.length + indent <= MAX_LINE && !flat.includes('\n')) return flat;
  const inner = indent + style.step;
  const lines = numbers ? filled(write(inner), MAX_LINE - inner) : write(inner);
  const end = style.hasLastComma ? ',' : '';
  const margin = ' '.repeat(inner);
  return `${open}\n${margin}${lines.join(`,\n${margin}`)}${end}\n${' '.repeat(indent)}${close}`;
}

/** Joins numbers to lines of a limited length. */
function filled(numbers: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const each of numbers) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + each.length + 2 <= width) {
      lines[lines.length - 1] = `${last}, ${each}`;
    } else {
      lines.push(each);
    }
  }
  return lines;
}

/** The even steps of an array; undefined if it is short or has none. */
function stepsOf(values: readonly number[]): Steps | undefined {
  const last = values.length - 1;
  const [first = 0] = values;
  const span = Number(values[last]) - first;
  if (values.length < MIN_STEPS || span === 0) return undefined;
  const isEven = values.every(
    (value, i) => Math.abs(first + (span * i) / last - value) <= ROUNDING * Math.abs(span),
  );
  return isEven ? { first, span, last } : undefined;
}
