/** Makes text of a service safe for a terminal. */

/** Removes what would move or colour a terminal's cursor; returns one line. */
export function printable(text: string): string {
  return text.replace(/\s+/gu, ' ').replace(/[\p{Cc}\p{Cf}]/gu, '');
}

/** Formats JSON over several lines and escapes all control characters, including those that JSON allows. */
export function printableJson(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2) ?? 'null';
  return text.replace(
    /[^\P{Cc}\n]/gu,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
