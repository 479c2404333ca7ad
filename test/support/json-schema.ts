/** JSON values by a schema: the keywords that this service's documents use, and no others. */
import fc from 'fast-check';

/** A schema as a document holds it. */
export type Schema = boolean | { readonly [keyword: string]: unknown };
type Keywords = Exclude<Schema, boolean>;

/** Texts that come near to what patterns and lengths tell apart. */
const TEXTS = [
  '',
  ' ',
  'a',
  'A1',
  ' a ',
  'step1',
  'é',
  '2100-01-31T12:00:00Z',
  'H',
  'Z0',
  'read',
  '01',
];
const NUMBERS = [-1, 0, 0.5, 1, 2, 3, 1e9];

/** Values that a schema allows, those at its bounds above all. */
export class SchemaValues {
  readonly #document: unknown;
  readonly #found = new Map<string, Keywords>();

  /** @param document - What references lead into. */
  constructor(document: unknown) {
    this.#document = document;
  }

  /** An arbitrary of allowed values. */
  of(schema: Schema): fc.Arbitrary<unknown> {
    return this.#candidates(schema).filter((value) => this.allows(schema, value));
  }

  /** Whether the schema allows the value. */
  allows(given: Schema, value: unknown): boolean {
    if (typeof given === 'boolean') return given;
    const schema = this.#resolved(given);
    const all = (name: string) => schemasOf(schema[name]);
    const holds = (each: Schema) => this.allows(each, value);
    if ('const' in schema && schema['const'] !== value) return false;
    if (Array.isArray(schema['enum']) && !schema['enum'].includes(value)) return false;
    if ('type' in schema && ![schema['type']].flat().some((type) => isOfType(value, type))) {
      return false;
    }
    if ('allOf' in schema && !all('allOf').every(holds)) return false;
    if ('anyOf' in schema && !all('anyOf').some(holds)) return false;
    if ('oneOf' in schema && all('oneOf').filter(holds).length !== 1) return false;
    if ('not' in schema && holds(schemaOf(schema['not']))) return false;
    if ('if' in schema) {
      const branch = schema[holds(schemaOf(schema['if'])) ? 'then' : 'else'];
      if (branch !== undefined && !holds(schemaOf(branch))) return false;
    }
    if (typeof value === 'string') return isText(schema, value);
    if (typeof value === 'number') return isNumber(schema, value);
    if (Array.isArray(value)) return this.#isArray(schema, value);
    return isRecord(value) ? this.#isObject(schema, value) : true;
  }

