/** Recorded answers of the service, used as examples in the OpenAPI document (scripts/record-answers.ts). */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const recordedAnswers = z.object({
  /** Answers by operation, with shortened lists. */
  answers: z.record(
    z.string(),
    z.object({
      /** Path of the request, below /api/v1. */
      path: z.string(),
      status: z.int(),
      /** Absent if the answer had no body. */
      body: z.unknown().optional(),
    }),
  ),
  /** Error answers by status. */
  errors: z.record(z.string(), z.unknown()),
});
export type RecordedAnswers = z.output<typeof recordedAnswers>;

/** Reads the recorded answers from the package. */
export function readRecordedAnswers(): RecordedAnswers {
  const file = new URL('../../../docs/recorded-answers.json', import.meta.url);
  return recordedAnswers.parse(JSON.parse(readFileSync(file, 'utf8')));
}
