/** A device and a processor as the API describes them. */
import type { Device, Processor } from '../../../src/client/api-types.ts';

/** An idle share of a CPU, unless changed. */
export function device(changes: Partial<Device>): Device {
  return {
    id: 'gpu-07',
    node: 'node-0',
    slot: 7,
    modelled: true,
    backing: { kind: 'cpu', name: 'EPYC', software: true, shared_by: 48 },
    memory_bytes: 2 ** 28,
    max_qubits: 24,
    available: true,
    checked_at: '2026-01-02T03:04:05.678Z',
    queue_depth: 0,
    busy: false,
    expected_wait_ms: 0,
    counters: { completed: 0, failed: 0, lost: 0, busy_ms: 0 },
    utilisation: { fraction: 0, basis: 'measured', since: '2026-01-02T00:00:00.000Z' },
    ...changes,
  };
}

/** A simulator that is available, unless changed. */
export function processor(changes: Partial<Processor>): Processor {
  return {
    id: 'statevector-sim',
    name: 'Statevector simulator',
    family: 'statevector',
    available: true,
    checked_at: '2026-01-02T03:04:05.678Z',
    qubits: 24,
    max_qubits: 24,
    max_shots: 1000,
    max_gates: 1000,
    precision: 'f64',
    execution: 'cpu',
    queue_depth: 0,
    expected_wait_ms: 0,
    ...changes,
  };
}
