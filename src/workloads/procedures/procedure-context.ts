/** Everything that a procedure has access to while it runs: no clock, no random source, no network. */
import type { Circuit, DynamicCircuit } from '../../circuit/circuit.ts';
import type { PauliSum } from '../../circuit/observable.ts';
import type { RunResult } from '../../engine/engine.ts';
import type { RunOutputs } from '../../fleet/run-outputs.ts';
import type { BatchRunRequest, RunMethod } from '../../fleet/schedule/scheduled-run.ts';

/** Outputs to compute for one circuit; the result has only those requested. */
export interface CircuitRequest {
  /** Number of shots; none unless given. */
  readonly shots?: number;
  /** Integer in [0, 2^53 − 1]; 0 unless given. */
  readonly seed?: number;
  /** The state before the trailing measurements. */
  readonly statevector?: boolean;
  /** Distribution over the classical bits: exact, or by trajectories a mean over the shots. */
  readonly probabilities?: boolean;
  /** Expectation values: exact, or by trajectories means over the shots. */
  readonly observables?: readonly PauliSum[];
  /** By default trajectories for a circuit with noise, and otherwise one state. */
  readonly method?: RunMethod;
}

/**
 * Runs circuits on a processor of the service, scheduled fairly with all other work. The processor is the
 * one that the caller chose, else the first available one, double precision preferred. The job's record
 * lists the processors used.
 */
export interface CircuitRunner {
  /** Qubits of the widest circuit that would run now. */
  readonly maxQubits: number;
  /** Qubits of the widest circuit with noise that would run now; half as many as a density matrix. */
  readonly maxNoisyQubits: number;
  /**
   * Runs one circuit, with its measurements as written: `shots` samples its classical bits.
   *
   * @throws {CodedError} the processor's error; the signal's reason.
   */
  run(circuit: DynamicCircuit, request: CircuitRequest): Promise<RunResult>;
  /**
   * Runs circuits of one shape that differ in angles and seeds, as `Processor.run` does, in pieces of a few
   * hundredths of a second. Data derived from a shape is cached by object identity: pass the same object each time.
   *
   * @throws {InvalidBatchError | TooManyOutcomesError} if the request does not fit the shape.
   * @throws as `run`.
   */
  runBatch(shape: Circuit, request: BatchRunRequest): Promise<RunOutputs>;
}

/** The batches of a runner. */
export type CircuitBatches = Pick<CircuitRunner, 'runBatch'>;

/** A procedure's surroundings for one run. */
export interface ProcedureContext {
  readonly circuits: CircuitRunner;
  /** Seed of every random draw of the run, unless the input has its own: integer in [0, 2^53 − 1]. */
  readonly seed: number;
  /**
   * Reports progress; cheap, call it as often as is handy.
   *
   * @param fraction - In [0, 1]; a decrease is ignored.
   * @param message - Current step, for people.
   */
  readonly progress: (fraction: number, message?: string) => void;
  /**
   * Sets the number of units of work done, where a run does many of one kind (circuits, rows, steps);
   * rates are computed from it. A run that never calls this counts as one unit.
   */
  readonly countUnits: (units: number) => void;
  /** Aborts when the job is cancelled or its deadline passes; the process is killed soon after. */
  readonly signal: AbortSignal;
}
