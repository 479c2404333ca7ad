/** Errors of the service layer: what is wrong with a request before its meaning is looked at. */
import { CodedError, type Fault, MAX_FAULTS } from '../errors/coded-error.ts';

/** A part of the request has the wrong form; the faults say where. */
export class RequestInvalidError extends CodedError {
  readonly code = 'SERVICE_REQUEST_INVALID';

  /** @param faults - At least one; the first 20 are kept. */
  constructor(faults: readonly Fault[]) {
    const [first] = faults;
    if (first === undefined) throw new Error('unreachable: an invalid request without a fault');
    const where = first.path === '' ? first.message : `${first.path}: ${first.message}`;
    const number = faults.length < MAX_FAULTS ? `${faults.length}` : `${MAX_FAULTS} or more`;
    super(
      faults.length === 1 ? where : `The request has ${number} faults; the first: ${where}`,
      faults.slice(0, MAX_FAULTS),
    );
  }
}

/** What work in the offload thread ended with, under its own code. */
export class OffloadedError extends CodedError {
  readonly code: string;

  constructor(code: string, message: string, faults: readonly Fault[]) {
    super(message, faults);
    this.code = code;
  }
}

/** The thread that reads large requests and writes large results ended under one. */
export class OffloadLostError extends CodedError {
  readonly code = 'SERVICE_OFFLOAD_LOST';

  constructor(how: string, options?: ErrorOptions) {
    super(
      `The thread that reads large circuits and writes large results ended: ${how}.`,
      [],
      options,
    );
  }
}

/** The address of QCS_HOST and QCS_PORT cannot be listened on. */
export class CannotListenError extends CodedError {
  readonly code = 'SERVICE_CANNOT_LISTEN';

  constructor(host: string, port: number, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`Cannot listen on QCS_HOST=${host}, QCS_PORT=${port}: ${why}.`, [], { cause });
  }
}

/** The body is not a JSON text. */
export class BodyMalformedError extends CodedError {
  readonly code = 'SERVICE_BODY_MALFORMED';

  constructor(problem: string, path = '') {
    super(`The body cannot be read: ${problem}`, [{ path, message: problem }]);
  }
}

/** The body is longer than the service reads. */
export class BodyTooLargeError extends CodedError {
  readonly code = 'SERVICE_BODY_TOO_LARGE';

  constructor(maxBytes: number) {
    super(`The body is larger than ${maxBytes} bytes, the most this service reads.`);
  }
}

/** The body is declared as something other than JSON. */
export class ContentTypeError extends CodedError {
  readonly code = 'SERVICE_CONTENT_TYPE';

  constructor(found: string | undefined) {
    const what = found === undefined ? 'without a Content-Type' : `as ${found.slice(0, 100)}`;
    super(`The body was sent ${what}; send it as application/json.`);
  }
}

/** The request line, a header or the framing of the body breaks HTTP. */
export class HttpMalformedError extends CodedError {
  readonly code = 'SERVICE_HTTP_MALFORMED';

  constructor(problem: string) {
    super(`The request cannot be read: ${problem}`);
  }
}

/** A keyed endpoint was called without a key. */
export class KeyMissingError extends CodedError {
  readonly code = 'SERVICE_KEY_MISSING';

  constructor() {
    super('This endpoint needs an API key in the header X-API-Key.');
  }
}

/** The key is unknown, misspelt or revoked; which of these is not told. */
export class KeyInvalidError extends CodedError {
  readonly code = 'SERVICE_KEY_INVALID';

  constructor() {
    super('The API key is not valid.');
  }
}

/** The key was valid until some time ago. */
export class KeyExpiredError extends CodedError {
  readonly code = 'SERVICE_KEY_EXPIRED';

  constructor(expiredAt: string) {
    super(`The API key expired at ${expiredAt}.`);
  }
}

/** A key would have expired before it was made. */
export class KeyExpiryInPastError extends CodedError {
  readonly code = 'SERVICE_KEY_EXPIRY_IN_PAST';

  constructor(found: string, now: string) {
    const message = `expires_at must be in the future: ${found} has passed, it is ${now}.`;
    super(message, [{ path: 'expires_at', message }]);
  }
}

