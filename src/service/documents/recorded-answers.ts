/** Real answers of the service, which the OpenAPI document shows as examples (scripts/record-answers.ts). */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const recordedAnswers = z.object({
  /** By operation. Lists in them are cut short. */
  answers: z.record(
    z.string(),
    z.object({
      /** Path of the request, below /api/v1. */
      path: z.string(),
      status: z.int(),
      /** Not there where the answer had none. */
      body: z.unknown().optional(),
    }),
  ),
  /** By status. */
  errors: z.record(z.string(), z.unknown()),
});
/** Recorded answers. */
export type RecordedAnswers = z.output<typeof recordedAnswers>;

/** Reads them from the package. */
export function readRecordedAnswers(): RecordedAnswers {
  const file = new URL('../../../docs/recorded-answers.json', import.meta.url);
  return recordedAnswers.parse(JSON.parse(readFileSync(file, 'utf8')));
}
