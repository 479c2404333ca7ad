/** Hashes of JSON values, the same whatever the order of an object's fields. */
import { createHash } from 'node:crypto';

/** SHA-256 of the value as JSON with sorted fields: `sha256:` and 64 hex digits. */
export function contentHash(content: unknown): string {
  return `sha256:${createHash('sha256')
    .update(JSON.stringify(sorted(content)))
    .digest('hex')}`;
}

/** The same value with the fields of its objects in alphabetical order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, field]) => [name, sorted(field)]));
}
