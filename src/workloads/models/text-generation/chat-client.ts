/**
 * Client of an OpenAI-compatible upstream.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 */

import { z } from 'zod';
import { UpstreamClient } from '../../../upstream/upstream-client.ts';
import { printable } from '../../../upstream/upstream-text.ts';
import type { CheckedTextRequest } from './text-request.ts';

/** Largest body of an answer after decompression, bytes. */
const MAX_BODY_BYTES = 1024 * 1024;
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

/** Client of one upstream. */
export class ChatClient {
  /** Host, with the port unless it is the protocol's default. */
  readonly host: string;
  readonly #upstream: UpstreamClient;

  constructor({ apiKey, ...options }: ChatClientOptions) {
    this.host = new URL(options.baseUrl).host;
    this.#upstream = new UpstreamClient({
      ...options,
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      secrets: [apiKey],
      maxBodyBytes: MAX_BODY_BYTES,
      isRefusal: (status) => REFUSALS.includes(status),
    });
  }

  /**
   * Names of the models that the upstream lists.
   *
   * @throws {UpstreamError}
   * @throws the signal's reason, soon after it aborts.
   */
  async models(signal: AbortSignal): Promise<readonly string[]> {
    const { data } = await this.#upstream.ask({ path: '/models' }, modelList, signal);
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
    const body = {
      model,
      messages: [{ role: 'user', content: input }],
      max_tokens: maxTokens,
      ...(temperature !== undefined && { temperature }),
      stream: false,
    };
    const answer = await this.#upstream.ask(
      { path: '/chat/completions', body },
      chatCompletion,
      signal,
    );
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
    this.#upstream.close();
  }
}

function finishReasonOf(reason: string | null | undefined): FinishReason {
  return reason === 'stop' || reason === 'length' || reason === 'content_filter' ? reason : 'other';
}

// Schemas for the answers. Further fields are ignored, because each implementation has its own. Optional information
// (`usage`, `model`) may be missing or malformed; the generated text may not.

const tokenCount = z.number().int().nonnegative();

/** Answer of `POST /chat/completions` without streaming. */
const chatCompletion = z.object({
  model: z.string().min(1).optional().catch(undefined),
  choices: z
    .array(
      z.object({
        // Null if no text was generated: a filter intervened, or reasoning used up all tokens.
        message: z.object({ content: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: z
    .object({ prompt_tokens: tokenCount, completion_tokens: tokenCount })
    .optional()
    .catch(undefined),
});

/** Answer of `GET /models`; some implementations write null for an empty list. */
const modelList = z.object({
  data: z
    .array(z.object({ id: z.string().min(1) }))
    .nullable()
    .transform((models) => models ?? []),
});
