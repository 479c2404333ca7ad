/** Answers every error in the envelope: those of requests, and of bytes that are no request. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CodedError } from '../../errors/coded-error.ts';
import { faultSentence } from '../../errors/fault-path.ts';
import { StorageUnwritableError } from '../../storage/errors.ts';
import { requestUnderWay } from './connections.ts';
import {
  asksForProblemDetails,
  type Envelopes,
  type ErrorEnvelope,
  JSON_TYPE,
  PROBLEM_TYPE,
  SECURITY_HEADERS,
  toProblemDetails,
} from './envelope.ts';
import { SPEC_CODES, type SpecCode, specCodeOf } from './error-table.ts';
import {
  BodyMalformedError,
  BodyTooLargeError,
  ContentTypeError,
  HttpMalformedError,
  JobFailedError,
  MethodNotFoundError,
  RouteNotFoundError,
} from './errors.ts';
import { isIonqPath, pathOf } from './not-found.ts';

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

/**
 * An error as IonQ's clients read it. They show `message` alone, so it has all faults.
 *
 * @param title - HTTP phrase of the status.
 */
function ionqError({ status, message, details = [] }: ErrorEnvelope['error'], title: string) {
  const faults = details.filter(({ path }) => path !== '');
  const [source, keys] = placesOf(faults.map(({ path }) => path));
  const sentences = faults.map(({ path, message: fault }) =>
    faultSentence({ path, message: fault }),
  );
  return {
    statusCode: status,
    error: title,
    message: sentences.length > 1 ? sentences.join(' ') : message,
    ...(faults.length > 0 && {
      validation: { keys, source },
    }),
  };
}

/** The part of the request that is at fault, and the names of the faults within it. */
function placesOf(paths: readonly string[]): readonly ['query' | 'body', readonly string[]] {
  // Requests with parameters that are checked have no body.
  const names = paths.map((path) => /^query\.(.*)$/.exec(path)?.[1]);
  return names.length > 0 && names.every((name) => name !== undefined)
    ? ['query', names]
    : ['body', paths];
}

/** Answer to an error. */
interface PresentedError {
  readonly error: ErrorEnvelope['error'];
  readonly headers: Readonly<Record<string, string | number>>;
  /** HTTP phrase of the status. */
  readonly title: string;
}

/** Seconds after which callers should retry while the service stops; a restart takes about as long. */
const RESTART_S = 5;

/** Facts of a request that the framework's errors need. */
interface RequestFacts {
  readonly method: string;
  readonly path: string;
  readonly contentType: string | undefined;
  readonly maxBodyBytes: number;
}

/** Answer for an error. An error that is not a CodedError gets 500 without details. */
export function presentError(thrown: unknown, facts: RequestFacts): PresentedError {
  const error = fromFramework(thrown, facts);
  if (!(error instanceof CodedError)) {
    return present(
      'INTERNAL_ERROR',
      'The service met an unexpected error; it has been logged.',
      {},
    );
  }
  const specCode = specCodeFor(error);
  const details =
    error.faults.length === 0
      ? [{ path: '', message: error.message, code: error.code }]
      : error.faults.map(({ path, message, code }) => ({
          path,
          message,
          code: code ?? error.code,
        }));
  return present(specCode, error.message, headersOf(error), details);
}

function present(
  code: SpecCode,
  message: string,
  headers: PresentedError['headers'],
  details?: NonNullable<ErrorEnvelope['error']['details']>,
): PresentedError {
  const { status } = SPEC_CODES[code];
  return {
    error: { code, message, status, ...(details === undefined ? {} : { details }) },
    headers,
    title: STATUS_CODES[status] ?? code,
  };
}

/**
 * Specification code of an error. A failed job has that of its own code: 400, 503, or 500 for unforeseen
 * errors.
 */
function specCodeFor(error: CodedError): SpecCode {
  return specCodeOf(error instanceof JobFailedError ? error.jobCode : error.code);
}

function headersOf(error: CodedError): Record<string, string | number> {
  const headers: Record<string, string | number> = {};
  if (error instanceof MethodNotFoundError) headers['allow'] = error.allowed.join(', ');
  if (error instanceof JobFailedError) headers['location'] = error.location;
  if (error.code === 'JOBS_SHUTTING_DOWN') headers['retry-after'] = RESTART_S;
  if ('retryAfterS' in error && typeof error.retryAfterS === 'number') {
    headers['retry-after'] = Math.max(1, Math.ceil(error.retryAfterS));
  }
  return headers;
}

/** Converts errors of the framework and of the database to errors of this layer. */
function fromFramework(thrown: unknown, facts: RequestFacts): unknown {
  if (!(thrown instanceof Error) || thrown instanceof CodedError) return thrown;
  if ('errcode' in thrown) return StorageUnwritableError.from(thrown);
  if (!('code' in thrown) || typeof thrown.code !== 'string') return thrown;
  switch (thrown.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new BodyTooLargeError(facts.maxBodyBytes);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ContentTypeError(facts.contentType);
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new BodyMalformedError('its length is not what Content-Length says.');
    case 'FST_ERR_BAD_URL':
      return new HttpMalformedError('its path is not correctly percent-encoded.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
    case 'FST_ERR_NOT_FOUND':
      return new RouteNotFoundError(facts.method, facts.path);
    default:
      return clientFault(thrown);
  }
}

/** Converts other errors of the framework and its parsers: 4xx are the caller's faults, the rest ours. */
function clientFault(thrown: Error): unknown {
  const status = 'statusCode' in thrown ? thrown.statusCode : undefined;
  return typeof status === 'number' && status >= 400 && status < 500
    ? new HttpMalformedError(thrown.message)
    : thrown;
}
