/**
 * Reads request bodies: UTF-8 JSON without deep nesting and without fields named `__proto__`.
 *
 * Nesting is limited before parsing, so that later code may be recursive. The fields of an object, the entries of a
 * list and the number of all lists and objects are limited too: JSON.parse takes seconds for an object with a million
 * names, and half a minute for a list of twenty million empty objects.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { formatPath } from '../../errors/fault-path.ts';
import { jsonFault } from '../../errors/json-fault.ts';
import { callerOf } from './authentication.ts';
import { BodyMalformedError } from './errors.ts';
import type { Readers } from './reading/readers.ts';
import type { BodySource } from './reading/reading-messages.ts';

/** Greatest depth of arrays and objects; a gate's matrix, the deepest part of any body, has 6. */
const MAX_DEPTH = 32;

/** Greatest number of fields of an object; the inputs of a program may have this many. */
const MAX_FIELDS = 4096;

/** Greatest number of entries of a list. The longest is a circuit: its gates, and as many barriers. */
const MAX_ENTRIES = 2_000_000;

/** Characters of a body for each list and object. The shortest frequent ones, `[0,0],` of a matrix, have six. */
const CHARACTERS_PER_PART = 5;
/** Lists and objects that a body may have whatever its length. */
const FREE_PARTS = 4096;

/** Size from which reading a body would block the event loop for several milliseconds, bytes. */
export const LARGE_BODY_BYTES = 65_536;

/** Size from which bodies are read one per turn of the event loop, bytes. */
const SIZEABLE_BODY_BYTES = 4096;

/** Unread body of a route that has large ones read in a process. */
class LargeBody {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** Body as such a route receives it: parsed, or as bytes. */
export function sourceOf(body: unknown): BodySource {
  return body instanceof LargeBody ? { bytes: body.bytes } : { value: body };
}

/**
 * Makes JSON the only accepted media type.
 *
 * Only routes that have large bodies read in processes accept them, unless a route sets its own limit. A
 * large body takes up room from before it arrives until it is answered, so that one key cannot fill the
 * memory with waiting bodies.
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
    // A chunked body counts with the greatest size.
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

/** Queue that lets one waiter continue per turn of the event loop, in order of arrival. */
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

/** Refuses encoded bodies: bodies must be UTF-8 and not compressed. */
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
 * Parses a body.
 *
 * @returns undefined for an empty body; the route decides whether it needs one.
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
  // Only a text with the name or with escaped characters can contain such a field.
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
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** The bit in which `[` and `{` differ, and `]` and `}`. */
const BRACE_BIT = 0x20;
const OPEN = 0x5b;
const CLOSE = 0x5d;

function checkShape(text: string): void {
  let depth = 0;
  let partsLeft = FREE_PARTS + text.length / CHARACTERS_PER_PART;
  /** Commas that may follow, by depth. */
  const commasLeft = new Int32Array(MAX_DEPTH + 1);
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (character === QUOTE) {
      i = endOfString(text, i);
    } else if (character === COMMA) {
      if (--commasLeft[depth]! < 0) throw tooManyEntries(text, i);
    } else {
      const bracket = character & ~BRACE_BIT;
      if (bracket === CLOSE) depth--;
      else if (bracket === OPEN) {
        if (++depth > MAX_DEPTH) {
          throw new BodyMalformedError(`it is nested more than ${MAX_DEPTH} levels deep.`);
        }
        if (--partsLeft < 0) {
          throw new BodyMalformedError(
            'it has more lists and objects than any request of its length.',
          );
        }
        commasLeft[depth] = (character === OPEN ? MAX_ENTRIES : MAX_FIELDS) - 1;
      }
    }
  }
}

/** @param end - Index of the comma before the first entry or field too many. */
function tooManyEntries(text: string, end: number): BodyMalformedError {
  const path: PropertyKey[] = [];
  let name = '';
  for (let i = 0; i < end; i++) {
    const character = text[i]!;
    if (character === '"') {
      const start = i + 1;
      i = endOfString(text, i);
      name = text.slice(start, i);
    } else if (character === '[' || character === '{') {
      path.push(character === '[' ? 0 : '');
    } else if (character === ']' || character === '}') {
      path.pop();
    } else if (character === ':') {
      path[path.length - 1] = name;
    } else if (character === ',') {
      const last = path.at(-1);
      if (typeof last === 'number') path[path.length - 1] = last + 1;
    }
  }
  const isList = typeof path.pop() === 'number';
  const what = isList ? `more than ${MAX_ENTRIES} entries` : `more than ${MAX_FIELDS} fields`;
  const place = formatPath(path);
  return new BodyMalformedError(`${place === '' ? 'it' : place} has ${what}.`, place);
}

/** Index of the quote that ends the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length) {
    const character = text.charCodeAt(i);
    if (character === QUOTE) return i;
    i += character === BACKSLASH ? 2 : 1;
  }
  return i;
}

/** Refuses own fields named `__proto__`: careless copying would make them an object's prototype. */
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
