/** What a procedure is given while it runs. It reaches nothing else: no clock, no chance, no network. */
import type { Circuit } from '../../circuit/circuit.ts';
import type { PauliSum } from '../../circuit/observable.ts';
import type { BatchRequest, BatchResult } from '../../engine/batch-request.ts';
import type { RunResult } from '../../engine/engine.ts';

/** What to compute of one circuit; only what is asked for comes back. */
export interface CircuitRequest {
  /** None unless given. */
  readonly shots?: number;
  /** Integer in [0, 2^53 − 1]; 0 unless given. */
  readonly seed?: number;
  /** The state before the trailing measurements. */
  readonly statevector?: boolean;
  /** Exact distribution over the classical bits. */
  readonly probabilities?: boolean;
  /** Exact expectation values. */
  readonly observables?: readonly PauliSum[];
}

/**
 * Runs circuits on a processor of the service, in fair turns with all other work. Which processor it is
 * the caller chose, or it is the first available one, double precision preferred. What ran them is noted
 * for the job's record.
 */
export interface CircuitRunner {
  /** Width of the largest circuit that would run now. */
  readonly maxQubits: number;
  /**
   * One circuit, measured as it is written: `shots` draws its classical bits.
   *
   * @throws {CodedError} what the processor throws; the signal's reason.
   */
  run(circuit: Circuit, request: CircuitRequest): Promise<RunResult>;
  /**
   * Circuits of one shape that differ in angles and seeds, as one task; at most 12 qubits, measurements
   * last. What is told of a shape is kept as long as the object is: send the same object each time.
   *
   * @throws as `run`.
   */
  runBatch(shape: Circuit, request: BatchRequest): Promise<BatchResult>;
}

/** A procedure's surroundings for one run. */
export interface ProcedureContext {
  readonly circuits: CircuitRunner;
  /** For all chance of the run, unless the input names its own: integer in [0, 2^53 − 1]. */
  readonly seed: number;
  /**
   * Says how far the work is; may be called as often as is handy.
   *
   * @param fraction - In [0, 1]; going backwards is ignored.
   * @param message - What is being done, for people.
   */
  readonly progress: (fraction: number, message?: string) => void;
  /**
   * How many units of work the run has done, where it does many of one kind (circuits, rows, steps);
   * rates are measured from it. Without a call a run counts as one.
   */
  readonly countUnits: (units: number) => void;
  /** Aborts when the job is cancelled or its time is over; the process is ended soon after. */
  readonly signal: AbortSignal;
}
