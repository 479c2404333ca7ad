/**
 * What is stored of a submission: the body, to run it or run it again, and before it the few facts
 * that a record shows, so that listing jobs does not parse their bodies.
 */

const SEPARATOR = ',"body":';

/**
 * The stored text: one JSON object with `facts` and `body`.
 *
 * @param facts - Numbers and short words, so that a brief listing of jobs has all of them.
 */
export function encodeStored(facts: object, bodyJson: string): string {
  return `{"facts":${JSON.stringify(facts)}${SEPARATOR}${bodyJson}}`;
}

/**
 * The facts alone, for which the beginning of the text is enough: they hold no free text, so the
 * separator first occurs at their end.
 */
export function storedFacts(text: string): unknown {
  const end = text.indexOf(SEPARATOR);
  if (end < 0) throw new Error('unreachable: a stored request without a body');
  // Checked: the text was written by encodeStored.
  return (JSON.parse(`${text.slice(0, end)}}`) as { facts: unknown }).facts;
}

/** Facts and body. */
export function decodeStored(text: string): { readonly facts: unknown; readonly body: unknown } {
  // Checked: the text was written by encodeStored.
  return JSON.parse(text) as { facts: unknown; body: unknown };
}
