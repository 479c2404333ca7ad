/** Errors of the service layer: faults of requests, keys and limits. */

import { CodedError, coded, type Fault, firstOf, MAX_FAULTS } from '../../errors/coded-error.ts';
import { faultSentence } from '../../errors/fault-path.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import type { JobId, JobStatus } from '../../jobs/job.ts';
import { KEY_LENGTH, parseKeyText, type Tier } from './api-key.ts';

/** Part of the request is malformed; the faults say which. */
export class RequestInvalidError extends coded(
  'SERVICE_REQUEST_INVALID',
  (faults: readonly Fault[]) => {
    const where = faultSentence(firstOf(faults));
    const number = faults.length < MAX_FAULTS ? `${faults.length}` : `${MAX_FAULTS} or more`;
    const message =
      faults.length === 1 ? where : `The request has ${number} faults; the first: ${where}`;
    return { message, faults };
  },
) {}

/** The process that reads a body ended, also in further attempts. */
export class ReaderLostError extends coded(
  'SERVICE_READER_LOST',
  (how: string) => `The process that reads this body ended: ${how}.`,
) {}

/** Reading a body exceeded its limit of CPU time. */
export class ReadingTimeError extends coded(
  'SERVICE_READING_TIME',
  (limitMs: number) =>
    `Reading the body took more than ${limitMs} ms of CPU time; QCS_READ_CPU_MS sets the limit. A smaller circuit is read sooner.`,
) {}

/** Reading a body exceeded its memory limit. */
export class ReadingMemoryError extends coded(
  'SERVICE_READING_MEMORY',
  (limitMib: number) =>
    `Reading the body took more than ${limitMib} MiB of memory, the most that it may take.`,
) {}

/** The large bodies of one key that arrive or wait exceed their limit of bytes. */
export class KeyReadingRoomError extends coded(
  'SERVICE_KEY_READING_ROOM',
  (takenBytes: number, numBytes: number, limitBytes: number) => ({
    message: `Bodies of this key that arrive or are read have ${takenBytes} bytes; with ${numBytes} more they would pass the limit of ${limitBytes} (a quarter of QCS_READ_MIB). Send fewer large bodies at a time.`,
    retryAfterS: 1,
  }),
) {}

/** The large bodies of all keys that arrive or wait exceed their limit of bytes. */
export class ReadingRoomError extends coded('SERVICE_READING_ROOM', (limitBytes: number) => ({
  message: `The bodies that arrive or are read have as many bytes as they may, ${limitBytes} (QCS_READ_MIB). Try again in a moment.`,
  retryAfterS: 1,
})) {}

/** The thread that writes large results ended while it wrote this one. */
export class ResultThreadLostError extends coded(
  'SERVICE_RESULT_THREAD_LOST',
  (how: string, options?: ErrorOptions) => ({
    message: `The thread that writes large results ended: ${how}.`,
    ...options,
  }),
) {}

/** The service cannot listen on the address of QCS_HOST and QCS_PORT. */
export class CannotListenError extends coded(
  'SERVICE_CANNOT_LISTEN',
  (host: string, port: number, cause: unknown) => ({
    message: whyNotListening(host, port, cause),
    cause,
  }),
) {}

function whyNotListening(host: string, port: number, cause: unknown): string {
  switch (cause instanceof Error && 'code' in cause ? cause.code : undefined) {
    case 'EADDRINUSE':
      return `Port ${port} is in use; choose another with QCS_PORT.`;
    case 'EACCES':
      return `Port ${port} may not be opened by this user; choose one from 1024 with QCS_PORT.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine; choose another with QCS_HOST.`;
    default: {
      const why = cause instanceof Error ? cause.message : String(cause);
      return `Cannot listen on QCS_HOST=${host}, QCS_PORT=${port}: ${why}.`;
    }
  }
}

/** The body is not JSON. */
export class BodyMalformedError extends coded(
  'SERVICE_BODY_MALFORMED',
  (problem: string, path?: string) => ({
    message: `The body cannot be read: ${problem}`,
    faults: [{ path: path ?? '', message: problem }],
  }),
) {}

/** The body exceeds the size limit. */
export class BodyTooLargeError extends coded(
  'SERVICE_BODY_TOO_LARGE',
  (maxBytes: number) => `The body is larger than ${maxBytes} bytes, the most this service reads.`,
) {}

/** The body's media type is not JSON. */
export class ContentTypeError extends coded('SERVICE_CONTENT_TYPE', (found: string | undefined) => {
  const what = found === undefined ? 'without a Content-Type' : `as ${found.slice(0, 100)}`;
  return `The body was sent ${what}; send it as application/json. With curl: -H 'Content-Type: application/json'.`;
}) {}

