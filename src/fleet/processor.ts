/** Processors, the targets of callers: their limits, the runs that they take, and their answers. */
import type { DynamicCircuit } from '../circuit/circuit.ts';
import type { StateMemory } from '../circuit/circuit-limits.ts';
import type { CompilationReport } from '../compiler/compile.ts';
import type { TargetProfile } from '../compiler/program.ts';
import type { RunRequest, RunResult } from '../engine/engine.ts';
import type { RunWork, Tier } from './schedule/scheduled-run.ts';
import type { BatchRunOutputs, BatchRunRequest } from './workers/sent-batch.ts';
import type { SerializedCircuit } from './workers/sent-circuit.ts';
import type { Reuse } from './workers/worker-messages.ts';

/** Identity and limits of a processor; those of a fleet change with what is well. */
export interface ProcessorSpec {
  readonly id: string;
  readonly name: string;
  readonly family: 'statevector' | 'gpu-fleet' | 'superconducting';
  readonly maxQubits: number;
  readonly maxShots: number;
  readonly maxGates: number;
  /** Rounds that a shot may take in loops on measured bits; the reader's default unless given. */
  readonly maxRounds?: number;
  /** Precision of the amplitudes as they are computed now; null for hardware. */
  readonly precision: 'f32' | 'f64' | null;
  /** Execution of circuits: a GPU through WebGPU, the CPU by design, or the CPU for want of a GPU. */
  readonly execution: 'webgpu' | 'cpu' | 'cpu-fallback' | 'hardware';
  /** Target profile of the compiler; null for hardware, which has no compiler here. */
  readonly target: TargetProfile | null;
  /** Memory that decides `maxQubits`; absent where something else does. */
  readonly stateMemory?: StateMemory;
  /** Set for a processor of the fleet: GPUs that are there and well, software adapters not counted. */
  readonly physicalGpus?: number;
  /** Set for a processor of the fleet: what its wide circuits run on now. */
  readonly adapters?: readonly AdapterInUse[];
}

/** An adapter that circuits run on. */
interface AdapterInUse {
  /** The driver's name for it. */
  readonly name: string;
  /** A driver that computes on the CPU; no GPU. */
  readonly isSoftware: boolean;
}

/** The outcome of the last self-test, and what an operator said since. */
export interface Availability {
  readonly available: boolean;
  /** Present when not available. */
  readonly reason?: string;
  /** Milliseconds since 1970 UTC. */
  readonly checkedAt: number;
  /** Seconds until it may be worth trying again, when that is known. */
  readonly retryAfterS?: number;
}

/** One circuit to run. */
export interface CircuitRun {
  /** The job's id: queue positions and logs use it. */
  readonly id: string;
  readonly circuit: DynamicCircuit | SerializedCircuit;
  readonly request: Omit<RunRequest, 'onProgress'>;
  readonly priority: 'low' | 'normal' | 'high';
  /** The API key whose circuit it is: keys of one tier take turns. */
  readonly keyId: string;
  /** Tier of that key, when the circuit was sent. */
  readonly tier: Tier;
}

/** A batch: circuits of one shape, which differ in their angles and seeds, to run together. */
export interface BatchRun {
  /** The job's id, as for a circuit. */
  readonly id: string;
  /**
   * Its own angles do not matter. Facts about it are kept as long as the object is, so send a shape that comes often
   * as the same object.
   */
  readonly shape: DynamicCircuit;
  readonly request: BatchRunRequest;
  /** Id of an admitted run that keeps its place in the queue for this one, and is withdrawn by whoever sends both. */
  readonly partOf?: string;
  readonly priority: 'low' | 'normal' | 'high';
  /** The API key whose circuits they are. */
  readonly keyId: string;
  readonly tier: Tier;
}

/** Engine and hardware that really ran a circuit. */
export interface Backend {
  readonly engine: 'reference' | 'cpu' | 'webgpu';
  readonly execution: ProcessorSpec['execution'];
  readonly precision: 'f32' | 'f64';
  /** The adapter's name, or the CPU's. */
  readonly hardware: string;
  /** Devices of the fleet that it ran on; none for a processor that is no fleet. */
  readonly devices?: readonly string[];
}

