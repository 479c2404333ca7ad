/**
 * Errors of the client, and the reading of an unsuccessful answer as one of them. `code` tells them apart; every class
 * is also an `instanceof`.
 */
import type { Circuit, Error as ErrorAnswer, ErrorDetail } from './api-types.ts';
import { fieldsOf, parsedJson } from './json.ts';

/** Any error of this client, except the reason of an AbortSignal, which is thrown unchanged. */
export abstract class QcsError extends Error {
  abstract readonly code: string;
}

/** Answer of the service that refuses a request. */
export interface Refusal {
  /** HTTP status. */
  readonly status: number;
  /** Faults that the service lists, at most 20. */
  readonly details: readonly ErrorDetail[];
  /** Id of the request, for the operator of the service; undefined if the answer has none. */
  readonly requestId: string | undefined;
  /** Milliseconds after which the service asks to try again; undefined if it does not say. */
  readonly retryAfterMs: number | undefined;
  /** Path of the record of the job that failed while the request waited for it; undefined otherwise. */
  readonly location: string | undefined;
}

/** Codes with which the service refuses a request. */
export type ServiceErrorCode = ErrorAnswer['error']['code'];

/** The service answered with an error. `code` is `HTTP_ERROR` if something else answered, such as a proxy. */
export class ApiError extends QcsError implements Refusal {
  readonly code: ServiceErrorCode | 'HTTP_ERROR' = 'HTTP_ERROR';
  readonly status: number;
  readonly details: readonly ErrorDetail[];
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly location: string | undefined;

  constructor(message: string, refusal: Refusal) {
    super(message);
    this.name = new.target.name;
    this.status = refusal.status;
    this.details = refusal.details;
    this.requestId = refusal.requestId;
    this.retryAfterMs = refusal.retryAfterMs;
    this.location = refusal.location;
  }
}

/** 400: the request is invalid; `details` lists every fault. */
export class BadRequestError extends ApiError {
  override readonly code = 'BAD_REQUEST';
}

/** 401: the key is missing or unknown, has expired or was revoked. */
export class UnauthorizedError extends ApiError {
  override readonly code = 'UNAUTHORIZED';
}

/** 403: the key lacks a scope. */
export class ForbiddenError extends ApiError {
  override readonly code = 'FORBIDDEN';
}

/** 404: there is no such resource, or it belongs to another key. */
export class NotFoundError extends ApiError {
  override readonly code = 'NOT_FOUND';
}

/** 429: a limit of the key is used up, also after the client waited and tried again. */
export class RateLimitError extends ApiError {
  override readonly code = 'RATE_LIMIT_EXCEEDED';
}

/** 500: the service failed in an unforeseen way. */
export class InternalServerError extends ApiError {
  override readonly code = 'INTERNAL_ERROR';
}

/** 502, 503, 504: the processor or the service is not available, also after the client tried again. */
export class ServiceUnavailableError extends ApiError {
  override readonly code = 'SERVICE_UNAVAILABLE';
}

/** No answer: the connection failed or broke, also after the client tried again. */
export class ConnectionError extends QcsError {
  readonly code = 'CONNECTION_FAILED';
  /** The system's reason, such as ECONNREFUSED. */
  readonly reason: string;

  constructor(url: string, cause: unknown) {
    const reason = reasonOf(cause);
    super(`No answer from ${url}: ${reason}.`, { cause });
    this.name = 'ConnectionError';
    this.reason = reason;
  }
}

/** The answer is not one of this service, or of another version of it. */
export class UnreadableAnswerError extends QcsError {
  readonly code = 'UNREADABLE_ANSWER';
  /** The missing or unexpected part, a sentence without its full stop. */
  readonly fault: string;

  constructor(url: string, fault: string) {
    super(`${url} does not answer as a quantum compute service does: ${fault}.`);
    this.name = 'UnreadableAnswerError';
    this.fault = fault;
  }
}

/** The id of a job has no prefix of a kind of jobs. */
export class JobIdError extends QcsError {
  readonly code = 'JOB_ID_INVALID';

