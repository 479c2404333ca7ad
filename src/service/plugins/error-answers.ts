/** Answers every error in the envelope. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CodedError } from '../../errors/coded-error.ts';
import {
  asksForProblemDetails,
  type Envelopes,
  JSON_TYPE,
  PROBLEM_TYPE,
  SECURITY_HEADERS,
  toProblemDetails,
} from '../envelope.ts';
import { presentError } from '../present-error.ts';
import type { ErrorEnvelope } from '../schemas/envelope.ts';
import { pathOf } from './not-found.ts';

/** Answers a request with an error. */
export type ErrorAnswer = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

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
    if (error.status === 500 && !(thrown instanceof CodedError)) {
      request.log.error({ err: thrown }, 'unexpected error');
    }
    const body: ErrorEnvelope = { success: false, error, meta: envelopes.meta(request.id) };
    const asProblem = asksForProblemDetails(request.headers.accept);
    reply
      .code(error.status)
      // Repeated here, because an error before the routes skips the hook that sets them.
      .headers({ 'x-request-id': request.id, ...SECURITY_HEADERS })
      .headers(headers)
      .type(asProblem ? PROBLEM_TYPE : JSON_TYPE)
      .send(JSON.stringify(asProblem ? toProblemDetails(body, title, path) : body));
  };
}

/** Answers the errors of handlers, hooks and body readers. */
export function registerErrorAnswers(app: FastifyInstance, answer: ErrorAnswer): void {
  app.setErrorHandler((error, request, reply) => answer(error, request, reply));
}
