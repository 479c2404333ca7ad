/** Schema of a Pauli term, one entry of an observable in JSON. */
import { z } from 'zod';
import { MAX_CIRCUIT_QUBITS } from './circuit-limits.ts';

/** Largest coefficient; sums of thousands of such terms do not overflow. */
export const MAX_COEFFICIENT = 1e100;

/** Characters of a Pauli string. */
export const MAX_PAULI_LENGTH = 4096;

/** A Pauli string and its coefficient. */
export const pauliTerm = z.strictObject({
  pauli: z
    .string()
    .max(MAX_PAULI_LENGTH)
    .describe('Pauli string, such as `Z0 Z1`; `I` is the identity'),
  coefficient: z
    .number()
    .min(-MAX_COEFFICIENT)
    .max(MAX_COEFFICIENT)
    .optional()
    .describe('Default 1'),
});

/** Label of a basis state. */
export const basisLabel = z
  .string()
  .max(MAX_CIRCUIT_QUBITS)
  .regex(/^(?:[01]+|0x[0-9a-fA-F]+)$/, 'must be bits, such as 0101, or a number such as 0x1f');