  /** @param prefixes - Prefixes that there are. */
  constructor(id: string, prefixes: readonly string[]) {
    super(`"${id.slice(0, 100)}" is no id of a job: one begins with ${prefixes.join(', ')}.`);
    this.name = 'JobIdError';
  }
}

/** Fields that the records of all kinds of jobs have. */
export type JobState = Pick<Circuit, 'status' | 'error'>;

/** The job ended without a result. */
abstract class NotCompletedError<Job extends JobState> extends QcsError {
  readonly id: string;
  /** Its record. */
  readonly job: Job;

  constructor(message: string, id: string, job: Job) {
    super(message);
    this.name = new.target.name;
    this.id = id;
    this.job = job;
  }
}

/** The job failed; the `error` of its record says why. */
export class JobFailedError<Job extends JobState = JobState> extends NotCompletedError<Job> {
  readonly code = 'JOB_FAILED';

  constructor(id: string, job: Job) {
    const { error } = job;
    const why = error === undefined ? '.' : ` (${error.code}): ${error.message}`;
    super(`${id} failed${why}`, id, job);
  }
}

/** The job was cancelled. */
export class JobCancelledError<Job extends JobState = JobState> extends NotCompletedError<Job> {
  readonly code = 'JOB_CANCELLED';

  constructor(id: string, job: Job) {
    super(`${id} was cancelled.`, id, job);
  }
}

/** The system's error code of a failed connection, or else its message. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

const CLASS_OF_CODE: Readonly<Record<ServiceErrorCode, typeof ApiError>> = {
  BAD_REQUEST: BadRequestError,
  UNAUTHORIZED: UnauthorizedError,
  FORBIDDEN: ForbiddenError,
  NOT_FOUND: NotFoundError,
  RATE_LIMIT_EXCEEDED: RateLimitError,
  INTERNAL_ERROR: InternalServerError,
  SERVICE_UNAVAILABLE: ServiceUnavailableError,
};

/** Classes of answers that a proxy gave, which have no code. */
const CLASS_OF_STATUS: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  429: RateLimitError,
  500: InternalServerError,
  502: ServiceUnavailableError,
  503: ServiceUnavailableError,
  504: ServiceUnavailableError,
};

/**
 * The error for an unsuccessful answer.
 *
 * @param text - Its body.
 */
export function apiErrorOf(response: Response, text: string): ApiError {
  const { status, statusText, headers } = response;
  const envelope = fieldsOf(parsedJson(text));
  const error = fieldsOf(envelope?.['error']);
  const { code, message } = error ?? {};
  const location = headers.get('location') ?? undefined;
  const isKnown = typeof code === 'string' && Object.hasOwn(CLASS_OF_CODE, code);
  const ErrorClass =
    (isKnown ? CLASS_OF_CODE[code as ServiceErrorCode] : CLASS_OF_STATUS[status]) ?? ApiError;
  const plain = `${statusText || 'no reason'}${location === undefined ? '' : `, to ${location}`}.`;
  const requestId = fieldsOf(envelope?.['meta'])?.['request_id'];
  return new ErrorClass(typeof message === 'string' ? message : `${status}: ${plain}`, {
    status,
    details: detailsOf(error?.['details']),
    requestId:
      typeof requestId === 'string' ? requestId : (headers.get('x-request-id') ?? undefined),
    retryAfterMs: retryAfterMs(headers),
    location: isKnown ? location : undefined,
  });
}

function detailsOf(value: unknown): readonly ErrorDetail[] {
  return (Array.isArray(value) ? value : []).flatMap((each): readonly ErrorDetail[] => {
    const { code, path, message } = fieldsOf(each) ?? {};
    if (typeof path !== 'string' || typeof message !== 'string') return [];
    return [{ code: typeof code === 'string' ? code : '', path, message }];
  });
}

/** Milliseconds of the header Retry-After; a date there is compared with the date of the answer. */
function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(text)) return Math.max(1, Number(text)) * 1000;
  const ms = Date.parse(text) - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(ms) ? undefined : Math.max(1000, ms);
}
