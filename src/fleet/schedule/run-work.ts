/** What there is to do for a circuit, as far as it decides how long a run takes. */
import {
  type DynamicCircuit,
  hasMidCircuitMeasurement,
  numOperationsOf,
} from '../../circuit/circuit.ts';
import type { PauliSum } from '../../circuit/observable.ts';
import { circuitCost } from '../../compiler/circuit-cost.ts';
import type { BatchRequest } from '../../engine/batch-request.ts';
import type { RunRequest } from '../../engine/engine.ts';

/** The facts that estimates of run times are made from. */
export interface RunWork {
  readonly numQubits: number;
  readonly numOperations: number;
  /** Of all gates by the compiler's cost model, for 2^26 amplitudes. */
  readonly gateCost: number;
  /** Whether shots may part ways before the end, so that nobody knows how many states are run. */
  readonly isBranching: boolean;
  readonly shots: number;
  /** Exact outputs that need trips of their own through the state. */
  readonly numReadouts: number;
  /** Of a batch task: so many circuits, each of this work. Absent for one circuit. */
  readonly numCircuits?: number;
}

/** What of the work is the circuit's; the rest is the request's. */
export type CircuitWork = Omit<RunWork, 'shots' | 'numReadouts' | 'numCircuits'>;

/** The work of a circuit. */
export function circuitWork(circuit: DynamicCircuit): CircuitWork {
  return {
    numQubits: circuit.numQubits,
    numOperations: numOperationsOf(circuit),
    gateCost: circuitCost(circuit),
    isBranching: hasMidCircuitMeasurement(circuit),
  };
}

/** The work of a run. */
export function runWork(circuit: CircuitWork, request: Omit<RunRequest, 'onProgress'>): RunWork {
  const { shots, statevector = false, probabilities = false, observables = [] } = request;
  const numReadouts = Number(statevector) + Number(probabilities) + numTerms(observables);
  return { ...circuit, shots, numReadouts };
}

/** The work of a batch of circuits. */
export function batchWork(shape: CircuitWork, request: BatchRequest): RunWork {
  const { shots = 0, statevectors = false, probabilities = false, observables = [] } = request;
  const numReadouts = Number(statevectors) + Number(probabilities) + numTerms(observables);
  return { ...shape, shots, numReadouts, numCircuits: request.numCircuits };
}

function numTerms(observables: readonly PauliSum[]): number {
  return observables.reduce((sum, terms) => sum + terms.length, 0);
}
