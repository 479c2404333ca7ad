/** What compiling changed, under the names of the wire. */
import type { z } from 'zod';
import type { CompilationReport } from '../../compiler/compile.ts';
import type { compilationFields as schema } from '../schemas/compilation.ts';

/** The report as answers show it. */
export function compilationFields(report: CompilationReport): z.output<typeof schema> {
  return {
    gates: { before: report.gatesBefore, after: report.gatesAfter },
    depth: { before: report.depthBefore, after: report.depthAfter },
    two_qubit_gates: report.twoQubitGates,
    passes: report.passes.map(({ name, operationsBefore, operationsAfter }) => ({
      name,
      operations: { before: operationsBefore, after: operationsAfter },
    })),
    kernels: report.kernels,
    fused_blocks: report.fusedBlocks,
    sweeps: report.sweeps,
    bytes_moved: report.bytesMoved,
  };
}
