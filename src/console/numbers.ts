/** Numbers, times, amounts and lists as the page writes them, with a true minus sign. */

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** A count: "1,024". */
export function grouped(value: number): string {
  return GROUPED.format(value);
}

/** A number with its sign: "+0.586", "−0.312"; without one if it rounds to zero. */
export function signed(value: number, digits: number): string {
  const size = Math.abs(value).toFixed(digits);
  if (Number(size) === 0) return size;
  return `${value < 0 ? '−' : '+'}${size}`;
}

/** A number that may be negative, without a plus sign: "1.35", "−0.40". */
export function plain(value: number, digits: number): string {
  return signed(value, digits).replace('+', '');
}

/** A fraction as a percentage: "94.0%". */
export function percent(fraction: number, digits = 1): string {
  return `${(fraction * 100).toFixed(digits)}%`;
}

/** A duration in a suitable unit: "40 µs", "0.8 ms", "12 ms", "1.4 s", "3 min 5 s". */
export function duration(ms: number): string {
  if (ms < 0.1) return ms < 0.0005 ? '0 µs' : `${(1000 * ms).toPrecision(2)} µs`;
  if (ms < 999.5) return `${ms.toFixed(ms < 9.95 ? 1 : 0)} ms`;
  const seconds = ms / 1000;
  if (seconds < 99.95) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(Math.round(seconds) / MINUTE_S);
  return `${minutes} min ${Math.round(seconds) - minutes * MINUTE_S} s`;
}

/** The time between two times of a record, which are whole milliseconds: "under 1 ms", "12 ms". */
export function between(start: string, end: string): string {
  const ms = Date.parse(end) - Date.parse(start);
  return ms < 1 ? 'under 1 ms' : ms < 10 ? `${ms} ms` : duration(ms);
}

/** A list in words: "a", "a and b", "a, b and c". */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** The text with a capital first letter. */
export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** A number of any size to four significant digits: "0.7071", "−1", "1.5e−9". */
export function rounded(value: number): string {
  return String(Number(value.toPrecision(4))).replaceAll('-', '−');
}

/**
 * Time since something: "just now", "12 s ago", "3 min ago", "2 h ago", "5 d ago".
 *
 * @param at - ISO 8601 time. A time in the future, by the clock of another machine, is just now.
 * @param now - Milliseconds since 1970 UTC.
 */
export function ago(at: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(at)) / 1000);
  if (!(seconds >= 1)) return 'just now';
  if (seconds < MINUTE_S) return `${seconds} s ago`;
  if (seconds < HOUR_S) return `${Math.floor(seconds / MINUTE_S)} min ago`;
  if (seconds < DAY_S) return `${Math.floor(seconds / HOUR_S)} h ago`;
  return `${Math.floor(seconds / DAY_S)} d ago`;
}

/** A span of time in words: "40 s", "4 min". */
export function span(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 2 * MINUTE_S ? `${seconds} s` : `${Math.round(seconds / MINUTE_S)} min`;
}

/** A time of day of the visitor: "14:03:07". */
export function timeOfDay(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB');
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** An amount of memory: "249 MiB", "1.5 GiB". */
export function memory(bytes: number): string {
  const step = Math.min(Math.floor(Math.log2(Math.max(1, bytes)) / 10), UNITS.length - 1);
  const value = bytes / 2 ** (10 * step);
  const isWhole = value >= 10 || Number.isInteger(value);
  return `${value.toFixed(isWhole ? 0 : 1)} ${UNITS[step]}`;
}

/** A load as a percentage without needless digits: "0%", "0.4%", "37%". */
export function load(fraction: number): string {
  const percents = fraction * 100;
  if (percents === 0) return '0%';
  if (percents < 0.1) return '<0.1%';
  return `${percents.toFixed(percents < 9.95 ? 1 : 0)}%`;
}

/** A number of things: "1 circuit", "1,024 circuits". */
export function numberOf(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** The label of a basis index or an outcome: its bits, bit 0 rightmost. */
export function basisLabel(index: number, numBits: number): string {
  return index.toString(2).padStart(numBits, '0');
}

/** When something would start: "at once", "in about 1.2 s". */
export function startsIn(ms: number): string {
  return ms < 1 ? 'at once' : `in about ${duration(ms)}`;
}

/** A text with a full stop at its end. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
