/** Schema of the compiler's report, a part of the answers to compiling and to running. */
import { z } from 'zod';

const gateNumbers = z.strictObject({ before: z.int(), after: z.int() });

/** The compiler's report. */
export const compilationFields = z.strictObject({
  gates: gateNumbers,
  depth: gateNumbers,
  two_qubit_gates: gateNumbers.describe('Number of gates on two qubits, controls included'),
  passes: z
    .array(z.strictObject({ name: z.string(), operations: gateNumbers }))
    .describe('Compiler passes in order, with the number of operations after each'),
  kernels: z.int().describe('Number of kernels that the remaining gates were compiled to'),
  fused_blocks: z.int().describe('Number of kernels that combine more than one gate'),
  bytes_moved: z
    .number()
    .describe('Estimate: the state is read and written once for each sweep and exchange'),
  sweeps: z.int().describe('Number of times that the tiled program reads and writes the state'),
});
