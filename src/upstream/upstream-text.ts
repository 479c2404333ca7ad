/** Sanitises texts from an upstream for use in messages and answers. */

/** Puts a text on one line without invisible characters, cut to a number of code points. */
export function printable(text: string, maxLength: number): string {
  // Twice the length suffices, whatever is replaced; the rest need not be processed.
  const head = text.slice(0, 2 * maxLength);
  // \p{C}: controls, also those that turn the direction of writing, and unpaired surrogates.
  const characters = [...head.replace(/[\p{C}\s]+/gu, ' ').trim()];
  const isCut = characters.length > maxLength || head.length < text.length;
  return isCut ? `${characters.slice(0, maxLength).join('')}…` : characters.join('');
}

/** Removes secrets from a text, in case the upstream repeats them; longer ones first. */
export function withoutSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  return secrets.reduce<string>(
    (rest, secret) => (secret === undefined ? rest : rest.replaceAll(secret, '…')),
    text,
  );
}

const LONGEST_RETRY_AFTER_S = 600;

/**
 * Seconds of a Retry-After header, clamped to 1 … 600; undefined without one.
 *
 * @param now - Milliseconds since 1970 UTC, for a header with a date.
 * @see RFC 9110, section 10.2.3
 */
export function retryAfterSeconds(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const value = header.trim();
  const seconds = /^\d+$/.test(value) ? Number(value) : (timeOf(value) - now) / 1000;
  if (Number.isNaN(seconds)) return undefined;
  return Math.min(LONGEST_RETRY_AFTER_S, Math.max(1, Math.ceil(seconds)));
}

/**
 * Milliseconds since 1970 UTC of an HTTP date. All of them end in GMT; `Date.parse` alone accepts much
 * more.
 */
function timeOf(date: string): number {
  return date.endsWith(' GMT') ? Date.parse(date) : Number.NaN;
}
