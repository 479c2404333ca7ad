/** Answers every error in the envelope: those of requests, and of bytes that are no request. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CodedError } from '../../errors/coded-error.ts';
import { requestUnderWay } from './connections.ts';
import type { ErrorEnvelope } from './envelope.ts';
import {
  asksForProblemDetails,
  type Envelopes,
  JSON_TYPE,
  PROBLEM_TYPE,
  SECURITY_HEADERS,
  toProblemDetails,
} from './envelope.ts';
import { HttpMalformedError } from './errors.ts';
import { ionqError } from './ionq-error.ts';
import { isIonqPath, pathOf } from './not-found.ts';
import { presentError } from './present-error.ts';

/** Answers a request with an error. */
type ErrorAnswer = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Creates the function that answers errors, including those before a route is found.
 *
 * @param onError - Called for each answered error.
 */
export function createErrorAnswer(
  envelopes: Envelopes,
  maxBodyBytes: number,
  onError: (error: ErrorEnvelope['error']) => void,
): ErrorAnswer {
  return (thrown, request, reply) => {
    const path = pathOf(request.url);
    const contentType = request.headers['content-type'];
    const { bodyLimit = maxBodyBytes } = request.routeOptions;
    const facts = { method: request.method, path, contentType, maxBodyBytes: bodyLimit };
    const { error, headers, title } = presentError(thrown, facts);
    onError(error);
    const isFault = error.details?.[0]?.code === 'ENGINE_INVARIANT';
    if (error.status === 500 && (isFault || !(thrown instanceof CodedError))) {
      request.log.error({ err: thrown }, 'unexpected error');
    }
    reply
      .code(error.status)
      // Repeated here, because an error before the routes skips the hook that sets them.
      .headers({ 'x-request-id': request.id, ...SECURITY_HEADERS })
      .headers(headers);
    if (isIonqPath(path)) {
      reply.type(JSON_TYPE).send(JSON.stringify(ionqError(error, title)));
      return;
    }
    const body: ErrorEnvelope = { success: false, error, meta: envelopes.meta(request.id) };
    const asProblem = asksForProblemDetails(request.headers.accept);
    reply
      .type(asProblem ? PROBLEM_TYPE : JSON_TYPE)
      .send(JSON.stringify(asProblem ? toProblemDetails(body, title, path) : body));
  };
}

/** Answers the errors of handlers, hooks and body readers. */
export function registerErrorAnswers(app: FastifyInstance, answer: ErrorAnswer): void {
  app.setErrorHandler((error, request, reply) => answer(error, request, reply));
}

const PROBLEMS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'its headers are larger than 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'it did not arrive in time.',
};

/**
 * Creates the server's handler of client errors. It answers bytes that are not HTTP, or that arrive too
 * slowly, and then closes the connection.
 */
export function createClientErrorHandler(envelopes: Envelopes, newRequestId: () => string) {
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    const underWay = requestUnderWay(socket);
    if (error.code !== 'ECONNRESET' && underWay?.request.complete === true) {
      // The fault is in bytes after a complete request, which is still answered.
      underWay.answer.once('close', () => socket.destroy());
      return;
    }
    const isTold = underWay?.answer.headersSent === true;
    if (error.code === 'ECONNRESET' || isTold || !socket.writable) {
      socket.destroy();
      return;
    }
    const problem = PROBLEMS[error.code ?? ''] ?? 'it is not well-formed HTTP.';
    const facts = { method: '', path: '', contentType: undefined, maxBodyBytes: 0 };
    const presented = presentError(new HttpMalformedError(problem), facts).error;
    const meta = envelopes.meta(newRequestId());
    const body = JSON.stringify({ success: false, error: presented, meta } satisfies ErrorEnvelope);
    const { status } = presented;
    socket.write(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        `Content-Type: ${JSON_TYPE}`,
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${meta.request_id}`,
        ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
    // Not end(): a client that never closes would keep its half of the connection open.
    socket.destroySoon();
  };
}
