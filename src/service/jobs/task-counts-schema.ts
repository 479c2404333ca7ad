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
      .describe(
        'Errors per kept shot, or of stratified shots the sum over strata; null while no shot is kept',
      ),
    interval: z
      .tuple([z.number(), z.number()])
      .nullable()
      .describe(
        "Wilson's interval of the logical error rate at 95 %, or of stratified shots that which follows from those of the strata",
      ),
    decoder,
    seed: z.int(),
    strong_id: z
      .string()
      .describe('SHA-256 of the task, in hexadecimal digits: rows of one problem have one id'),
    metadata: z.unknown().optional(),
    sampling: z
      .strictObject({
        method: z.literal('stratified'),
        num_faults: z.int().describe('Independent errors that may happen'),
        mean_faults: z.number().describe('Independent errors that happen in a shot, on average'),
        min_faults: z.int().describe('Fewer faults are taken as corrected, as the request says'),
        omitted_probability: z
          .number()
          .describe(
            'Probability of the numbers of faults, from min_faults on, that no shot was taken of; it is in the upper bound of the interval',
          ),
        strata: z.array(
          z.strictObject({
            faults: z.int(),
            probability: z.number().describe('That a shot has so many faults'),
            shots: z.int(),
            errors: z.int(),
            sets: z
              .int()
              .optional()
              .describe('Sets of so many faults, where each is looked at once and none is drawn'),
            error_probability: z
              .number()
              .optional()
              .describe('With sets: probability of those with errors, given so many faults'),
          }),
        ),
      })
      .optional()
      .describe('Counts by the number of faults, where shots are stratified'),
  })
  .meta({ id: 'TaskCounts' });
export type TaskCountsFields = z.output<typeof taskCounts>;

/** Fields that a kind of job adds to its progress events. */
export interface ProgressFields {
  readonly tasks?: TaskCountsFields[];
}
