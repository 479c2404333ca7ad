/** Fields of requests that limit Pauli propagation. */
import { z } from 'zod';

/** Most strings of an observable that a request may allow. */
export const MAX_PAULI_TERMS = 2 ** 22;

export const pauliFields = {
  approximate: z
    .boolean()
    .optional()
    .describe(
      'Whether pauli_propagation may leave Pauli strings out, which the answer bounds in truncation_error. Default false',
    ),
  max_terms: z
    .int()
    .min(1)
    .max(MAX_PAULI_TERMS)
    .optional()
    .describe(
      'Pauli propagation: most Pauli strings of an observable at a time. With more the run fails, or if approximate the smallest are left out. Default 1048576',
    ),
  min_coefficient: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      'Pauli propagation, if approximate: strings whose absolute coefficient is smaller are left out. Default 0',
    ),
  max_weight: z
    .int()
    .min(1)
    .optional()
    .describe('Pauli propagation, if approximate: strings on more qubits are left out'),
};
