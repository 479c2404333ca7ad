/** Schema of the counts of an experiment's task, in records and in events. */
import { z } from 'zod';
import { DECODERS } from '../../decoding/decoders.ts';

export const decoder = z.enum(DECODERS);

/** Counts of a task, with what follows from them. */
export const taskCounts = z
  .strictObject({
    task: z.int().describe('Number of the task in the request, from 0'),
    shots: z.int().describe('Shots taken, discarded ones included'),
    errors: z
      .int()
      .describe('Kept shots in which a logical observable is not as the decoder predicts'),
    discards: z.int().describe('Shots that post-selection discarded'),
    seconds: z.number().describe('Sampling and decoding, summed over all threads'),
    logical_error_rate: z
      .number()
      .nullable()
      .describe('Errors per kept shot; null while no shot is kept'),
    interval: z
      .tuple([z.number(), z.number()])
      .nullable()
      .describe("Wilson's interval of the logical error rate at 95 %"),
    decoder,
    seed: z.int(),
    strong_id: z
      .string()
      .describe('SHA-256 of the task, in hexadecimal digits: rows of one problem have one id'),
    metadata: z.unknown().optional(),
  })
  .meta({ id: 'TaskCounts' });
export type TaskCountsFields = z.output<typeof taskCounts>;

/** Fields that a kind of job adds to its progress events. */
export interface ProgressFields {
  readonly tasks?: TaskCountsFields[];
}
