/** Schemas of the noise models that circuits may name. */
import { z } from 'zod';
import { noiseModelSchema } from '../../circuit/noise/noise-model-schema.ts';

/** A noise model with its name and its origin. */
export const namedNoiseModel = z
  .strictObject({
    id: z.string().meta({ examples: ['ibm-fez'] }),
    description: z.string(),
    source: z.string().describe('Where the figures come from'),
    date: z
      .string()
      .optional()
      .describe('Day of the calibration that the figures come from, where it is known'),
    basis: z.literal('modelled').describe('The errors follow from a model of the device'),
    noise: noiseModelSchema.describe('The model in full, to copy and change'),
  })
  .meta({ id: 'NamedNoiseModel' });

/** All named noise models. */
export const noiseModelList = z.strictObject({ noise_models: z.array(namedNoiseModel) });

/** Path of one noise model. */
export const noiseModelParams = z.strictObject({ noise_model_id: z.string() });
