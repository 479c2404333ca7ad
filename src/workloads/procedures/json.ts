/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object. An optional field is left out, never set to undefined. */
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** True if a part of a JSON value is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
