/** What compiling changed: part of the answers to compiling and to running. */
import { z } from 'zod';

const gateNumbers = z.strictObject({ before: z.int(), after: z.int() });

/** The compiler's report. */
export const compilationFields = z.strictObject({
  gates: gateNumbers,
  depth: gateNumbers,
  two_qubit_gates: gateNumbers.describe('Gates on two qubits, controls counted'),
  passes: z
    .array(z.strictObject({ name: z.string(), operations: gateNumbers }))
    .describe("The compiler's passes in order, and the operations each left"),
  kernels: z.int().describe('What the gates that are left became'),
  fused_blocks: z.int().describe('Kernels that hold more than one gate'),
  bytes_moved: z
    .number()
    .describe('By a model: the state read and written once for each sweep and exchange'),
  sweeps: z.int().describe('Trips of the state through memory that the program needs with tiles'),
});
