/** Shortens answers for language models, to whom each character costs: the largest values stay, and what is left out is said. */

/** Longest text that stays whole, characters. */
const MAX_TEXT = 400;

/**
 * A JSON value with at most `most` entries of each list, and of each object of numbers, such as counts, of which the largest
 * stay. A last entry says how many are left out. Other objects keep all their fields: a warning must not be lost.
 *
 * @param text - Longest text that stays whole, characters.
 */
export function shortened(value: unknown, most = 16, text = MAX_TEXT): unknown {
  if (typeof value === 'string') {
    return value.length <= text ? value : `${value.slice(0, text)}… (${value.length} characters)`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const kept = value.slice(0, most).map((each) => shortened(each, most, text));
    return value.length <= most ? kept : [...kept, `… ${value.length - most} more`];
  }
  const entries = Object.entries(value);
  if (entries.length > most && entries.every(([, each]) => typeof each === 'number')) {
    const largest = entries.sort(([, a], [, b]) => b - a).slice(0, most);
    return { ...Object.fromEntries(largest), '…': `${entries.length - most} more` };
  }
  return Object.fromEntries(entries.map(([name, each]) => [name, shortened(each, most, text)]));
}
