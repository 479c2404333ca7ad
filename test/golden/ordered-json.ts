/**
 * JSON whose objects keep the order of their fields. `JSON.parse` would put fields that are whole numbers first, such as
 * the label "10" before the label "01".
 */

/** An object as a list of fields. */
export interface OrderedObject {
  readonly fields: readonly (readonly [name: string, value: OrderedJson])[];
}

/** A JSON value. */
export type OrderedJson = string | number | boolean | null | readonly OrderedJson[] | OrderedObject;

/** Whether a value is an object. */
export function isObject(value: OrderedJson): value is OrderedObject {
  return typeof value === 'object' && value !== null && 'fields' in value;
}

/**
 * Reads JSON text.
 *
 * @throws {SyntaxError} if it is none.
 */
export function readOrdered(text: string): OrderedJson {
  // Throws where the text is no JSON, so that the reader below may trust it.
  JSON.parse(text);
  return new Reader(text).value();
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+)/y;

class Reader {
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(text: string) {
    TOKEN.lastIndex = 0;
    for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
      this.#tokens.push(match[1]!);
    }
  }

  value(): OrderedJson {
    const token = this.#tokens[this.#at++]!;
    if (token === '{') {
      const fields = this.#list('}', (): readonly [string, OrderedJson] => {
        const name: string = JSON.parse(this.#tokens[this.#at]!);
        this.#at += 2;
        return [name, this.value()];
      });
      return { fields };
    }
    if (token === '[') return this.#list(']', () => this.value());
    return JSON.parse(token);
  }

  #list<T>(end: string, read: () => T): readonly T[] {
    const entries: T[] = [];
    while (this.#tokens[this.#at] !== end) {
      if (this.#tokens[this.#at] === ',') this.#at++;
      entries.push(read());
    }
    this.#at++;
    return entries;
  }
}

/** The text without white space. */
export function writeOrdered(value: OrderedJson): string {
  if (isObject(value)) {
    const fields = value.fields.map(([name, of]) => `${JSON.stringify(name)}:${writeOrdered(of)}`);
    return `{${fields.join(',')}}`;
  }
  if (Array.isArray(value)) return `[${value.map(writeOrdered).join(',')}]`;
  return JSON.stringify(value);
}

const LINE_LENGTH = 100;

/** The text in lines, for people: what fits into a line stands on one. */
export function prettyOrdered(value: OrderedJson, indent = ''): string {
  const whole = writeOrdered(value);
  const isNested = isObject(value) || Array.isArray(value);
  if (!isNested || indent.length + whole.length <= LINE_LENGTH) return whole;
  const inner = `${indent}  `;
  const lines = isObject(value)
    ? value.fields.map(
        ([name, of]) => `${inner}${JSON.stringify(name)}: ${prettyOrdered(of, inner)}`,
      )
    : value.map((each) => `${inner}${prettyOrdered(each, inner)}`);
  const [open, close] = isObject(value) ? '{}' : '[]';
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}
