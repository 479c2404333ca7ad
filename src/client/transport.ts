/**
 * HTTP requests of the client: the key, retries, and answers without their envelope.
 *
 * A request is sent again after a fault of the network and after 429, 502, 503 and 504, if sending it twice does
 * nothing twice. Other requests are sent again only after 429 and 503, with which the service says that it has
 * done nothing. The wait is what Retry-After says, or else doubles each time; a random part keeps clients apart
 * that were refused together.
 */
import {
  ApiError,
  apiErrorOf,
  ConnectionError,
  type QcsError,
  UnreadableAnswerError,
} from './errors.ts';
import { fieldsOf, parsedJson } from './json.ts';
import { packArray } from './packed-array.ts';

/** When and how often a request is sent again. */
export interface RetryOptions {
  /** Greatest number of repeats of one request; 5 by default, 0 for none. */
  readonly maxRetries?: number;
  /** First wait without a Retry-After header, milliseconds; 500 by default. It doubles each time. */
  readonly baseDelayMs?: number;
  /** Longest wait without a Retry-After header, milliseconds; 30,000 by default. */
  readonly maxDelayMs?: number;
  /** If the service asks for a longer wait, the request fails; milliseconds, 120,000 by default. */
  readonly maxRetryAfterMs?: number;
  /** Whether an error that may pass is worth a repeat; by default each is. */
  readonly isWorthRetrying?: (error: QcsError) => boolean;
}

/** A wait before a request is sent again. */
export interface RetryNotice {
  /** Reason of the wait. */
  readonly error: QcsError;
  /** Number of this repeat, from 1. */
  readonly retry: number;
  readonly delayMs: number;
}

/** Clock and chance. Tests replace them. */
export interface Surroundings {
  /** Milliseconds since any fixed moment. */
  readonly now: () => number;
  /** Random number, uniform in [0, 1). */
  readonly random: () => number;
  /** Resolves after the milliseconds; rejects with the signal's reason if that is aborted first. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Options of a client. */
export interface ClientOptions {
  /** Address of the service, such as `http://127.0.0.1:8080`; with or without `/api/v1`. */
  readonly baseUrl: string;
  /** API key. Only `GET /` and the public demo do without. */
  readonly key?: string | undefined;
  /** Sends requests in place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  readonly retry?: RetryOptions;
  /** Called before each wait for a repeat. */
  readonly onRetry?: (notice: RetryNotice) => void;
  readonly surroundings?: Surroundings;
}

/** A request, below /api/v1. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. Each Float64Array is sent as a packed array. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly retry?: RetryOptions | undefined;
  /** False if sending the request twice would do something twice. */
  readonly isRepeatable: boolean;
}

const RETRY: Required<RetryOptions> = {
  maxRetries: 5,
  baseDelayMs: 500,
  maxDelayMs: 30_000,
  maxRetryAfterMs: 120_000,
  isWorthRetrying: () => true,
};
/** Most random extension of a wait, as a part of the time that the service asks for. */
const JITTER = 0.1;
/** Codes of refusals that a repeat within minutes does not change, unless the answer says when. */
const LASTING = new Set([
  'FLEET_PROCESSOR_UNAVAILABLE',
  'SERVICE_DEMO_UNAVAILABLE',
  'SERVICE_STORAGE_FULL',
  'SERVICE_STORAGE_QUOTA',
  'WORKLOADS_MODEL_UNAVAILABLE',
  'WORKLOADS_UNAVAILABLE',
]);

/** Sends the requests of a client. */
export class Transport {
  /** Address without a trailing slash and without `/api/v1`. */
  readonly baseUrl: string;
  readonly surroundings: Surroundings;
  readonly #key: string | undefined;
  readonly #fetch: typeof globalThis.fetch;
  readonly retry: Required<RetryOptions>;
  readonly #onRetry: ((notice: RetryNotice) => void) | undefined;

  /** @throws {TypeError} if `baseUrl` is no address. */
  constructor(options: ClientOptions) {
    const { baseUrl, key, retry, onRetry, surroundings = SURROUNDINGS } = options;
    // Without a base URL a page asks the service that it came from.
    if (baseUrl !== '' && !/^https?:[/][/]./i.test(baseUrl)) {
      throw new TypeError(
        `baseUrl is "${baseUrl}"; it must be an address, such as "http://127.0.0.1:8080".`,
      );
    }
    this.baseUrl = baseUrl.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
    this.surroundings = surroundings;
    this.#key = key;
    // In browsers fetch must be called as a function, not as a method of this object.
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.retry = { ...RETRY, ...retry };
    this.#onRetry = onRetry;
  }

