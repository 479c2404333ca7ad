/** Everything that a procedure has access to while it runs: no clock, no random source, no network. */
import type { DynamicCircuit } from '../../circuit/circuit.ts';
import type { RunOutputs } from '../../fleet/run-outputs.ts';
import type { CircuitRequest } from '../../fleet/schedule/scheduled-run.ts';

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
   * Runs a circuit, or, if the request has `angles`, several that differ from it in angles and seeds, as
   * `Processor.run` does. Several run in chunks of a few hundredths of a second. Data derived from their shape is
   * cached by object identity: pass the same object each time.
   *
   * @returns The requested outputs, with a row for each circuit.
   * @throws {InvalidBatchError | TooManyOutcomesError} if a request for several circuits does not fit their shape.
   * @throws {CodedError} the processor's error; the signal's reason.
   */
  run(circuit: DynamicCircuit, request: CircuitRequest): Promise<RunOutputs>;
}

/** A runner without the widths of circuits that would run now. */
export type Runner = Pick<CircuitRunner, 'run'>;

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
