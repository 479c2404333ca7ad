/** Backend, compilation and timing of a run as callers see them. */
import type { z } from 'zod';
import type { CompilationReport } from '../compiler/compile.ts';
import type { Backend, CircuitResult } from '../fleet/processor.ts';
import type { BackendView } from './schemas/circuits.ts';
import type { compilationFields } from './schemas/compilation.ts';

/** The engine and hardware that ran it. */
export function viewBackend(backend: Backend): BackendView {
  return {
    engine: backend.engine,
    execution: backend.execution,
    precision: backend.precision,
    hardware: backend.hardware,
    ...(backend.devices && { devices: [...backend.devices] }),
  };
}

/** The parts of its time. */
export function viewTiming({ queueMs, compileMs, executionMs }: CircuitResult['timing']) {
  return {
    queue_ms: milliseconds(queueMs),
    compile_ms: milliseconds(compileMs),
    execution_ms: milliseconds(executionMs),
  };
}

/** Microseconds are the finest that a clock tells. */
export function milliseconds(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Changes that compiling made. */
export function viewCompilation(report: CompilationReport): z.output<typeof compilationFields> {
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