/** Result of a circuit run. */
export interface CircuitResult {
  readonly run: RunResult;
  readonly compilation: CompilationReport;
  readonly reused: Reuse;
  readonly backend: Backend;
  /** Milliseconds; execution is evolution and sampling together. */
  readonly timing: {
    readonly queueMs: number;
    readonly compileMs: number;
    readonly executionMs: number;
  };
}

/** Result of a batch run. */
export interface BatchRunResult {
  readonly batch: BatchRunOutputs;
  readonly backend: Backend;
  /** Milliseconds; compiling is making the shape ready. */
  readonly timing: CircuitResult['timing'];
}

/** A circuit that is about to come, and what it takes. */
export interface ComingRun {
  readonly id: string;
  /** The API key whose circuit it is. */
  readonly keyId: string;
  readonly work: RunWork;
}

/** Callbacks that follow a run. */
export interface RunHooks {
  /** The run left the queue. */
  readonly onStarted?: () => void;
  /** Fraction done in [0, 1]. */
  readonly onProgress?: (fraction: number) => void;
  /** Its engine could not finish the run: it will run again from its beginning. */
  readonly onStartedOver?: () => void;
  /** The run was accepted before (it comes back after a restart), so a full queue takes it too. */
  readonly readmitted?: boolean;
}

/** Work waiting and under way. */
export interface ProcessorLoad {
  /** Runs that a new one would queue behind, over all processors that share the engines. */
  readonly queueDepth: number;
  readonly running: number;
  /** Until a small circuit submitted now would start, from the measured run times of recent ones. */
  readonly expectedWaitMs: number;
  /** Until a wide circuit submitted now would start; it needs all threads. */
  readonly expectedWideWaitMs: number;
}

/** A processor. */
export interface Processor {
  readonly spec: ProcessorSpec;
  availability(): Availability;
  load(): ProcessorLoad;
  /** Runs that will start before this one on its engines; undefined once it is not queued. */
  queuePosition(runId: string): number | undefined;
  /**
   * Expected start of a queued run, milliseconds since 1970 UTC; undefined once it is not queued, and while
   * it is not known.
   */
  expectedStart(runId: string): number | undefined;
  /**
   * Checks that a run would be taken now.
   *
   * @param run - Accepts this run: `run` takes it whatever happens until it comes.
   * @throws {ProcessorUnavailableError} when offline, failed its self-test or in maintenance.
   * @throws {CircuitTooLongError} if the run is expected to take longer than any may.
   * @throws {QueueFullError}
   */
  admit(run?: ComingRun): void;
  /** Withdraws an accepted run that does not come; has no effect on one that came or was not accepted. */
  withdraw(runId: string): void;
  /**
   * Queues a circuit and runs it when its turn comes.
   *
   * @throws {CircuitTooLargeError} if it has more qubits than the processor takes.
   * @throws {ProcessorUnavailableError | QueueFullError} as `admit`, unless accepted before.
   * @throws {EngineLostError} if its engine died, and died again on the retry.
   * @throws the signal's reason, soon after it aborts; the work really stops.
   */
  run(run: CircuitRun, hooks: RunHooks, signal: AbortSignal): Promise<CircuitResult>;
  /**
   * Queues a batch of circuits as one run, with one place in the queue, and runs it when its turn comes. Circuits of
   * up to 12 qubits run together where an engine's batches give what is asked for. Where counts are asked for and the
   * processor may use the CPU these are computed there, in double precision: row k has the counts that its circuit has
   * alone with its seed, if that has every qubit measured. Other circuits run one after the other, each as by itself.
   *
   * @throws {OutputNeedsFinalStateError} if more than counts are asked for and a measurement, reset or condition comes
   *   before the end.
   * @throws {InvalidBatchError | TooManyOutcomesError} if the request does not fit the shape.
   * @throws as `run`.
   */
  runBatch(run: BatchRun, hooks: RunHooks, signal: AbortSignal): Promise<BatchRunResult>;
  /** Takes the processor out of service, or back; what runs is finished, what waits keeps waiting. */
  setMaintenance(maintenance: { readonly reason: string } | undefined): void;
}
