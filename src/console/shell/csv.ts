/** Tables as CSV (RFC 4180). Apart from the saving of files, which needs a document. */

/** Rows below their titles as CSV. */
export function csvText(
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  return [columns, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

function field(value: string | number): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
