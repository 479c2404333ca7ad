/** Finds arrays and objects that are too long, before a schema validates every entry of them. */
import { type Fault, MAX_FAULTS } from './coded-error.ts';
import { formatPath } from './fault-path.ts';

/**
 * Returns a fault for every array and object that is too long.
 *
 * @param value - Parsed JSON that is not nested deeply: the walk is recursive.
 * @param maxLength - Most entries of an array, and most fields of an object.
 * @param longer - Fields of `value` itself whose arrays, and the arrays directly in them, have no limit here.
 */
export function sizeFaults(
  value: unknown,
  maxLength: number,
  longer: ReadonlySet<PropertyKey> = new Set(),
): readonly Fault[] {
  const faults: Fault[] = [];
  walk(value, [], faults);
  return faults;

  function walk(part: unknown, path: readonly PropertyKey[], found: Fault[]): void {
    if (typeof part !== 'object' || part === null || found.length >= MAX_FAULTS) return;
    const isList = Array.isArray(part);
    const isLonger = isList && path.length <= 2 && longer.has(path[0] ?? '');
    const entries: readonly unknown[] = isList ? part : Object.values(part);
    if (entries.length > maxLength && !isLonger) {
      const what = isList ? 'entries' : 'fields';
      const message = `${entries.length} ${what}; at most ${maxLength} are read.`;
      found.push({ path: formatPath(path), message });
      return;
    }
    const names = isList ? undefined : Object.keys(part);
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i];
      if (typeof entry === 'object') walk(entry, [...path, names?.[i] ?? i], found);
    }
  }
}