/** The key is valid, but not for this endpoint. */
export class ScopeMissingError extends CodedError {
  readonly code = 'SERVICE_SCOPE_MISSING';

  constructor(needed: string, granted: readonly string[]) {
    super(
      `This endpoint needs the scope "${needed}"; the key has ${granted.length === 0 ? 'none' : granted.join(', ')}.`,
    );
  }
}

/** Nothing is at that path. */
export class RouteNotFoundError extends CodedError {
  readonly code = 'SERVICE_ROUTE_NOT_FOUND';

  constructor(method: string, path: string) {
    super(
      `There is nothing at ${method} ${path.slice(0, 200)}; the endpoints are listed at /docs.`,
    );
  }
}

/** The path exists, but not with that method. */
export class MethodNotFoundError extends CodedError {
  readonly code = 'SERVICE_METHOD_NOT_FOUND';
  readonly allowed: readonly string[];

  constructor(method: string, path: string, allowed: readonly string[]) {
    super(`${path.slice(0, 200)} does not take ${method}; it takes ${allowed.join(', ')}.`);
    this.allowed = allowed;
  }
}

/** No processor has that id. */
export class ProcessorNotFoundError extends CodedError {
  readonly code = 'SERVICE_PROCESSOR_NOT_FOUND';

  constructor(id: string, known: readonly string[]) {
    super(`There is no processor "${id.slice(0, 100)}"; there are ${known.join(', ')}.`);
  }
}

/** The processor has no devices to be listed: it is no fleet. */
export class NoDevicesError extends CodedError {
  readonly code = 'SERVICE_NO_DEVICES';

  constructor(processorId: string, owners: readonly string[]) {
    const others = owners.length === 0 ? 'none has' : `${owners.join(', ')} has`;
    super(`Processor ${processorId} has no devices; ${others}.`);
  }
}

/** No device of the fleet has that id. */
export class DeviceNotFoundError extends CodedError {
  readonly code = 'SERVICE_DEVICE_NOT_FOUND';

  /** @param first - The lowest and the highest id; undefined where there is no device at all. */
  constructor(id: string, first: string | undefined, last: string | undefined) {
    const known =
      first === undefined || last === undefined ? 'there are none' : `they are ${first} to ${last}`;
    super(`There is no device "${id.slice(0, 100)}"; ${known}.`);
  }
}

/** The key has used up its requests of this window. */
export class RateLimitError extends CodedError {
  readonly code = 'SERVICE_RATE_LIMIT';
  readonly retryAfterS: number;

  constructor(tier: string, limit: number, retryAfterS: number) {
    super(
      `The ${tier} tier allows ${limit} requests a minute; the next window opens in ${retryAfterS} s.`,
    );
    this.retryAfterS = retryAfterS;
  }
}

/** The connection closed before the answer was out; nobody reads this one. */
export class CallerGoneError extends CodedError {
  readonly code = 'SERVICE_CALLER_GONE';

  constructor() {
    super('The caller has gone.');
  }
}

/** The address has used up its requests to the demo. */
export class DemoRateLimitError extends CodedError {
  readonly code = 'SERVICE_DEMO_RATE_LIMIT';
  readonly retryAfterS: number;

  constructor(limit: number, retryAfterS: number) {
    super(
      `The demo takes ${limit} requests a minute from one address; the next window opens in ${retryAfterS} s.`,
    );
    this.retryAfterS = retryAfterS;
  }
}

/** As many requests to the demo are under way as it takes, over all addresses. */
export class DemoBusyError extends CodedError {
  readonly code = 'SERVICE_DEMO_BUSY';
  readonly retryAfterS = 1;

  constructor(limit: number) {
    super(`The demo runs ${limit} requests at once, and as many are under way. Try again.`);
  }
}

/** The model of the demo is not available; visitors are not told why. */
export class DemoUnavailableError extends CodedError {
  readonly code = 'SERVICE_DEMO_UNAVAILABLE';
  readonly retryAfterS: number | undefined;

  constructor(retryAfterS: number | undefined) {
    super('The demo is out of service just now. Try again later.');
    this.retryAfterS = retryAfterS;
  }
}

