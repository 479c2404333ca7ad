/**
 * Stored form of a submission: the facts that a record shows, followed by the body, which is needed to run,
 * repeat and show the job. Listings read the facts without parsing the body. A repetition is known by its hash.
 */
import { JobDamagedError } from '../../jobs/errors.ts';
import { hashBody } from '../../jobs/idempotency.ts';
import type { JobId } from '../../jobs/job.ts';
import { isJsonObject, type JsonObject } from '../../workloads/procedures/json.ts';
import type { JobResource } from './job-resources.ts';

const SEPARATOR = ',"body":';

/**
 * Encodes one JSON object with `facts` and `body`.
 *
 * @param facts - Numbers and short strings, so that a brief listing of jobs contains them entirely.
 */
export function encodeStored(facts: object, bodyJson: string): string {
  return `{"facts":${JSON.stringify(facts)}${SEPARATOR}${bodyJson}}`;
}

/**
 * Reads the facts from the text or its beginning. They contain no free text, so the first separator is at
 * their end.
 *
 * @throws {JobDamagedError}
 */
export function storedFacts(text: string): object {
  const end = text.indexOf(SEPARATOR);
  if (end < 0) throw new JobDamagedError('its request has no body');
  return objectIn(parseStored(`${text.slice(0, end)}}`, 'its request'), 'facts');
}

/** Text of the body. */
export function storedBodyJson(text: string): string {
  return text.slice(text.indexOf(SEPARATOR) + SEPARATOR.length, -1);
}

/**
 * Mark of tasks and TPU jobs that are stored with the whole request. Earlier versions stored the input alone.
 */
interface WorkFacts {
  readonly whole?: true;
}

/** Facts stored with tasks and TPU jobs. */
export const WHOLE_REQUEST: WorkFacts = { whole: true };

/**
 * Input of a stored task or TPU job.
 *
 * @throws {JobDamagedError}
 */
export function workInputOf(text: string): JsonObject {
  // The cast is safe: the text was stored with WHOLE_REQUEST, or by an earlier version.
  const { facts, body } = decodeStored(text) as { facts: WorkFacts; body: JsonObject };
  if (facts.whole !== true) return body;
  const { input = {} } = body;
  if (!isJsonObject(input)) throw new JobDamagedError('its request has no input');
  return input;
}

/** Request of a stored task or TPU job; undefined if an earlier version stored its input alone. */
export function workRequestJson(text: string): string | undefined {
  const { whole }: WorkFacts = storedFacts(text);
  return whole === true ? storedBodyJson(text) : undefined;
}

/**
 * Request of a stored task or TPU job.
 *
 * @param others - Fields beside the input, used if an earlier version stored only that.
 * @throws {JobDamagedError}
 */
export function workRequestOf(text: string, others: JsonObject): JsonObject {
  // The cast is safe for the same reason.
  const { facts, body } = decodeStored(text) as { facts: WorkFacts; body: JsonObject };
  return facts.whole === true ? body : { ...others, input: body };
}

/**
 * Reads facts and body.
 *
 * @throws {JobDamagedError}
 */
export function decodeStored(text: string): { readonly facts: unknown; readonly body: unknown } {
  const stored = parseStored(text, 'its request');
  return { facts: objectIn(stored, 'facts'), body: objectIn(stored, 'body') };
}

/**
 * Parses a stored text as JSON.
 *
 * @param what - Name of the text for the error: `its request`.
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

/**
 * SHA-256 of a request, hex.
 *
 * @param path - Path of the endpoint, so that one idempotency key does not match requests to different
 *   endpoints.
 * @param body - JSON value; the body reader has limited its nesting.
 */
export function requestHash(path: string, body: unknown): string {
  const sorted = JSON.stringify(body, (_name, value: unknown) =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return hashBody(`${path}\n${sorted}`);
}

/** Hash of a retry request, which has no body. */
export function retryHash({ path }: JobResource, id: JobId): string {
  return requestHash(`${path}/${id}/retry`, null);
}
