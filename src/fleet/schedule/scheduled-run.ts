/** A run as the scheduler sees it: whose it is, how urgent, where it may run, and how much work it is. */
import {
  type DynamicCircuit,
  hasMidCircuitMeasurement,
  numOperationsOf,
} from '../../circuit/circuit.ts';
import { numFlipPatterns } from '../../circuit/observable.ts';
import { circuitCost } from '../../compiler/circuit-cost.ts';
import type { BatchRequest } from '../../engine/batch-request.ts';
import { MAX_BATCH_QUBITS } from '../../engine/batch-shape.ts';
import type { RunRequest } from '../../engine/engine.ts';
import { expectedUndecided } from '../../engine/exact-counts.ts';
import type { LaneId, Precision } from './lane.ts';

/** Urgency that the caller gave to a run, as it took effect. */
export type Priority = 'low' | 'normal' | 'high';

/** Tier of the API key. */
export type Tier = 'standard' | 'enterprise';

/** Hardware that may execute a run: the CPU, adapters, or adapters and the CPU where they do not take it. */
export type MayRunOn = 'cpu' | 'adapter' | 'adapter-or-cpu';

const LEVEL_OF_PRIORITY: Readonly<Record<Priority, number>> = { high: 0, normal: 2, low: 4 };

/** Level at which a run starts to wait; within a priority, Enterprise work is ahead. */
export function levelOf(priority: Priority, tier: Tier): number {
  return LEVEL_OF_PRIORITY[priority] + (tier === 'enterprise' ? 0 : 1);
}

/** A run that the scheduler places. */
export interface ScheduledRun {
  /** Unique among the runs that wait or run. */
  readonly id: string;
  /** The processor it was sent to. */
  readonly processor: string;
  /** The API key whose run it is. */
  readonly key: string;
  /** 0 to 5, as `levelOf` gives it; 0 goes first. */
  readonly level: number;
  readonly mayRunOn: MayRunOn;
  readonly precision: Precision;
  readonly work: RunWork;
  /** Whether it takes a place on devices of the fleet. */
  readonly needsDevice: boolean;
  /** Lanes that could not finish it. */
  readonly failedOn: ReadonlySet<LaneId>;
}

/** The facts that estimates of run times are made from. */
export interface RunWork {
  readonly numQubits: number;
  readonly numOperations: number;
  /** Cost of all gates by the compiler's cost model, for 2^26 amplitudes. */
  readonly gateCost: number;
  /** Whether shots may branch before the end, so that the number of states is not known. */
  readonly isBranching: boolean;
  readonly shots: number;
  /** Exact outputs that need trips of their own through the state. */
  readonly numReadouts: number;
  /** Circuits of a batch run, each of this work. Absent for one circuit. */
  readonly numCircuits?: number;
  /**
   * Part of the circuits of a batch run, 0 to 1, whose counts an adapter is expected to leave to double precision. It
   * runs these again on a thread of the CPU.
   */
  readonly undecided?: number;
}

/** The part of the work that the circuit decides; the request decides the rest. */
export type CircuitWork = Omit<RunWork, 'shots' | 'numReadouts' | 'numCircuits' | 'undecided'>;

/** Work of circuits that are on their way; admission and queue both ask for it. */
const known = new WeakMap<DynamicCircuit, CircuitWork>();

/** The work of a circuit. */
export function circuitWork(circuit: DynamicCircuit): CircuitWork {
  let work = known.get(circuit);
  if (work === undefined) {
    work = {
      numQubits: circuit.numQubits,
      numOperations: numOperationsOf(circuit),
      gateCost: circuitCost(circuit),
      isBranching: hasMidCircuitMeasurement(circuit),
    };
    known.set(circuit, work);
  }
  return work;
}

/** The work of a run. */
export function runWork(circuit: CircuitWork, request: Omit<RunRequest, 'onProgress'>): RunWork {
  const { shots, statevector = false, probabilities = false } = request;
  const numReadouts = Number(statevector) + Number(probabilities) + numObserved(request);
  return { ...circuit, shots, numReadouts };
}

/** The work of a batch of circuits. */
export function batchWork(shape: CircuitWork, request: BatchRequest): RunWork {
  const { shots = 0, statevectors = false, probabilities = false } = request;
  const numReadouts = Number(statevectors) + Number(probabilities) + numObserved(request);
  const isExact = shots > 0 && shape.numQubits <= MAX_BATCH_QUBITS;
  return {
    ...shape,
    shots,
    numReadouts,
    numCircuits: request.numCircuits,
    ...(isExact && { undecided: expectedUndecided(shape, shots) }),
  };
}

/** Trips for observables. A variance reads the state for each set of flipped qubits, and writes another. */
function numObserved({
  observables = [],
  variances = false,
}: Pick<RunRequest, 'observables' | 'variances'>): number {
  return (variances ? 3 : 1) * numFlipPatterns(observables);
}
