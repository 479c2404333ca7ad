/** Backend, compilation and timing of a run, in the form that callers see. */
import type { z } from 'zod';
import type { CompilationReport } from '../../compiler/compile.ts';
import type { GateFigures } from '../../compiler/report.ts';
import type { Backend, CircuitResult, DeviceBackend, Fitting } from '../../fleet/processor.ts';
import type {
  BackendView,
  compilationFields,
  deviceBackend,
  fittingFields,
} from './circuit-schema.ts';

/** Engine and hardware of a run. */
export function viewBackend(backend: Backend): BackendView {
  return {
    engine: backend.engine,
    execution: backend.execution,
    precision: backend.precision,
    hardware: backend.hardware,
    ...(backend.devices && { devices: [...backend.devices] }),
    ...(backend.emulates !== undefined && { emulates: backend.emulates }),
    ...(backend.servedBy !== undefined && { served_by: backend.servedBy }),
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

/** Hardware of a run. */
export function viewDeviceBackend(backend: DeviceBackend): z.output<typeof deviceBackend> {
  const { vendorJobId, ...rest } = backend;
  return { ...rest, vendor_job_id: vendorJobId };
}

/** Effects of fitting a circuit to a device. */
export function viewFitting(fitting: Fitting): z.output<typeof fittingFields> {
  const { swaps, initialLayout } = fitting;
  return { ...viewFigures(fitting), swaps, initial_layout: [...initialLayout] };
}

function viewFigures(figures: GateFigures) {
  return {
    gates: { before: figures.gatesBefore, after: figures.gatesAfter },
    depth: { before: figures.depthBefore, after: figures.depthAfter },
    two_qubit_gates: figures.twoQubitGates,
  };
}

/** Changes that the compiler made. */
export function viewCompilation(report: CompilationReport): z.output<typeof compilationFields> {
  return {
    ...viewFigures(report),
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