/** The request line, a header or the framing of the body violates HTTP. */
export class HttpMalformedError extends coded(
  'SERVICE_HTTP_MALFORMED',
  (problem: string) => `The request cannot be read: ${problem}`,
) {}

/**
 * An endpoint that needs a key was called without one. The header Authorization, where the request has it, may hold the
 * key; only IonQ's interface reads it.
 */
export class KeyMissingError extends coded(
  'SERVICE_KEY_MISSING',
  (hasAuthorization: boolean, scheme?: string) => {
    if (scheme !== undefined) {
      return `This endpoint needs an API key of this service: send "Authorization: ${scheme} KEY".`;
    }
    const where = hasAuthorization
      ? 'The API key belongs into the header X-API-Key, without "Bearer"; Authorization is not read.'
      : 'This endpoint needs an API key in the header X-API-Key.';
    return `${where} With curl: -H "X-API-Key: $QCS_API_KEY", with that variable set.`;
  },
) {}

/** The key is unknown, misspelt or revoked; the answer does not say which, and does not show the text that was sent. */
export class KeyInvalidError extends coded(
  'SERVICE_KEY_INVALID',
  (text: string) => `The API key is not valid: ${whyNoKey(text)}`,
) {}

/** Explains a refused key without revealing whether it exists. */
function whyNoKey(text: string): string {
  if (/^bearer\b/i.test(text)) return 'leave out "Bearer" before it.';
  if (parseKeyText(text) !== undefined) {
    return 'this service does not know it, or it was revoked. `qcs keys list` lists the keys.';
  }
  return `a key begins with qcs_ and has ${KEY_LENGTH} characters; this text has ${text.length}. Copy it whole.`;
}

/**
 * The job is not finished, or is `part` of a plan that is not, so it cannot be deleted. `location` is the path of the
 * record that is not finished.
 */
export class JobNotFinishedError extends coded(
  'SERVICE_JOB_NOT_FINISHED',
  (id: JobId, status: JobStatus, location: string, part?: JobId) => {
    const what =
      part === undefined
        ? `Job ${id} is ${status}`
        : `Job ${part} is part of ${id}, which is ${status}`;
    return `${what}; only what has ended can be deleted. POST ${location}/cancel ends it.`;
  },
) {}

/** The circuit keeps no state vector for download. */
export class StateNotKeptError extends coded(
  'SERVICE_STATE_NOT_KEPT',
  (id: JobId, status: JobStatus) =>
    status === 'completed'
      ? `Circuit ${id} keeps no state: its request has no "return": ["statevector"] with "statevector_format": "binary".`
      : `Circuit ${id} is ${status}; a state that it keeps is there once it is completed.`,
) {}

/** The stored record of a key cannot be read. `what` is the fault of the record: `its tier is "x"`. */
export class KeyDamagedError extends coded('SERVICE_KEY_DAMAGED', (id: string, what: string) => ({
  message: `The stored record of API key ${id} is damaged: ${what}.`,
  what,
})) {}

/** The key has expired. */
export class KeyExpiredError extends coded(
  'SERVICE_KEY_EXPIRED',
  (expiredAt: string) => `The API key expired at ${expiredAt}.`,
) {}

/** The requested expiry of a key lies in the past. */
export class KeyExpiryInPastError extends coded(
  'SERVICE_KEY_EXPIRY_IN_PAST',
  (found: string, now: string) => {
    const message = `expires_at must be in the future: ${found} has passed, it is ${now}.`;
    return { message, faults: [{ path: 'expires_at', message }] };
  },
) {}

/** The key is valid but lacks the scope of this endpoint. */
export class ScopeMissingError extends coded(
  'SERVICE_SCOPE_MISSING',
  (needed: string, granted: readonly string[]) =>
    `This endpoint needs the scope "${needed}"; the key has ${granted.length === 0 ? 'none' : granted.join(', ')}.`,
) {}

/** No route has this path. `near` is a similar path of this service, if there is one. */
export class RouteNotFoundError extends coded(
  'SERVICE_ROUTE_NOT_FOUND',
  (method: string, path: string, near?: string) => {
    const problem = `There is nothing at ${method} ${path.slice(0, 200)}; the endpoints are listed at /docs.`;
    return near === undefined ? problem : `${problem} Did you mean ${near.slice(0, 200)}?`;
  },
) {}

/** The files of the console are missing. */
export class PageNotBuiltError extends coded('SERVICE_PAGE_NOT_BUILT', (cause: unknown) => ({
  message: 'The console is not built on this machine. `npm run build:page` builds it.',
  cause,
})) {}

