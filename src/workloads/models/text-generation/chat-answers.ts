/**
 * Schemas for the answers of an OpenAI-compatible upstream.
 *
 * Further fields are ignored, because each implementation has its own. Optional information (`usage`,
 * `model`) may be missing or malformed; the generated text may not.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 */
import { z } from 'zod';

const tokenCount = z.number().int().nonnegative();

/** Answer of `POST /chat/completions` without streaming. */
export const chatCompletion = z.object({
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
export const modelList = z.object({
  data: z
    .array(z.object({ id: z.string().min(1) }))
    .nullable()
    .transform((models) => models ?? []),
});
