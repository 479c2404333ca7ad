/** What tells work that its caller has gone. */
import type { FastifyReply } from 'fastify';
import { CallerGoneError } from '../errors.ts';

/**
 * A signal that aborts, with CallerGoneError, when the connection closes before the answer is out.
 *
 * It listens to the answer, which is a request's own: a connection is kept for many requests, and would
 * gather a listener from each.
 */
export function callerSignal({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (raw.writableEnded) return;
    controller.abort(new CallerGoneError());
  });
  return controller.signal;
}
