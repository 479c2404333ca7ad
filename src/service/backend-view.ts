/** What ran something and how long it took, as callers see it. */
import type { Backend, CircuitResult } from '../fleet/processor.ts';
import type { BackendView } from './schemas/circuits.ts';

/** What really ran it. */
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
