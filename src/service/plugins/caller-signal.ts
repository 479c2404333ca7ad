/** What tells work that its caller has gone. */
import type { FastifyRequest } from 'fastify';

/** A signal that aborts when the connection closes before the answer is out. */
export function callerSignal({ raw }: Pick<FastifyRequest, 'raw'>): AbortSignal {
  const controller = new AbortController();
  const { socket } = raw;
  const onClose = () => controller.abort(new DOMException('The caller has gone.', 'AbortError'));
  socket.once('close', onClose);
  return controller.signal;
}
