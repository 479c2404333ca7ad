/** Arrays and objects that are too long, found before a schema goes through every entry of them. */
import { type Fault, MAX_FAULTS } from './coded-error.ts';
import { formatPath } from './fault-path.ts';

/**
 * Notes every array and object that is too long; the value is not nested deeply.
 *
 * @param maxLength - Entries of any array, fields of any object.
 * @param longer - Fields of the value itself that may be longer arrays, as may the arrays in them.
 */
export function sizeFaults(
  value: unknown,
  maxLength: number,
  longer: ReadonlySet<PropertyKey> = new Set(),
): readonly Fault[] {
  const faults: Fault[] = [];
  look(value, [], faults);
  return faults;

  function look(part: unknown, path: readonly PropertyKey[], found: Fault[]): void {
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
      if (typeof entry === 'object') look(entry, [...path, names?.[i] ?? i], found);
    }
  }
}
