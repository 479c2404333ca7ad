/**
 * What an OpenAI-compatible upstream answers, as far as it is read.
 *
 * Fields beside these are passed over, because each implementation has its own. What an answer does
 * not need to be used (`usage`, `model`) may be missing or malformed; what it is for may not.
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
        // Null where nothing was written: by a filter, or because reasoning used up all tokens.
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

/** The forms that an error's body has in the wild, read as its text; the first one is OpenAI's. */
export const errorBody = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
]);
