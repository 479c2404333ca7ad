/** Schema of a Pauli term, one entry of an observable in JSON. */
import { z } from 'zod';

/** Largest coefficient; sums of thousands of such terms do not overflow. */
const MAX_COEFFICIENT = 1e100;

/** A Pauli string and its coefficient. */
export const pauliTerm = z.strictObject({
  pauli: z.string().max(4096).describe('Pauli string, such as `Z0 Z1`; `I` is the identity'),
  coefficient: z
    .number()
    .min(-MAX_COEFFICIENT)
    .max(MAX_COEFFICIENT)
    .optional()
    .describe('Default 1'),
});
