/** Checked access to fields of a service's answers. */

/** The fields of an object; undefined for anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return { ...value };
}

/** The value if it is a string; undefined otherwise. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value if it is a number; undefined otherwise. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Milliseconds since 1970 UTC of an ISO time; undefined for anything else. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

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
