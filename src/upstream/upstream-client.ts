/**
 * HTTP client of another service with a JSON interface. Answers are bounded in time and size and validated; every
 * failure becomes an UpstreamError, or an UpstreamRefusedError where the upstream blames the request.
 *
 * Errors never quote the upstream, except its reason for refusing a request, which the caller needs.
 * Redirects are not followed: they could send requests and credentials to a host that the operator did not
 * choose. (`manual` rather than `error`, so that a redirect can be distinguished from a failed connection.)
 */
import { z } from 'zod';
import { UpstreamError, UpstreamRefusedError } from './errors.ts';
import { TimeLimit } from './time-limit.ts';
import { printable, retryAfterSeconds, withoutSecrets } from './upstream-text.ts';

const MAX_REASON_LENGTH = 300;

/** Known forms of an error's body, each mapped to its text; the first is OpenAI's. */
const errorBody = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z
    .object({ errors: z.array(z.object({ message: z.string() })).min(1) })
    .transform(({ errors }) => errors.map(({ message }) => message).join(' ')),
  z.object({ message: z.string() }).transform(({ message }) => message),
]);

/** Address and settings of an upstream. */
export interface UpstreamOptions {
  /** Subject of error messages; `The upstream` unless given. */
  readonly who?: string;
  /** Base URL without a trailing slash: `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  /** Credentials and the like, for each request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Texts that messages never show. */
  readonly secrets: readonly (string | undefined)[];
  /** Time limit of one request, from connecting to the last byte of the answer, milliseconds. */
  readonly timeoutMs: number;
  /** Largest body of an answer after decompression, bytes. */
  readonly maxBodyBytes: number;
  /** Whether a status blames the request rather than the service or its credentials. */
  readonly isRefusal: (status: number) => boolean;
  /** Current time, milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** One request. */
export interface UpstreamRequest {
  /** POST if there is a body, GET otherwise, unless given. */
  readonly method?: 'GET' | 'POST';
  /** Below the base URL; with its query. */
  readonly path: string;
  /** Sent as JSON; a string as a form. */
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Status, headers and body of an answer; a body that is neither used nor quoted is not read. */
interface RawAnswer {
  readonly response: Response;
  readonly body: Uint8Array | undefined;
}

/** Client of one upstream. */
export class UpstreamClient {
  readonly #options: UpstreamOptions;
  readonly #underWay = new Set<TimeLimit>();

  constructor(options: UpstreamOptions) {
    this.#options = options;
  }

  /**
   * Sends a request and returns its answer.
   *
   * @throws {UpstreamError}
   * @throws {UpstreamRefusedError} if the upstream blames the request.
   * @throws the signal's reason, soon after it aborts; the upstream's connection is closed then.
   */
  async ask<Schema extends z.ZodType>(
    request: UpstreamRequest,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> {
    const { response, body } = await this.#exchange(request, signal);
    if (response.ok && body !== undefined) {
      return this.#parse(response.status === 204 ? {} : jsonOf(body), schema);
    }
    throw this.#failureOf({ response, body });
  }

  /** A text of the upstream as it may be shown: on one line, without the address and the secrets of the upstream. */
  shown(text: string, maxLength = MAX_REASON_LENGTH): string {
    const { baseUrl, secrets } = this.#options;
    const { host, hostname } = new URL(baseUrl);
    return printable(withoutSecrets(text, [...secrets, baseUrl, host, hostname]), maxLength);
  }

  /** Closes the connections of requests in flight, which then fail. */
  close(): void {
    for (const limit of this.#underWay) limit.abort();
  }

  /** Sends a request. Every error that it throws is coded, except the signal's reason. */
  async #exchange(request: UpstreamRequest, signal: AbortSignal): Promise<RawAnswer> {
    const { baseUrl, timeoutMs, headers } = this.#options;
    const { path, body, method = body === undefined ? 'GET' : 'POST' } = request;
    const isForm = typeof body === 'string';
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
    using limit = new TimeLimit(timeoutMs, signal);
    this.#underWay.add(limit);
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': type }),
          ...headers,
          ...request.headers,
        },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
        redirect: 'manual',
        signal: limit.signal,
      });
      return { response, body: await this.#readWhereUsed(response) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof UpstreamError) throw error;
      if (limit.isOver) throw this.#error({ kind: 'timed-out', limitMs: timeoutMs });
      throw this.#error({ kind: 'not-reached', how: systemCodeOf(error) });
    } finally {
      this.#underWay.delete(limit);
    }
  }

  #error(...[fault, retryAfterS]: ConstructorParameters<typeof UpstreamError>): UpstreamError {
    return new UpstreamError(fault, retryAfterS, this.#options.who);
  }

  #failureOf({ response: { status, headers }, body }: RawAnswer): Error {
    const { isRefusal, now, who } = this.#options;
    if (isRefusal(status)) return new UpstreamRefusedError(status, this.#reasonIn(body), who);
    const retryAfterS = retryAfterSeconds(headers.get('retry-after'), now());
    return this.#error({ kind: 'status', status }, retryAfterS);
  }

  #reasonIn(body: Uint8Array | undefined): string | undefined {
    const parsed = errorBody.safeParse(body && jsonOf(body));
    if (!parsed.success) return undefined;
    // The error omits the address and the credentials, which only the operator may see.
    const reason = this.shown(parsed.data);
    return reason === '' ? undefined : reason;
  }

  async #readWhereUsed(response: Response): Promise<Uint8Array | undefined> {
    if (response.ok || this.#options.isRefusal(response.status)) return this.#readBounded(response);
    await response.body?.cancel();
    return undefined;
  }

  /** Reads the whole body; closes the connection if the body exceeds the limit. */
  async #readBounded({ body }: Response): Promise<Uint8Array> {
    const { maxBodyBytes } = this.#options;
    const chunks: Uint8Array[] = [];
    let numBytes = 0;
    for await (const chunk of body ?? []) {
      numBytes += chunk.length;
      // Leaving the loop cancels the stream.
      if (numBytes > maxBodyBytes) {
        throw this.#error({ kind: 'too-large', limitBytes: maxBodyBytes });
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  #parse<Schema extends z.ZodType>(json: unknown, schema: Schema): z.output<Schema> {
    if (json === undefined) throw this.#error({ kind: 'not-json' });
    const parsed = schema.safeParse(json);
    if (parsed.success) return parsed.data;
    // Built from the schema's field names and indices only, so it never quotes the upstream.
    const path = parsed.error.issues[0]?.path.join('.') ?? '';
    throw this.#error({ kind: 'wrong-shape', path });
  }
}

/** Parses JSON; undefined if the text is not JSON. */
function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

/** The system's error code, such as `ECONNREFUSED`; messages may hold anything. */
function systemCodeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error) || !('code' in cause)) return undefined;
  const { code } = cause;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : undefined;
}
