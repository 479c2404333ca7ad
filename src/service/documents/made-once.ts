/** Values that are made once and kept. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../../math/sha256.ts';
import { fixedBody, sendFixed } from '../http/compression.ts';
import { isKnown } from '../http/known-tag.ts';

/**
 * Caches the result of an asynchronous load; after a failure the next call loads again.
 *
 * @returns A function that loads on its first call and after each failure. Concurrent calls share one load.
 */
export function keptPromise<T>(load: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    if (kept !== undefined) return kept;
    const loading = load();
    kept = loading;
    loading.catch(() => {
      kept = undefined;
    });
    return loading;
  };
}

/** Answers with the document, or 304 if the client has it. */
export type DocumentAnswer = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>;

/**
 * Creates a handler for a document that is the same at every request. Its tag is a weak one, because the compressed forms
 * share it (RFC 9110, section 8.8.3).
 */
export function madeOnce(
  make: () => string | Buffer | Promise<string>,
  type: string,
): DocumentAnswer {
  const kept = keptPromise(async () => {
    const made = await make();
    const bytes = typeof made === 'string' ? Buffer.from(made) : made;
    return { body: fixedBody(bytes), opaque: `"${sha256(bytes).slice(0, 32)}"` };
  });
  return async (request, reply) => {
    const { body, opaque } = await kept();
    reply.headers({ etag: `W/${opaque}`, 'cache-control': 'no-cache' });
    if (isKnown(request.headers['if-none-match'], opaque)) {
      return reply.code(304).header('vary', 'Accept-Encoding').send();
    }
    return sendFixed(request, reply, body, type);
  };
}
