/** Values as JSON has them. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** An object of such values; a field that may be missing is never written as undefined. */
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}