  #isArray(schema: Keywords, value: readonly unknown[]): boolean {
    const { minItems = 0, maxItems = Infinity, items = true, prefixItems = [] } = schema;
    const first = schemasOf(prefixItems);
    const isUnique = new Set(value.map((each) => JSON.stringify(each))).size === value.length;
    if (schema['uniqueItems'] === true && !isUnique) return false;
    if (value.length < Number(minItems) || value.length > Number(maxItems)) return false;
    const { contains } = schema;
    if (contains !== undefined && !value.some((each) => this.allows(schemaOf(contains), each))) {
      return false;
    }
    return value.every((each, i) => this.allows(first[i] ?? schemaOf(items), each));
  }

  #isObject(schema: Keywords, value: Readonly<Record<string, unknown>>): boolean {
    const { minProperties = 0, required = [], additionalProperties = true } = schema;
    const properties = isRecord(schema['properties']) ? schema['properties'] : {};
    const names = Object.keys(value);
    const has = (name: unknown) => Object.hasOwn(value, String(name));
    const dependent = Object.entries(schema['dependentRequired'] ?? {});
    if (names.length < Number(minProperties)) return false;
    if (![required].flat().every(has)) return false;
    if (dependent.some(([name, needed]) => has(name) && ![needed].flat().every(has))) return false;
    const { propertyNames = true } = schema;
    return names.every((name) => {
      const own = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
      return this.allows(schemaOf(propertyNames), name) && this.allows(schemaOf(own), value[name]);
    });
  }

  #candidates(given: Schema): fc.Arbitrary<unknown> {
    if (typeof given === 'boolean') return fc.constantFrom(null, 1, 'a', [], {});
    const schema = this.#resolved(given);
    if ('const' in schema) return fc.constant(schema['const']);
    if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum']);
    if ('anyOf' in schema) {
      return fc.oneof(...schemasOf(schema['anyOf']).map((each) => this.#candidates(each)));
    }
    const types = [schema['type'] ?? 'null'].flat();
    return fc.oneof(...types.map((type) => this.#ofType(type, schema)));
  }

  #ofType(type: unknown, schema: Keywords): fc.Arbitrary<unknown> {
    const { minLength, maxLength, minItems = 0, maxItems = 4 } = schema;
    switch (type) {
      case 'string': {
        const ends = [minLength, maxLength].filter((each) => each !== undefined);
        const atEnds = ends.map((length) => 'a'.repeat(Math.min(Number(length), 40_000)));
        return this.#oneOf(schema, [...TEXTS, ...atEnds]);
      }
      case 'integer':
      case 'number': {
        const { minimum, maximum, exclusiveMinimum } = schema;
        const ends = [minimum, maximum, exclusiveMinimum].filter((each) => each !== undefined);
        return this.#oneOf(schema, [...NUMBERS, ...ends.map(Number)]);
      }
      case 'boolean':
        return fc.boolean();
      case 'array': {
        const first = schemasOf(schema['prefixItems'] ?? []);
        if (first.length > 0) return fc.tuple(...first.map((each) => this.of(each)));
        const items = this.of(schemaOf(schema['items'] ?? true));
        const least = Number(minItems);
        return fc.array(items, {
          minLength: least,
          maxLength: Math.min(Number(maxItems), least + 3),
        });
      }
      case 'object': {
        const properties = isRecord(schema['properties']) ? schema['properties'] : {};
        const { additionalProperties, required = [] } = schema;
        const fields = Object.entries(properties).map(
          ([name, each]) => [name, this.of(schemaOf(each))] as const,
        );
        if (fields.length > 0) {
          const optional = Object.keys(properties).filter(
            (name) => ![required].flat().includes(name),
          );
          const record = fc.record(Object.fromEntries(fields), {
            requiredKeys: [required].flat().map(String),
          });
          const order = fc.shuffledSubarray(optional, { minLength: optional.length });
          return fc.tuple(record, order).map(([value, names]) => this.#part(schema, value, names));
        }
        const value = this.of(schemaOf(additionalProperties ?? true));
        return fc.dictionary(fc.constantFrom('a', 'b', '$from'), value, { maxKeys: 2 });
      }
      default:
        return fc.constant(null);
    }
  }

  /**
   * What of a record is allowed: few records of many fields that exclude or need each other are. In this order, fields are left
   * out by which no more conditions fail, until none does; then they come back where they may.
   */
  #part(schema: Keywords, whole: Readonly<Record<string, unknown>>, order: readonly string[]) {
    const conditions = [{ ...schema, allOf: [] }, ...schemasOf(schema['allOf'] ?? [])];
    const numFailed = (value: unknown) =>
      conditions.filter((each) => !this.allows(each, value)).length;
    const names = order.filter((name) => Object.hasOwn(whole, name));
    let part = whole;
    let least = numFailed(whole);
    for (const name of names) {
      if (least === 0) break;
      const { [name]: _, ...rest } = part;
      const failed = numFailed(rest);
      if (failed <= least) [part, least] = [rest, failed];
    }
    for (const name of names) {
      const more = { ...part, [name]: whole[name] };
      if (!Object.hasOwn(part, name) && numFailed(more) === 0) part = more;
    }
    return part;
  }

  /** The allowed ones of some values, if any is: one wrong value in a large body would waste all of it. */
  #oneOf(schema: Keywords, values: readonly unknown[]): fc.Arbitrary<unknown> {
    const allowed = values.filter((value) => this.allows(schema, value));
    return fc.constantFrom(...(allowed.length > 0 ? allowed : values));
  }

  /** The schema, or what it refers to. */
  #resolved(schema: Keywords): Keywords {
    const { $ref } = schema;
    if (typeof $ref !== 'string') return schema;
    const known = this.#found.get($ref);
    if (known !== undefined) return known;
    let value: unknown = this.#document;
    for (const part of $ref.slice(2).split('/'))
      value = new Map(Object.entries(value ?? {})).get(part);
    const found = schemaOf(value);
    if (typeof found === 'boolean') throw new Error(`There is no schema at ${$ref}.`);
    this.#found.set($ref, found);
    return found;
  }
}

function isText({ minLength = 0, maxLength = Infinity, pattern }: Keywords, text: string): boolean {
  const { length } = [...text];
  const fits = length >= Number(minLength) && length <= Number(maxLength);
  return fits && (typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text));
}

function isNumber(schema: Keywords, value: number): boolean {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = schema;
  return value >= Number(minimum) && value <= Number(maximum) && value > Number(exclusiveMinimum);
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isRecord(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function schemasOf(value: unknown): readonly Schema[] {
  return [value].flat().map(schemaOf);
}

function schemaOf(value: unknown): Schema {
  if (typeof value === 'boolean' || isRecord(value)) return value;
  throw new Error(`${JSON.stringify(value)} is no schema.`);
}
