/**
 * An OpenAI-compatible upstream over HTTP: a request goes out, what comes back is bounded in time and
 * size and checked, and everything else becomes an UpstreamError that says what happened.
 *
 * Nothing that the upstream wrote gets into an error, except the reason for a request it refuses,
 * which its caller needs. Redirects are not followed: they could send prompts and the key to where
 * the operator never pointed. (`manual` rather than `error`, so that they can be told from a
 * connection that failed.)
 */
import type { z } from 'zod';
import { UpstreamError, UpstreamRefusedError } from '../../errors.ts';
import { chatCompletion, errorBody, modelList } from './chat-answers.ts';
import type { CheckedTextRequest } from './text-request.ts';
import { TimeLimit } from './time-limit.ts';
import { printable, retryAfterSeconds, withoutSecrets } from './upstream-text.ts';

/** Largest body of an answer, as it is after decompression. */
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_REASON_LENGTH = 300;
const MAX_MODEL_NAME_LENGTH = 200;
/** Statuses that say that the request is at fault, rather than the service or its credentials. */
const REFUSALS: readonly number[] = [400, 413, 422];

/** Why the upstream wrote no further. */
export type FinishReason = 'stop' | 'length' | 'content_filter' | 'other';

/** Text that an upstream wrote. */
export interface ChatAnswer {
  readonly text: string;
  readonly finishReason: FinishReason;
  /** The model as the upstream names it. */
  readonly upstreamModel: string;
  /** As the upstream counts them; absent where it does not. */
  readonly usage?: { readonly promptTokens: number; readonly completionTokens: number };
}

/** Where the upstream is and how it is asked. */
export interface ChatClientOptions {
  /** Without a slash at its end: `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** Time limit of one request, from connecting to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** An answer's status, headers and body; the body of one that is neither used nor quoted is not read. */
interface RawAnswer {
  readonly response: Response;
  readonly body: Uint8Array | undefined;
}

/** Asks one upstream. */
export class ChatClient {
  /** Host and, where it is not the protocol's own, port. */
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
   * Has the upstream's model write text.
   *
   * @throws {UpstreamError}
   * @throws {UpstreamRefusedError} if the upstream says that the request is at fault.
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

  /** Closes the connections of requests under way, which fail. */
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

  /** The part that touches the network: what it throws, other than the signal's reason, is coded. */
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
    // Where it is, and what opens it, are the operator's alone.
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

/** The whole body; past the bound the connection is closed, whatever else would have come. */
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
  // Made of the schema's names and of indices; what the upstream wrote is not in it.
  const path = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new UpstreamError({ kind: 'wrong-shape', path });
}

/** Undefined when it is no JSON, which has no such value itself. */
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

/** The system's word for a failed connection, `ECONNREFUSED`; messages may hold anything. */
function systemCodeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error) || !('code' in cause)) return undefined;
  const { code } = cause;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : undefined;
}
