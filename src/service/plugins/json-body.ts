/**
 * Reads request bodies: UTF-8 JSON texts that are not nested deeply and name no prototype.
 *
 * Nesting is bounded before parsing, so that nothing after it has to be written without recursion. The
 * fields of an object are, too: JSON.parse takes seconds for an object of a million names.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { formatPath } from '../../errors/fault-path.ts';
import { jsonFault } from '../../errors/json-fault.ts';
import { BodyMalformedError } from '../errors.ts';
import type { Readers } from '../reading/readers.ts';
import type { BodySource } from '../reading/reading-messages.ts';
import { callerOf } from './authentication.ts';

/** Deepest nesting of arrays and objects; a gate's matrix, the deepest part of any body, has 6. */
export const MAX_DEPTH = 32;

/** Most fields of one object; the most that any schema takes, for the inputs of a program. */
export const MAX_FIELDS = 4096;

/** From this size on, reading a body would hold the event loop for several milliseconds. */
export const LARGE_BODY_BYTES = 65_536;

/** From this size on bodies that arrive together are read in turns of the event loop, one in each. */
const SIZEABLE_BODY_BYTES = 4096;

/** A body that was not read yet, on a route that reads large ones elsewhere. */
class LargeBody {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** A body as a route that reads large ones gets it: read, or as it came. */
export function sourceOf(body: unknown): BodySource {
  return body instanceof LargeBody ? { bytes: body.bytes } : { value: body };
}

/**
 * Makes JSON the only media type that the service reads.
 *
 * Other routes than those that read large bodies elsewhere take none, unless they name a limit of their own.
 * Large bodies of routes that read them elsewhere take room from before they arrive until they are
 * answered, so that one key cannot fill the memory with bodies that wait.
 */
export function registerJsonBody(
  app: FastifyInstance,
  readers: Pick<Readers, 'reserve'>,
  bodyLimitBytes: number,
): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.readsLargeBodies !== true) route.bodyLimit ??= LARGE_BODY_BYTES;
  });
  const ownTurn = oneATurn();
  app.addHook('preParsing', async (request, reply) => {
    if (request.routeOptions.config.readsLargeBodies !== true) return;
    const { bodyLimit = bodyLimitBytes } = request.routeOptions;
    // What comes in chunks may be as large as it may be.
    const length = Number(request.headers['content-length'] ?? bodyLimit);
    if (!(length >= LARGE_BODY_BYTES)) return;
    const room = readers.reserve(callerOf(request).key.id, Math.min(length, bodyLimit));
    reply.raw.once('close', () => room[Symbol.dispose]());
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      refuseEncodings(request);
      const isReadElsewhere =
        body.length >= LARGE_BODY_BYTES && request.routeOptions.config.readsLargeBodies === true;
      if (isReadElsewhere) return new LargeBody(body);
      if (body.length >= SIZEABLE_BODY_BYTES) await ownTurn();
      return parseJsonBody(body);
    },
  );
}

/** Gives what waits a turn of the event loop each, first come, first served. */
function oneATurn(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const letOneGo = () => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(letOneGo);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(letOneGo);
    });
}

/** Bodies are read as they come: UTF-8, not compressed. */
function refuseEncodings({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity') {
    throw new BodyMalformedError(`Content-Encoding ${encoding.slice(0, 50)} is not taken.`);
  }
  const charset = /;\s*charset\s*=\s*"?([^;"\s]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new BodyMalformedError(`charset ${charset.slice(0, 50)} is not taken; send UTF-8.`);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The value of a body.
 *
 * @returns undefined for an empty body: whether one is needed is the route's business.
 * @throws {BodyMalformedError}
 */
export function parseJsonBody(body: Uint8Array): unknown {
  if (body.length === 0) return undefined;
  const text = decode(body);
  if (text.charCodeAt(0) === 0xfeff) {
    throw new BodyMalformedError('it begins with a byte order mark; send plain UTF-8.');
  }
  checkShape(text);
  const value = parse(text);
  // Only a text that spells the name, or hides characters in escapes, can hold such a field.
  if (text.includes('__proto__') || text.includes('\\u')) refusePrototypes(value);
  return value;
}

function decode(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch (error) {
    if (error instanceof TypeError) throw new BodyMalformedError('it is not UTF-8 text.');
    throw error;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new BodyMalformedError(jsonFault(text));
    throw error;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{` differ in this bit only; so do `]` and `}`. */
const BRACE_BIT = 0x20;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const COLON = 0x3a;

function checkShape(text: string): void {
  let depth = 0;
  const numFields = new Uint32Array(MAX_DEPTH + 1);
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (character === QUOTE) {
      i = endOfString(text, i);
      continue;
    }
    const bracket = character & ~BRACE_BIT;
    if (bracket === CLOSE) depth--;
    else if (bracket === OPEN) {
      if (++depth > MAX_DEPTH) {
        throw new BodyMalformedError(`it is nested more than ${MAX_DEPTH} levels deep.`);
      }
      numFields[depth] = 0;
    } else if (character === COLON && ++numFields[depth]! > MAX_FIELDS) {
      throw new BodyMalformedError(`an object in it has more than ${MAX_FIELDS} fields.`);
    }
  }
}

/** The index of the quote that ends the string begun at `start`. */
function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length) {
    const character = text.charCodeAt(i);
    if (character === QUOTE) return i;
    i += character === BACKSLASH ? 2 : 1;
  }
  return i;
}

/** Refuses own fields called `__proto__`: copied carelessly they would become an object's prototype. */
function refusePrototypes(value: unknown, path: readonly PropertyKey[] = []): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const here = [...path, Array.isArray(value) ? Number(name) : name];
    if (name === '__proto__') {
      throw new BodyMalformedError('a field called __proto__ is not taken.', formatPath(here));
    }
    refusePrototypes(inner, here);
  }
}
