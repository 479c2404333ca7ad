/** Fields of answers, each looked at before it is believed. */

/** The fields of an object; undefined for anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return { ...value };
}

/** A text; undefined for anything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A number; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Milliseconds since 1970 UTC of an ISO time; undefined for anything else. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Without what would move a terminal's cursor or colour it: on one line, as it reads. */
export function printable(text: string): string {
  return text.replace(/\s+/gu, ' ').replace(/[\p{Cc}\p{Cf}]/gu, '');
}

/** JSON over several lines, in which control characters are written out, also those JSON allows. */
export function printableJson(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2) ?? 'null';
  return text.replace(
    /[^\P{Cc}\n]/gu,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
