/** Reads the error of an unsuccessful answer. */
import type { ErrorDetail } from './api-types.ts';
import {
  ApiError,
  BadRequestError,
  ForbiddenError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
  type ServiceErrorCode,
  ServiceUnavailableError,
  UnauthorizedError,
} from './errors.ts';
import { fieldsOf, parsedJson } from './json.ts';

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
