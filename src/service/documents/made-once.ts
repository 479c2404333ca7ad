/** Values that are made once and kept. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../../math/sha256.ts';

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

/** Creates a handler for a document that is the same at every request. */
export function madeOnce(
  make: () => string | Buffer | Promise<string>,
  type: string,
): DocumentAnswer {
  const kept = keptPromise(async () => {
    const made = await make();
    const bytes = typeof made === 'string' ? Buffer.from(made) : made;
    return { bytes, tag: `"${sha256(bytes).slice(0, 32)}"` };
  });
  return async (request, reply) => {
    const { bytes, tag } = await kept();
    reply.headers({ etag: tag, 'cache-control': 'no-cache' });
    const known = request.headers['if-none-match']?.split(',').map((each) => each.trim());
    if (known?.some((each) => each === tag || each === `W/${tag}` || each === '*')) {
      return reply.code(304).send();
    }
    return reply.type(type).send(bytes);
  };
}