  /**
   * Sends a request, again where that may help, and returns `data` of the answer; undefined after 204.
   *
   * @throws {ApiError | ConnectionError | UnreadableAnswerError}
   */
  request(request: SentRequest): Promise<unknown> {
    return this.#repeated(request, (response) => this.#dataOf(response));
  }

  /**
   * Sends a request, again where that may help, and returns the bytes of the answer.
   *
   * @throws {ApiError | ConnectionError}
   */
  bytes(request: SentRequest): Promise<ArrayBuffer> {
    return this.#repeated(request, async (response) => {
      if (!response.ok) throw await this.refusal(response);
      return await response.arrayBuffer().catch((error: unknown) => {
        throw new ConnectionError(this.baseUrl, error);
      });
    });
  }

  /** Sends a request, again where that may help, and reads its answer. */
  async #repeated<T>(request: SentRequest, read: (response: Response) => Promise<T>): Promise<T> {
    const retry = { ...this.retry, ...request.retry };
    for (let numRetries = 0; ; numRetries++) {
      try {
        return await read(await this.send(request));
      } catch (error) {
        request.signal?.throwIfAborted();
        if (numRetries === retry.maxRetries || !mayPass(error, request)) throw error;
        const delayMs = retryDelayMs(error, numRetries, retry, this.surroundings.random());
        if (delayMs === undefined || !retry.isWorthRetrying(error)) throw error;
        this.#onRetry?.({ error, retry: numRetries + 1, delayMs });
        await this.surroundings.sleep(delayMs, request.signal);
      }
    }
  }

  /**
   * Sends a request once. The caller reads or cancels the body.
   *
   * @throws {ConnectionError} if no headers arrive.
   */
  async send({ method, path, headers, body, signal }: SentRequest): Promise<Response> {
    try {
      return await this.#fetch(`${this.baseUrl}/api/v1${path}`, {
        method,
        headers: {
          ...(this.#key !== undefined && { 'x-api-key': this.#key }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body, withPackedArrays) }),
        // A redirect is not followed: the key must not go to another host.
        redirect: 'manual',
        ...(signal && { signal }),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new ConnectionError(this.baseUrl, error);
    }
  }

  /** The error for an unsuccessful answer. */
  async refusal(response: Response): Promise<ApiError> {
    return apiErrorOf(response, await response.text().catch(() => ''));
  }

  async #dataOf(response: Response): Promise<unknown> {
    if (!response.ok) throw await this.refusal(response);
    if (response.status === 204) return undefined;
    const text = await response.text().catch((error: unknown) => {
      throw new ConnectionError(this.baseUrl, error);
    });
    const envelope = fieldsOf(parsedJson(text));
    if (envelope === undefined) throw new UnreadableAnswerError(this.baseUrl, 'it is not JSON');
    if (fieldsOf(envelope['data']) === undefined) {
      throw new UnreadableAnswerError(this.baseUrl, 'there is no `data`');
    }
    return envelope['data'];
  }
}

/** Whether the same request may be answered otherwise in a moment, and may be sent twice. */
function mayPass(
  error: unknown,
  { isRepeatable }: SentRequest,
): error is ApiError | ConnectionError {
  if (error instanceof ConnectionError) return isRepeatable;
  // A job that failed is an outcome: running it again may bring down another worker.
  if (!(error instanceof ApiError) || error.location !== undefined) return false;
  return (isRepeatable ? [429, 502, 503, 504] : [429, 503]).includes(error.status);
}

/** Milliseconds to wait before a repeat; undefined if that is too long, or no wait helps. */
function retryDelayMs(
  error: ApiError | ConnectionError,
  numRetries: number,
  { baseDelayMs, maxDelayMs, maxRetryAfterMs }: Required<RetryOptions>,
  chance: number,
): number | undefined {
  if (error instanceof ApiError) {
    const { retryAfterMs: askedMs, details } = error;
    if (askedMs !== undefined) {
      return askedMs > maxRetryAfterMs ? undefined : askedMs * (1 + JITTER * chance);
    }
    if (details.some(({ code }) => LASTING.has(code))) return undefined;
  }
  const doubledMs = Math.min(maxDelayMs, baseDelayMs * 2 ** numRetries);
  return (doubledMs * (1 + chance)) / 2;
}

/** Replacer of JSON.stringify. */
function withPackedArrays(_name: string, value: unknown): unknown {
  return value instanceof Float64Array ? packArray({ shape: [value.length], data: value }) : value;
}

/** Random number in [0, 1) of 32 bits. */
function random(): number {
  return (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32;
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}

const SURROUNDINGS: Surroundings = { now: () => performance.now(), random, sleep };
