/**
 * What is stored of a submission: the body, to run it or run it again, and before it the few facts
 * that a record shows, so that listing jobs does not parse their bodies.
 */
import { JobDamagedError } from '../../jobs/errors.ts';

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
 *
 * @throws {JobDamagedError}
 */
export function storedFacts(text: string): unknown {
  const end = text.indexOf(SEPARATOR);
  if (end < 0) throw new JobDamagedError('its request has no body');
  return objectIn(parseStored(`${text.slice(0, end)}}`, 'its request'), 'facts');
}

/** The text of the body alone. */
export function storedBodyJson(text: string): string {
  return text.slice(text.indexOf(SEPARATOR) + SEPARATOR.length, -1);
}

/** Facts and body. @throws {JobDamagedError} */
export function decodeStored(text: string): { readonly facts: unknown; readonly body: unknown } {
  const stored = parseStored(text, 'its request');
  return { facts: objectIn(stored, 'facts'), body: objectIn(stored, 'body') };
}

/**
 * The JSON value of a stored text.
 *
 * @param what - Which text: `its request`.
 * @throws {JobDamagedError}
 */
export function parseStored(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JobDamagedError(`${what} is no JSON`);
  }
}

function objectIn(stored: unknown, name: string): object {
  const found: unknown = Object(stored)[name];
  if (typeof found === 'object' && found !== null) return found;
  throw new JobDamagedError(`its request has no ${name}`);
}
