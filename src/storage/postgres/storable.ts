/** A text without the character that PostgreSQL does not store. JSON writes it as an escape. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}
