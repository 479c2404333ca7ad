/** Signal that aborts work when its caller disconnects, and the caller of a body. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerGoneError } from '../errors.ts';
import type { ReadingCaller } from '../reading/readers.ts';
import { callerOf } from './authentication.ts';
import { LARGE_BODY_BYTES } from './json-body.ts';

/**
 * Creates a signal that aborts with CallerGoneError if the connection closes before the answer is sent.
 *
 * It listens to the answer and not to the connection, which is kept for many requests and would collect a
 * listener from each.
 */
export function callerSignal({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (raw.writableEnded) return;
    controller.abort(new CallerGoneError());
  });
  return controller.signal;
}

/** Caller of a body to read. A chunked body counts as the smallest large one. */
export function readingCaller(request: FastifyRequest, reply: FastifyReply): ReadingCaller {
  const numBytes = Number(request.headers['content-length'] ?? LARGE_BODY_BYTES);
  return { keyId: callerOf(request).key.id, numBytes, signal: callerSignal(reply) };
}
