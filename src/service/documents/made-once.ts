/** Document that is rendered at its first request and then kept. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../../math/sha256.ts';
import { keptPromise } from '../page/kept-promise.ts';

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
