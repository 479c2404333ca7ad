/**
 * HTTP client of an OpenAI-compatible upstream. Answers are bounded in time and size and validated; every
 * failure becomes an UpstreamError.
 *
 * Errors never quote the upstream, except its reason for refusing a request, which the caller needs.
 * Redirects are not followed: they could send prompts and the API key to a host that the operator did not
 * choose. (`manual` rather than `error`, so that a redirect can be told from a failed connection.)
 */
import type { z } from 'zod';
import { UpstreamError, UpstreamRefusedError } from '../../errors.ts';
import { chatCompletion, errorBody, modelList } from './chat-answers.ts';
import type { CheckedTextRequest } from './text-request.ts';
import { TimeLimit } from './time-limit.ts';
import { printable, retryAfterSeconds, withoutSecrets } from './upstream-text.ts';

/** Largest body of an answer after decompression, bytes. */
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_REASON_LENGTH = 300;
const MAX_MODEL_NAME_LENGTH = 200;
/** Statuses that blame the request rather than the service or its credentials. */
const REFUSALS: readonly number[] = [400, 413, 422];

/** Reason why the upstream stopped. */
export type FinishReason = 'stop' | 'length' | 'content_filter' | 'other';

/** Text that an upstream wrote. */
export interface ChatAnswer {
  readonly text: string;
  readonly finishReason: FinishReason;
  /** The upstream's name of the model. */
  readonly upstreamModel: string;
  /** Token counts as the upstream reports them; absent if it does not. */
  readonly usage?: { readonly promptTokens: number; readonly completionTokens: number };
}

/** Address and settings of the upstream. */
export interface ChatClientOptions {
  /** Base URL without a trailing slash: `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** Time limit of one request, from connecting to the last byte of the answer, milliseconds. */
  readonly timeoutMs: number;
  /** Current time, milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** Status, headers and body of an answer; a body that is neither used nor quoted is not read. */
interface RawAnswer {
  readonly response: Response;
  readonly body: Uint8Array | undefined;
}

/** Client of one upstream. */
export class ChatClient {
  /** Host, with the port unless it is the protocol's default. */
  readonly host: string;
  readonly #options: ChatClientOptions;
  readonly #underWay = new Set<TimeLimit>();

  constructor(options: ChatClientOptions) {
    this.host = new URL(options.baseUrl).host;
    this.#options = options;
  }

  /**
   * Names of the models that the upstream lists.
   *
   * @throws {UpstreamError}
   * @throws the signal's reason, soon after it aborts.
   */
  async models(signal: AbortSignal): Promise<readonly string[]> {
    const { data } = await this.#ask('/models', undefined, modelList, signal);
    return data.map(({ id }) => id);
  }

  /**
   * Requests a chat completion.
   *
   * @throws {UpstreamError}
   * @throws {UpstreamRefusedError} if the upstream blames the request.
   * @throws the signal's reason, soon after it aborts; the upstream's connection is closed then.
   */
  async complete(
    model: string,
    { input, maxTokens, temperature }: CheckedTextRequest,
    signal: AbortSignal,
  ): Promise<ChatAnswer> {
    const request = {
      model,
      messages: [{ role: 'user', content: input }],
      max_tokens: maxTokens,
      ...(temperature !== undefined && { temperature }),
      stream: false,
    };
    const answer = await this.#ask('/chat/completions', request, chatCompletion, signal);
    const [choice] = answer.choices;
    if (choice === undefined) throw new Error('unreachable: the schema asks for one choice');
    const { usage } = answer;
    return {
      text: choice.message.content ?? '',
      finishReason: finishReasonOf(choice.finish_reason),
      upstreamModel: printable(answer.model ?? model, MAX_MODEL_NAME_LENGTH),
      ...(usage !== undefined && {
        usage: { promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens },
      }),
    };
  }

  /** Closes the connections of requests in flight, which then fail. */
  close(): void {
    for (const limit of this.#underWay) limit.abort();
  }

  async #ask<Schema extends z.ZodType>(
    path: string,
    body: unknown,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> {
    const answer = await this.#exchange(path, body, signal);
    if (answer.response.ok && answer.body !== undefined) return parse(answer.body, schema);
    throw this.#failureOf(answer);
  }

  /** Sends a request. Every error that it throws is coded, except the signal's reason. */
  async #exchange(path: string, body: unknown, signal: AbortSignal): Promise<RawAnswer> {
    const { baseUrl, timeoutMs } = this.#options;
    using limit = new TimeLimit(timeoutMs, signal);
    this.#underWay.add(limit);
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: this.#headers(),
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'manual',
        signal: limit.signal,
      });
      return { response, body: await readWhereUsed(response) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof UpstreamError) throw error;
      if (limit.isOver) throw new UpstreamError({ kind: 'timed-out', limitMs: timeoutMs });
      throw new UpstreamError({ kind: 'not-reached', how: systemCodeOf(error) });
    } finally {
      this.#underWay.delete(limit);
    }
  }

  #headers(): Record<string, string> {
    const { apiKey } = this.#options;
    return {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    };
  }

  #failureOf({ response: { status, headers }, body }: RawAnswer): Error {
    if (REFUSALS.includes(status)) return new UpstreamRefusedError(status, this.#reasonIn(body));
    const retryAfterS = retryAfterSeconds(headers.get('retry-after'), this.#options.now());
    return new UpstreamError({ kind: 'status', status }, retryAfterS);
  }

  #reasonIn(body: Uint8Array | undefined): string | undefined {
    const parsed = errorBody.safeParse(body && jsonOf(body));
    if (!parsed.success) return undefined;
    const { apiKey, baseUrl } = this.#options;
    // The error omits the address and the key, which only the operator may see.
    const told = withoutSecrets(parsed.data, [
      apiKey,
      baseUrl,
      this.host,
      new URL(baseUrl).hostname,
    ]);
    const reason = printable(told, MAX_REASON_LENGTH);
    return reason === '' ? undefined : reason;
  }
}

async function readWhereUsed(response: Response): Promise<Uint8Array | undefined> {
  if (response.ok || REFUSALS.includes(response.status)) return readBounded(response);
  await response.body?.cancel();
  return undefined;
}

/** Reads the whole body; closes the connection if the body exceeds the limit. */
async function readBounded({ body }: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let numBytes = 0;
  for await (const chunk of body ?? []) {
    numBytes += chunk.length;
    // Leaving the loop cancels the stream.
    if (numBytes > MAX_BODY_BYTES) {
      throw new UpstreamError({ kind: 'too-large', limitBytes: MAX_BODY_BYTES });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse<Schema extends z.ZodType>(body: Uint8Array, schema: Schema): z.output<Schema> {
  const json = jsonOf(body);
  if (json === undefined) throw new UpstreamError({ kind: 'not-json' });
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  // Built from the schema's field names and indices only, so it never quotes the upstream.
  const path = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new UpstreamError({ kind: 'wrong-shape', path });
}

/** Parses JSON; undefined if the text is not JSON. */
function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

function finishReasonOf(reason: string | null | undefined): FinishReason {
  return reason === 'stop' || reason === 'length' || reason === 'content_filter' ? reason : 'other';
}

/** The system's error code, such as `ECONNREFUSED`; messages may hold anything. */
function systemCodeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error) || !('code' in cause)) return undefined;
  const { code } = cause;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : undefined;
}
