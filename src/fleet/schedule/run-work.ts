/** What there is to do for a circuit, as far as it decides how long a run takes. */
import type { Circuit } from '../../circuit/circuit.ts';
import { hasMidCircuitMeasurement } from '../../circuit/circuit.ts';
import { circuitCost } from '../../compiler/circuit-cost.ts';
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
}

/** What of the work is the circuit's; the rest is the request's. */
export type CircuitWork = Omit<RunWork, 'shots' | 'numReadouts'>;

/** The work of a circuit. */
export function circuitWork(circuit: Circuit): CircuitWork {
  return {
    numQubits: circuit.numQubits,
    numOperations: circuit.operations.length,
    gateCost: circuitCost(circuit),
    isBranching: hasMidCircuitMeasurement(circuit),
  };
}

/** The work of a run. */
export function runWork(circuit: CircuitWork, request: Omit<RunRequest, 'onProgress'>): RunWork {
  const { shots, statevector = false, probabilities = false, observables = [] } = request;
  const numTerms = observables.reduce((sum, terms) => sum + terms.length, 0);
  const numReadouts = Number(statevector) + Number(probabilities) + numTerms;
  return { ...circuit, shots, numReadouts };
}
