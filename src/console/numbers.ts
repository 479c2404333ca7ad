/** Formats numbers as the page writes them, with a true minus sign. */

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

/** A duration in a suitable unit: "0.8 ms", "12 ms", "1.4 s". */
export function duration(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
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