/** The path exists, but not with this method. */
export class MethodNotFoundError extends coded(
  'SERVICE_METHOD_NOT_FOUND',
  (method: string, path: string, allowed: readonly string[]) => ({
    message: `${path.slice(0, 200)} does not take ${method}; it takes ${allowed.join(', ')}.`,
    allowed,
  }),
) {}

/** A node that runs jobs of a cluster was sent a request. */
export class WorkerNodeError extends coded(
  'SERVICE_WORKER_NODE',
  () => 'This node runs jobs and takes no requests; send them to the other nodes.',
) {}

/** Message of an id that does not exist: `There is no model "x"; the models are a, b. Did you mean a?` */
function unknownId(what: string, those: string) {
  return (id: string, known: readonly string[]) =>
    `There is no ${what} "${id.slice(0, 100)}"; ${those} ${known.join(', ')}.${didYouMean(id, known)}`;
}

/** No processor has this id. */
export class ProcessorNotFoundError extends coded(
  'SERVICE_PROCESSOR_NOT_FOUND',
  unknownId('processor', 'there are'),
) {}

/** There is no noise model of that id. */
export class NoiseModelNotFoundError extends coded(
  'SERVICE_NOISE_MODEL_NOT_FOUND',
  unknownId('noise model', 'there are'),
) {}

/** IonQ's interface has no such backend. */
export class IonqBackendNotFoundError extends CodedError {
  readonly code = 'SERVICE_IONQ_BACKEND_NOT_FOUND';
}

/** The job has no such result, or no results at all. */
export class IonqResultNotFoundError extends CodedError {
  readonly code = 'SERVICE_IONQ_RESULT_NOT_FOUND';
}

/** The key has no such session. */
export class IonqSessionNotFoundError extends coded(
  'SERVICE_IONQ_SESSION_NOT_FOUND',
  (id: string) => `There is no session ${JSON.stringify(id.slice(0, 100))} of this key.`,
) {}

/** A job of several circuits is cancelled and deleted as a whole. */
export class IonqCircuitOfJobError extends coded(
  'SERVICE_IONQ_CIRCUIT_OF_JOB',
  (id: string, jobId: string) =>
    `${id} is one circuit of job ${jobId}, which is cancelled or deleted as a whole.`,
) {}

/** The session has ended, or has all the jobs that it may have. */
export class IonqSessionEndedError extends coded(
  'SERVICE_IONQ_SESSION_ENDED',
  (id: string) =>
    `Session ${id} takes no further job: it has ended, or has reached its job_count_limit.`,
) {}

/** The processor is not a fleet and has no devices. */
export class NoDevicesError extends coded(
  'SERVICE_NO_DEVICES',
  (processorId: string, owners: readonly string[]) =>
    `Processor ${processorId} has no devices; ${owners.length === 0 ? 'none has' : `${owners.join(', ')} has`}.`,
) {}

/** No device of the fleet has this id. `first` and `last` are the lowest and highest id; undefined without devices. */
export class DeviceNotFoundError extends coded(
  'SERVICE_DEVICE_NOT_FOUND',
  (id: string, first: string | undefined, last: string | undefined) => {
    const known =
      first === undefined || last === undefined ? 'there are none' : `they are ${first} to ${last}`;
    return `There is no device "${id.slice(0, 100)}"; ${known}.`;
  },
) {}

/** The key has used up its requests of this window. */
export class RateLimitError extends coded(
  'SERVICE_RATE_LIMIT',
  (tier: string, limit: number, retryAfterS: number) => ({
    message: `The ${tier} tier allows ${limit} requests a minute; the next window opens in ${retryAfterS} s.`,
    retryAfterS,
  }),
) {}

/** The caller closed the connection before the answer was sent, so nobody reads this error. */
export class CallerGoneError extends coded('SERVICE_CALLER_GONE', () => 'The caller has gone.') {}

/** The address has used up its demo requests of this window. */
export class DemoRateLimitError extends coded(
  'SERVICE_DEMO_RATE_LIMIT',
  (limit: number, retryAfterS: number) => ({
    message: `The demo takes ${limit} requests a minute from one address; the next window opens in ${retryAfterS} s.`,
    retryAfterS,
  }),
) {}

/** The demo has as many requests in progress as it accepts, over all addresses. */
export class DemoBusyError extends coded('SERVICE_DEMO_BUSY', (limit: number) => ({
  message: `The demo runs ${limit} requests at once, and as many are under way. Try again.`,
  retryAfterS: 1,
})) {}

/** The model of the demo is not available. The message does not tell visitors why. */
export class DemoUnavailableError extends coded(
  'SERVICE_DEMO_UNAVAILABLE',
  (retryAfterS: number | undefined) => ({
    message: 'The demo is out of service just now. Try again later.',
    retryAfterS,
  }),
) {}

