/** Texts from an upstream, made fit to stand in messages and answers. */

/** A text on one line and without invisible characters, cut at so many code points. */
export function printable(text: string, maxLength: number): string {
  // Twice as much is enough for all that could be left after replacing; it spares the rest the work.
  const head = text.slice(0, 2 * maxLength);
  // \p{C}: controls, also those that turn the direction of writing, and unpaired surrogates.
  const characters = [...head.replace(/[\p{C}\s]+/gu, ' ').trim()];
  const isCut = characters.length > maxLength || head.length < text.length;
  return isCut ? `${characters.slice(0, maxLength).join('')}…` : characters.join('');
}

/** The text without the secrets, should an upstream repeat what it was sent; longer ones first. */
export function withoutSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  return secrets.reduce<string>(
    (rest, secret) => (secret === undefined ? rest : rest.replaceAll(secret, '…')),
    text,
  );
}

const LONGEST_RETRY_AFTER_S = 600;

/**
 * Seconds that a Retry-After header asks for: at least 1, at most 600; undefined without one.
 *
 * @param now - Milliseconds since 1970 UTC, for a header that names a time.
 * @see RFC 9110, section 10.2.3
 */
export function retryAfterSeconds(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const value = header.trim();
  const seconds = /^\d+$/.test(value) ? Number(value) : (timeOf(value) - now) / 1000;
  if (Number.isNaN(seconds)) return undefined;
  return Math.min(LONGEST_RETRY_AFTER_S, Math.max(1, Math.ceil(seconds)));
}

/** Milliseconds since 1970 UTC of an HTTP date, all of which end so; `Date.parse` takes much more. */
function timeOf(date: string): number {
  return date.endsWith(' GMT') ? Date.parse(date) : Number.NaN;
}
