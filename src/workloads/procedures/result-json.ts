/** Serialises a procedure's result to JSON; throws where JSON would lose or change a value. */
import { ProcedureResultError } from './errors.ts';

/** Deepest nesting of a result; a cyclic value exceeds it. */
const MAX_DEPTH = 100;

/**
 * Serialises a result.
 *
 * @throws {ProcedureResultError} if the text exceeds `maxBytes` bytes of UTF-8.
 * @throws {Error} naming the place of a value that is not JSON: a bug of the procedure.
 */
export function resultJson(result: unknown, maxBytes: number): string {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) {
    throw new Error(`The result is ${nameOf(result)} and not a JSON object.`);
  }
  const wrong = wrongPart(result, MAX_DEPTH);
  if (wrong !== undefined) throw new Error(`The result is not JSON: ${wrong}.`);
  const json = JSON.stringify(result);
  const bytes = Buffer.byteLength(json);
  if (bytes > maxBytes) throw new ProcedureResultError(bytes, maxBytes);
  return json;
}

/** Describes the first value that JSON would drop, change or refuse; undefined if there is none. */
function wrongPart(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : `it has the number ${value}`;
    case 'object':
      if (value === null) return undefined;
      if (depth === 0) return `it is more than ${MAX_DEPTH} levels deep, or refers to itself`;
      return Array.isArray(value) ? wrongItem(value, depth) : wrongField(value, depth);
    default:
      return `it has ${nameOf(value)}`;
  }
}

function wrongItem(items: readonly unknown[], depth: number): string | undefined {
  for (let i = 0; i < items.length; i++) {
    const wrong = wrongPart(items[i], depth - 1);
    if (wrong !== undefined) return `${wrong}, at [${i}]`;
  }
  return undefined;
}

function wrongField(value: object, depth: number): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    return `it has ${nameOf(value)}`;
  }
  for (const [name, field] of Object.entries(value)) {
    // An optional field: JSON leaves it out.
    if (field === undefined) continue;
    const wrong = wrongPart(field, depth - 1);
    if (wrong !== undefined) return `${wrong}, at ${name}`;
  }
  return undefined;
}

function nameOf(value: unknown): string {
  if (value === null || typeof value !== 'object')
    return value === null ? 'null' : `${typeof value}`;
  if (Array.isArray(value)) return 'an array';
  return `an object of class ${value.constructor?.name ?? 'unknown'}`;
}
