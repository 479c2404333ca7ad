/** Converts an error to status, headers and body of an answer. */
import { STATUS_CODES } from 'node:http';
import { CodedError } from '../../errors/coded-error.ts';
import { StorageUnwritableError } from '../../storage/errors.ts';
import type { ErrorEnvelope } from './envelope.ts';
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
