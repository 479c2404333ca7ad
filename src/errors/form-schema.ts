/**
 * Finds the part of a zod schema that describes a place in a value, and names the kind of value that it
 * accepts.
 */
import * as z from 'zod';

/** Strips the wrappers that make a schema optional, nullable, defaulted, read-only or transformed. */
export function unwrapped(schema: z.ZodType): z.ZodType {
  let inner: unknown = schema;
  for (;;) {
    if (
      inner instanceof z.ZodOptional ||
      inner instanceof z.ZodNullable ||
      inner instanceof z.ZodDefault ||
      inner instanceof z.ZodPrefault ||
      inner instanceof z.ZodCatch ||
      inner instanceof z.ZodReadonly
    ) {
      inner = inner.unwrap();
    } else if (inner instanceof z.ZodPipe) {
      inner = inner.def.in;
    } else {
      // Checked: zod's public constructors wrap public types only.
      return inner as z.ZodType;
    }
  }
}

/**
 * Returns the schema of a place; undefined where the schema does not describe it.
 *
 * @param path - Path from the root to the place.
 * @param value - Value at the root. In a union, the first alternative that has such a place is taken.
 */
export function schemaAt(
  schema: z.ZodType,
  path: readonly PropertyKey[],
  value: unknown,
): z.ZodType | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return schema;
  const outer = unwrapped(schema);
  if (outer instanceof z.ZodUnion) {
    const found = outer.options.map((option) => schemaAt(publicType(option), path, value));
    return found.find((candidate) => candidate !== undefined);
  }
  const inner = childOf(outer, key);
  return inner && schemaAt(inner, rest, undefined);
}

function childOf(schema: z.ZodType, key: PropertyKey): z.ZodType | undefined {
  if (schema instanceof z.ZodObject) {
    const shape: Readonly<Record<PropertyKey, z.ZodType>> = schema.shape;
    return Object.hasOwn(shape, key) ? shape[key] : undefined;
  }
  if (schema instanceof z.ZodArray) return publicType(schema.element);
  if (schema instanceof z.ZodRecord) return publicType(schema.valueType);
  if (schema instanceof z.ZodTuple && typeof key === 'number') {
    const item = schema.def.items[key];
    return item && publicType(item);
  }
  return undefined;
}

/** Names the kind of value that a schema accepts, to end "must be …" and "give …". */
export function kindOf(schema: z.ZodType | undefined): string {
  const inner = schema && unwrapped(schema);
  if (inner instanceof z.ZodNumber) return isWhole(inner) ? 'a whole number' : 'a number';
  if (inner instanceof z.ZodString || inner instanceof z.ZodStringFormat) return 'a string';
  if (inner instanceof z.ZodBoolean) return 'true or false';
  if (inner instanceof z.ZodArray) return 'a list';
  if (inner instanceof z.ZodTuple) return `a list of ${inner.def.items.length}`;
  if (inner instanceof z.ZodObject || inner instanceof z.ZodRecord) return 'a JSON object';
  if (inner instanceof z.ZodEnum) return `one of ${inner.options.join(', ')}`;
  if (inner instanceof z.ZodLiteral) return [...inner.values].map(String).join(' or ');
  if (inner instanceof z.ZodNull) return 'null';
  if (inner instanceof z.ZodUnion) {
    return [...new Set(inner.options.map((option) => kindOf(publicType(option))))].join(' or ');
  }
  return 'a value';
}

/** Whether a number must be an integer, including those that only the document calls integers. */
function isWhole(schema: z.ZodNumber): boolean {
  return schema.format === 'safeint' || schema.meta()?.['type'] === 'integer';
}

/** Checked: zod's public constructors hold public types only. */
function publicType(schema: z.core.$ZodType): z.ZodType {
  return schema as z.ZodType;
}