/** There is no such model. */
export class ModelNotFoundError extends CodedError {
  readonly code = 'SERVICE_MODEL_NOT_FOUND';

  constructor(id: string, known: readonly string[]) {
    super(`There is no model "${id.slice(0, 100)}"; the models are ${known.join(', ')}.`);
  }
}

/** There is no such agent. */
export class AgentNotFoundError extends CodedError {
  readonly code = 'SERVICE_AGENT_NOT_FOUND';

  constructor(id: string, known: readonly string[]) {
    super(`There is no agent "${id.slice(0, 100)}"; the agents are ${known.join(', ')}.`);
  }
}

/** There is no such system. */
export class SystemNotFoundError extends CodedError {
  readonly code = 'SERVICE_SYSTEM_NOT_FOUND';

  constructor(id: string, known: readonly string[]) {
    super(`There is no system "${id.slice(0, 100)}"; the systems are ${known.join(', ')}.`);
  }
}

/** As many circuits, inferences, tasks or TPU jobs, of the key wait or run as its tier allows. */
export class InFlightLimitError extends CodedError {
  readonly code = 'SERVICE_IN_FLIGHT_LIMIT';
  readonly retryAfterS: number;

  constructor(
    tier: string,
    limit: number,
    what: 'circuits' | 'inferences' | 'text inferences' | 'tasks' | 'TPU jobs',
    retryAfterS: number,
  ) {
    super(
      `The ${tier} tier allows ${limit} ${what} that wait or run at once; the key has as many. Try again when one has ended.`,
    );
    this.retryAfterS = retryAfterS;
  }
}

/** The inputs of what waits and runs take as much memory as they may. */
export class WorkMemoryError extends CodedError {
  readonly code = 'SERVICE_WORK_MEMORY';
  readonly retryAfterS = 5;

  constructor(what: 'tasks' | 'TPU jobs', limitCharacters: number) {
    super(
      `The inputs of the ${what} that wait or run take as much memory as they may (${limitCharacters} characters). Try again when some have ended.`,
    );
  }
}

/** The key has as many streams of events open as it may. */
export class TooManyStreamsError extends CodedError {
  readonly code = 'SERVICE_TOO_MANY_STREAMS';
  readonly retryAfterS = 1;

  constructor(limit: number) {
    super(`A key may have ${limit} streams of events open at once. Try again when one has ended.`);
  }
}

/** Too many requests with wrong keys came from one address. */
export class TooManyAttemptsError extends CodedError {
  readonly code = 'SERVICE_TOO_MANY_ATTEMPTS';
  readonly retryAfterS: number;

  constructor(limit: number, retryAfterS: number) {
    super(
      `This request has no valid key, and more than ${limit} such requests came from its address within a minute. Wait ${retryAfterS} s, or send a valid key in X-API-Key.`,
    );
    this.retryAfterS = retryAfterS;
  }
}

/** Too many requests without a key, for pages and documents, came from one address. */
export class PublicRateLimitError extends CodedError {
  readonly code = 'SERVICE_PUBLIC_RATE_LIMIT';
  readonly retryAfterS: number;

  constructor(limit: number, retryAfterS: number) {
    super(
      `One address may send ${limit} requests a minute without a key; the next window opens in ${retryAfterS} s.`,
    );
    this.retryAfterS = retryAfterS;
  }
}

/** The job that the caller waited for failed; `jobCode` says why. */
export class JobFailedError extends CodedError {
  readonly code = 'SERVICE_JOB_FAILED';
  readonly jobCode: string;
  readonly location: string;

  constructor(location: string, jobCode: string, problem: string) {
    super(`The circuit was accepted but failed: ${problem}`, [
      { path: '', message: problem, code: jobCode },
    ]);
    this.jobCode = jobCode;
    this.location = location;
  }
}

/** No API key has that id. */
export class KeyNotFoundError extends CodedError {
  readonly code = 'SERVICE_KEY_NOT_FOUND';

  constructor(id: string) {
    super(`There is no API key with the id "${id.slice(0, 100)}".`);
  }
}
