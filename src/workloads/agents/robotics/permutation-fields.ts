/** Fields that both tasks of the robotics agent have. */
import { z } from 'zod';
import { seedField, shotsField } from '../../procedures/input-fields.ts';

/** Rounds of phases and mixing. */
export const MAX_LAYERS = 4;
/** Samples of the final circuit. */
export const MAX_SHOTS = 100_000;
/** Costs and distances are at most so large. */
export const MAX_COST = 1e9;

/** How the circuit is made and sampled. */
export const qaoaFields = {
  layers: z
    .int()
    .min(1)
    .max(MAX_LAYERS)
    .default(2)
    .describe('Number of QAOA layers, each a phase and a mixing step; default 2'),
  shots: shotsField(MAX_SHOTS, 1_024).describe(
    'Number of samples of the final circuit; default 1024',
  ),
  seed: seedField,
};
