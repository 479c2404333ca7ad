/** Backend, compilation and timing of a run, in the form that callers see. */
import type { z } from 'zod';
import type { CompilationReport } from '../compiler/compile.ts';
import type { Backend, CircuitResult } from '../fleet/processor.ts';
import type { BackendView, compilationFields } from './schemas/circuits.ts';

/** Engine and hardware of a run. */
export function viewBackend(backend: Backend): BackendView {
  return {
    engine: backend.engine,
    execution: backend.execution,
    precision: backend.precision,
    hardware: backend.hardware,
    ...(backend.devices && { devices: [...backend.devices] }),
  };
}

/** Parts of a run's time. */
export function viewTiming({ queueMs, compileMs, executionMs }: CircuitResult['timing']) {
  return {
    queue_ms: milliseconds(queueMs),
    compile_ms: milliseconds(compileMs),
    execution_ms: milliseconds(executionMs),
  };
}

/** Rounds milliseconds to microseconds, the resolution of the clock. */
export function milliseconds(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Changes that the compiler made. */
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