/** No model has this id. */
export class ModelNotFoundError extends coded(
  'SERVICE_MODEL_NOT_FOUND',
  unknownId('model', 'the models are'),
) {}

/** No agent has this id. */
export class AgentNotFoundError extends coded(
  'SERVICE_AGENT_NOT_FOUND',
  unknownId('agent', 'the agents are'),
) {}

/** No system has this id. */
export class SystemNotFoundError extends coded(
  'SERVICE_SYSTEM_NOT_FOUND',
  unknownId('system', 'the systems are'),
) {}

/** The key has as many jobs of this kind waiting or running as its tier allows. */
export class InFlightLimitError extends coded(
  'SERVICE_IN_FLIGHT_LIMIT',
  (tier: string, limit: number, what: string, retryAfterS: number) => ({
    message: `The ${tier} tier allows ${limit} ${what} that wait or run at once; the key has as many. Try again when one has ended.`,
    retryAfterS,
  }),
) {}

/** The key has used up its storage quota. */
export class StorageQuotaError extends coded(
  'SERVICE_STORAGE_QUOTA',
  (tier: Tier, storedBytes: number, limitBytes: number) => ({
    message: `The jobs and results of the key take ${mib(storedBytes)} MiB, and the ${tier} tier may store ${mib(limitBytes)} MiB (QCS_STORAGE_MIB_${tier.toUpperCase()}). Delete finished jobs; the service deletes old ones after a time (QCS_JOB_RETENTION_DAYS).`,
    retryAfterS: 60,
  }),
) {}

/** The database has reached its size limit. */
export class StorageFullError extends coded(
  'SERVICE_STORAGE_FULL',
  (storedBytes: number, limitBytes: number) => ({
    message: `The service takes no new work: its database has ${mib(storedBytes)} MiB and may have ${mib(limitBytes)} MiB (QCS_STORAGE_MIB). Finished jobs that are deleted make room; the service deletes old ones after a time (QCS_JOB_RETENTION_DAYS).`,
    retryAfterS: 60,
  }),
) {}

function mib(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}

/** The inputs of waiting and running jobs have reached their memory limit. */
export class WorkMemoryError extends coded(
  'SERVICE_WORK_MEMORY',
  (what: string, limitCharacters: number) => ({
    message: `The inputs of the ${what} that wait or run take as much memory as they may (${limitCharacters} characters). Try again when some have ended.`,
    retryAfterS: 5,
  }),
) {}

/** The key has as many event streams open as it may. */
export class TooManyStreamsError extends coded('SERVICE_TOO_MANY_STREAMS', (limit: number) => ({
  message: `A key may have ${limit} streams of events open at once. Try again when one has ended.`,
  retryAfterS: 1,
})) {}

/** One address sent too many requests with wrong keys. */
export class TooManyAttemptsError extends coded(
  'SERVICE_TOO_MANY_ATTEMPTS',
  (limit: number, retryAfterS: number) => ({
    message: `This request has no valid key, and more than ${limit} such requests came from its address within a minute. Wait ${retryAfterS} s, or send a valid key in X-API-Key.`,
    retryAfterS,
  }),
) {}

/** One address sent too many requests without a key for pages and documents. */
export class PublicRateLimitError extends coded(
  'SERVICE_PUBLIC_RATE_LIMIT',
  (limit: number, retryAfterS: number) => ({
    message: `One address may send ${limit} requests a minute without a key; the next window opens in ${retryAfterS} s.`,
    retryAfterS,
  }),
) {}

/** The job that the caller waited for failed; `jobCode` is its error code. */
export class JobFailedError extends coded(
  'SERVICE_JOB_FAILED',
  (location: string, jobCode: string, problem: string) => ({
    message: `The circuit was accepted but failed: ${problem}`,
    faults: [{ path: '', message: problem, code: jobCode }],
    jobCode,
    location,
  }),
) {}

/** The API key was revoked; this cannot be undone. */
export class KeyRevokedError extends coded(
  'SERVICE_KEY_REVOKED',
  (id: string) =>
    `The API key "${id}" was revoked, and a revoked key cannot be changed; make a new one.`,
) {}

/** The change would leave no key that can administer the service over HTTP. */
export class LastAdminKeyError extends coded(
  'SERVICE_LAST_ADMIN_KEY',
  (id: string) =>
    `The API key "${id}" is the last valid one with the scope "admin". Make another one first, or use qcs keys on the machine of the service.`,
) {}

/** No API key has this id. */
export class KeyNotFoundError extends coded(
  'SERVICE_KEY_NOT_FOUND',
  (id: string) => `There is no API key with the id "${id.slice(0, 100)}".`,
) {}
