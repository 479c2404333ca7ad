/** Arrays and objects that are too long, found before a schema goes through every entry of them. */
import { type Fault, MAX_FAULTS } from './coded-error.ts';
import { formatPath } from './fault-path.ts';

/**
 * Notes every array and object that is too long; the value is not nested deeply.
 *
 * @param maxLength - Entries of any array, fields of any object.
 * @param longer - Fields of the value itself that may be longer arrays, each with its own bound.
 */
export function sizeFaults(
  value: unknown,
  maxLength: number,
  longer: ReadonlyMap<PropertyKey, number> = new Map(),
): readonly Fault[] {
  const faults: Fault[] = [];
  look(value, [], faults);
  return faults;

  function look(part: unknown, path: readonly PropertyKey[], found: Fault[]): void {
    if (typeof part !== 'object' || part === null || found.length >= MAX_FAULTS) return;
    const isList = Array.isArray(part);
    const own = isList && path.length === 1 ? longer.get(path[0] ?? '') : undefined;
    const most = own ?? maxLength;
    const entries: readonly unknown[] = isList ? part : Object.values(part);
    if (entries.length > most) {
      const what = isList ? 'entries' : 'fields';
      const message = `${entries.length} ${what}; at most ${most} are read.`;
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
