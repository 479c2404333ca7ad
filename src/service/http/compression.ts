/**
 * Compression of answers, for callers whose Accept-Encoding allows it.
 *
 * Every route may send text as it is: a hook compresses what is worth it. Documents that stay the same are compressed
 * once, or by the build, and sent by {@link sendFixed}. `@fastify/compress` was not taken: it turns each answer into a
 * stream, so that small answers cost more and lose their length.
 *
 * Never compressed: event streams, whose events would wait for each other, and answers with a new key
 * (`config.holdsSecret`). The length of a compressed text tells whether its parts are alike, so whoever chooses one
 * part and sees lengths could guess another (BREACH). Other answers need no such care: a page of another origin cannot
 * make a browser ask for them, because keys come in a header and never in a cookie.
 */
import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
} from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if answers of the route contain a secret, and so are not compressed. */
    readonly holdsSecret?: boolean;
  }
}

/** Compression that a caller may accept, in order of preference. */
export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Answers to GET are compressed from this size on, bytes: pages ask for them again and again. */
const MIN_BYTES = 1024;
/**
 * Answers to submissions are compressed from this size on, bytes. Shorter ones arrive in the ten packets that TCP sends
 * at once (RFC 6928), and compressing a Bell circuit's result would take a tenth of the time that all else takes.
 */
const MIN_SUBMISSION_BYTES = 16_384;

/** Types of text and code. Pictures are compressed already. */
const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|application\/(?:json|yaml|wasm|[\w.-]+\+json)\b|image\/svg\+xml)/;

/** Whether a document of so many bytes and of this media type has compressed forms. */
export function hasCompressedForms(length: number, type: string): boolean {
  return length >= MIN_BYTES && COMPRESSIBLE.test(type);
}

/** The header that tells caches which request header an answer depends on. */
function varyByEncoding(reply: FastifyReply): void {
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`);
}

/**
 * Chooses the compression of an answer.
 *
 * @param accepted - Accept-Encoding header (RFC 9110, section 12.5.3).
 * @returns undefined if the caller accepts none of {@link ENCODINGS}.
 */
export function acceptedEncoding(accepted: string | undefined): Encoding | undefined {
  if (accepted === undefined) return undefined;
  const qualities = new Map<string, number>();
  for (const entry of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    qualities.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  const quality = (name: Encoding) => qualities.get(name) ?? qualities.get('*') ?? 0;
  let best: Encoding | undefined;
  for (const each of ENCODINGS) {
    if (quality(each) > (best === undefined ? 0 : quality(best))) best = each;
  }
  return best;
}

/** Lowest levels: for JSON they give nearly the sizes of higher ones, in a quarter of the time. */
const FAST = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  gzip: { level: constants.Z_BEST_SPEED },
} as const;

/** Levels for documents that are compressed once. */
const SMALL = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } },
  gzip: { level: constants.Z_BEST_COMPRESSION },
} as const;

/** Highest levels, for files that the build compresses; they take seconds. */
const SMALLEST = {
  ...SMALL,
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } },
} as const;

/** Compresses a file of a build. */
export function compressedFile(plain: Buffer, encoding: Encoding): Promise<Buffer> {
  return compressors[encoding](plain, SMALLEST[encoding]);
}

/**
 * Answers below this size are compressed on the main thread, bytes: that takes a fifth of a millisecond at most, and the
 * way to another thread and back would take twice as long.
 */
const MIN_BYTES_OF_THREADS = 32_768;

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) };

function compressorOf(encoding: Encoding): Transform {
  return encoding === 'br' ? createBrotliCompress(FAST.br) : createGzip(FAST.gzip);
}

/** Compresses answers. Call it after every other hook that reads what is sent. */
export function registerCompression(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    // Small answers leave by the first test.
    const min =
      request.method === 'GET' || request.method === 'HEAD' ? MIN_BYTES : MIN_SUBMISSION_BYTES;
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (isWhole && payload.length < min) return done();
    if (!isWhole && !(payload instanceof Readable)) return done();
    const { holdsSecret = false } = request.routeOptions.config;
    const type = String(reply.getHeader('content-type'));
    if (holdsSecret || reply.hasHeader('content-encoding') || !COMPRESSIBLE.test(type))
      return done();
    varyByEncoding(reply);
    const encoding = acceptedEncoding(request.headers['accept-encoding']);
    if (encoding === undefined) return done();
    if (!isWhole) {
      compressedStream(payload, min, encoding).then(({ body, isCompressed }) => {
        if (isCompressed) reply.header('content-encoding', encoding);
        done(null, body);
      }, done);
      return;
    }
    const send = (body: Buffer) => {
      reply.header('content-encoding', encoding);
      done(null, body);
    };
    if (payload.length >= MIN_BYTES_OF_THREADS) {
      compressors[encoding](payload, FAST[encoding]).then(send, done);
      return;
    }
    send(encoding === 'br' ? brotliCompressSync(payload, FAST.br) : gzipSync(payload, FAST.gzip));
  });
}

/** What is sent in place of a stream: the stream compressed, or all of it where it is short. */
async function compressedStream(
  source: Readable,
  min: number,
  encoding: Encoding,
): Promise<{ readonly body: Readable | Buffer; readonly isCompressed: boolean }> {
  const first: Buffer[] = [];
  let length = 0;
  const iterator = source[Symbol.asyncIterator]();
  while (length < min) {
    const next = await iterator.next();
    if (next.done === true) return { body: Buffer.concat(first), isCompressed: false };
    const chunk = Buffer.from(next.value);
    first.push(chunk);
    length += chunk.length;
  }
  async function* all(): AsyncGenerator<Buffer, void, undefined> {
    yield Buffer.concat(first);
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  const compressor = compressorOf(encoding);
  // An error of either side ends the other: the caller sees the answer break off, and a caller who leaves ends the source.
  pipeline(Readable.from(all(), { objectMode: false }), compressor, () => source.destroy());
  return { body: compressor, isCompressed: true };
}

/** A document that stays the same, with its compressed forms. */
export interface FixedBody {
  readonly plain: Buffer;
  /** Gives the compressed form. */
  readonly compressed: (encoding: Encoding) => Buffer | Promise<Buffer>;
}

/** A document that is compressed when it is first asked for in a form. */
export function fixedBody(plain: Buffer): FixedBody {
  const kept = new Map<Encoding, Promise<Buffer>>();
  const compressed = (encoding: Encoding) => {
    const known = kept.get(encoding);
    if (known !== undefined) return known;
    const made = compressors[encoding](plain, SMALL[encoding]);
    kept.set(encoding, made);
    return made;
  };
  return { plain, compressed };
}

/** Sends a document in the form that the caller accepts. */
export async function sendFixed(
  request: FastifyRequest,
  reply: FastifyReply,
  { plain, compressed }: FixedBody,
  type: string,
): Promise<FastifyReply> {
  reply.type(type);
  if (!hasCompressedForms(plain.length, type)) return reply.send(plain);
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  if (encoding === undefined) return reply.send(plain);
  varyByEncoding(reply);
  return reply.header('content-encoding', encoding).send(await compressed(encoding));
}
