/** Processors, the targets of callers: their limits, the runs that they take, and their answers. */
import type { DynamicCircuit } from '../circuit/circuit.ts';
import type { StateMemory } from '../circuit/circuit-limits.ts';
import type { NoiseModelObject } from '../circuit/noise/noise-model-schema.ts';
import type { CompilationReport } from '../compiler/compile.ts';
import type { Device } from '../compiler/device/device.ts';
import type { MedianTimes } from '../compiler/device/public-devices.ts';
import type { TargetProfile } from '../compiler/program.ts';
import type { GateFigures } from '../compiler/report.ts';
import type { Counts } from '../engine/engine.ts';
import type { ExecutionTimes, RunOutputs } from './run-outputs.ts';
import type { CircuitRequest, RunWork, Tier } from './schedule/scheduled-run.ts';
import type { Reuse } from './workers/worker-messages.ts';

/** Identity and limits of a processor; those of a fleet change with the state of its hardware. */
export interface ProcessorSpec {
  readonly id: string;
  readonly name: string;
  readonly family: 'statevector' | 'gpu-fleet' | 'qvm' | 'superconducting' | 'emulator';
  readonly maxQubits: number;
  /** Qubits of the widest circuit with noise, where that is not `maxQubits`. */
  readonly maxNoisyQubits?: number;
  /**
   * Qubits of the widest state in single precision, where `maxQubits` is for double precision. Density matrices that
   * are too wide for double precision are computed so.
   */
  readonly maxSingleQubits?: number;
  readonly maxShots: number;
  readonly maxGates: number;
  /** Rounds that a shot may take in loops on measured bits; the reader's default unless given. */
  readonly maxRounds?: number;
  /** Current precision of the amplitudes; null for hardware. */
  readonly precision: 'f32' | 'f64' | null;
  /** Execution of circuits: a GPU through WebGPU, the CPU by design, or the CPU for want of a GPU. */
  readonly execution: 'webgpu' | 'cpu' | 'cpu-fallback' | 'hardware';
  /** Target profile of the compiler; null for hardware, which has no compiler here. */
  readonly target: TargetProfile | null;
  /** Memory that decides `maxQubits`; absent where something else does. */
  readonly stateMemory?: StateMemory;
  /** Set for a processor of the fleet: GPUs that are there and well, software adapters not counted. */
  readonly physicalGpus?: number;
  /** Set for a processor of the fleet: the current hardware of its wide circuits. */
  readonly adapters?: readonly AdapterInUse[];
  /** Set for a device and its emulation: the description that circuits must fit. */
  readonly device?: DeviceSpec;
}

/** Device of a processor. */
export interface DeviceSpec extends Device {
  /** Set for an emulated device. */
  readonly emulation?: Emulation;
  /** Set for hardware: most circuits of one job of the vendor. */
  readonly maxCircuits?: number;
  /** Whether results are those of a device, or of a model of one. */
  readonly basis: Basis;
  /** Source of the device's description. */
  readonly source: string;
  /** Day of the calibration that its figures come from, `YYYY-MM-DD`, if known. */
  readonly date?: string;
}

/** Emulation of a device. */
export interface Emulation {
  /** Most qubits that one circuit may use: as many as the simulator takes. */
  readonly maxUsedQubits: number;
  /** Noise of circuits in native gates, unless a caller gives another. */
  readonly noise: NoiseModelObject;
  /** Times that the device publishes, for compilers. */
  readonly times: MedianTimes;
}

/** Whether a figure was measured, or follows from a model of something that is not there. */
export type Basis = 'measured' | 'modelled';

/** Whether a processor runs any circuit that is narrow enough, on engines of this service. */
export function isSimulator({ spec }: { readonly spec: Pick<ProcessorSpec, 'family'> }): boolean {
  return spec.family === 'statevector' || spec.family === 'gpu-fleet';
}

/** An adapter that circuits run on. */
interface AdapterInUse {
  /** The driver's name for it. */
  readonly name: string;
  /** A driver that computes on the CPU; no GPU. */
  readonly isSoftware: boolean;
}

/** The outcome of the last self-test, and an operator's order since. */
export interface Availability {
  readonly available: boolean;
  /** Present when not available. */
  readonly reason?: string;
  /** Milliseconds since 1970 UTC. */
  readonly checkedAt: number;
  /** Seconds until it may be worth trying again, when that is known. */
  readonly retryAfterS?: number;
}

/** A circuit to run, or circuits of one shape, which differ in their angles and seeds, to run together. */
export interface CircuitRun {
  /** The job's id: queue positions and logs use it. */
  readonly id: string;
  /**
   * If the request has angles, the circuit's own do not matter. Facts about the circuit are then cached by object, so
   * send a shape that comes often as the same object.
   */
  readonly circuit: DynamicCircuit;
  readonly request: CircuitRequest;
  /** Id of an admitted run that keeps its place in the queue for this one, and that the sender of both withdraws. */
  readonly partOf?: string;
  readonly priority: 'low' | 'normal' | 'high';
  /** The API key whose circuit it is: keys of one tier take turns. */
  readonly keyId: string;
  /** Tier of that key, when the circuit was sent. */
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
  /** Name of the device that was emulated. */
  readonly emulates?: string;
  /** In a cluster, name of the node that ran it. */
  readonly servedBy?: string;
}

/** Result of a run. */
export interface CircuitResult {
  readonly outputs: RunOutputs;
  /** Set, as `reused`, for a circuit that came by itself. */
  readonly compilation?: CompilationReport;
  readonly reused?: Reuse;
  readonly backend: Backend;
  /** Milliseconds; compiling is making the circuit or its shape ready. */
  readonly timing: ExecutionTimes & { readonly queueMs: number; readonly compileMs: number };
}

/** Circuits to run on hardware as one job of the vendor. */
export interface DeviceRun {
  readonly id: string;
  /** Names the job at the vendor: the same after a restart, at most 40 characters. */
  readonly tag: string;
  /** Id of an accepted run of several jobs, of which this is one. */
  readonly partOf?: string;
  /** Shots of each circuit. */
  readonly shots: number;
  readonly priority: CircuitRun['priority'];
  readonly keyId: string;
  readonly tier: Tier;
  /** Fits the circuits to the current state of the device. Called when the run's turn comes. */
  readonly fit: () => Promise<FittedProgram>;
  /** Memory of the run, which survives a restart of the service. */
  readonly memory: {
    /** Resolves with the run that was saved last, perhaps by an earlier process. */
    readonly load: () => Promise<SavedRun | undefined>;
    /** Resolves once it is stored. */
    readonly save: (saved: SavedRun) => Promise<void>;
  };
  /** Whether an abort with this reason ends the job for good; otherwise the vendor's job is left for later. */
  readonly isCancelled: (reason: unknown) => boolean;
}

/** Circuits as their device executes them. */
export interface FittedProgram {
  /** At least one: OpenQASM 3 with the device's qubits and one register `c` of classical bits. */
  readonly circuits: readonly { readonly qasm: string; readonly numBits: number }[];
  /** Fitting of the first circuit. */
  readonly fitting: Fitting;
  /** Milliseconds of CPU time. */
  readonly fitMs: number;
}

/** Effects of fitting a circuit to a device. */
export interface Fitting extends GateFigures {
  readonly swaps: number;
  /** Qubit of the device on which each qubit of the circuit starts. */
  readonly initialLayout: readonly number[];
}

/** Saved state of a run on hardware. */
export interface SavedRun extends Omit<FittedProgram, 'circuits'> {
  /** Classical bits of each circuit. */
  readonly numBits: readonly number[];
  readonly vendor: string;
  readonly device: string;
  readonly basis: Basis;
  /** Absent while it is not known whether the vendor has the job: look for it by its tag first. */
  readonly vendorJobId?: string;
  /** From the run's arrival to its submission to the vendor, milliseconds. */
  readonly waitMs: number;
}

/** Hardware that ran a job of the vendor. */
export interface DeviceBackend {
  readonly execution: 'hardware';
  readonly vendor: string;
  readonly device: string;
  readonly vendorJobId: string;
  readonly basis: Basis;
}

/** Result of a run on hardware. */
export interface DeviceResult {
  /** Counts of each circuit. */
  readonly counts: readonly Counts[];
  /** Fitting of the first circuit. */
  readonly fitting: Fitting;
  readonly backend: DeviceBackend;
  /** Milliseconds; the queue includes the vendor's. Execution is the vendor's figure, where it has one. */
  readonly timing: {
    readonly queueMs: number;
    readonly vendorQueueMs?: number;
    readonly fitMs: number;
    readonly executionMs?: number;
  };
}

/** A vendor's report of its device. Times are milliseconds since 1970 UTC. */
export interface DeviceReport {
  readonly vendor: string;
  readonly device: string;
  /** Jobs that wait for the device, at the vendor. */
  readonly queueDepth?: number;
  readonly fetchedAt: number;
  readonly calibration?: Calibration;
}

/** Figures of a device's qubits and couplers. Errors are probabilities. */
export interface Calibration {
  readonly fetchedAt: number;
  readonly calibratedAt?: number;
  readonly qubits: readonly {
    readonly qubit: number;
    readonly t1Us?: number;
    readonly t2Us?: number;
    readonly readoutError?: number;
    /** Greatest error of a one-qubit gate. */
    readonly gateError?: number;
  }[];
  readonly couplers: readonly {
    readonly qubits: readonly [number, number];
    readonly gate: string;
    readonly gateError?: number;
  }[];
}

/** A circuit that is about to come, and its work. */
export interface ComingRun {
  readonly id: string;
  /** The API key whose circuit it is. */
  readonly keyId: string;
  readonly work: RunWork;
  /** All runs of its job, which are on one machine; absent where there is no other. */
  readonly together?: readonly RunWork[];
  /** Why it runs by its method, with the figures of each. */
  readonly methodReason: string;
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

/** Expectation of a run by itself. */
export interface ExpectedRun {
  /** Milliseconds on one engine. */
  readonly ms: number;
  /** Engines that run such runs at the same time; at least 1. */
  readonly numEngines: number;
}

/** Work waiting and under way. */
export interface ProcessorLoad {
  /** Runs that a new one would queue behind, over all processors that share the engines. */
  readonly queueDepth: number;
  readonly running: number;
  /**
   * Until a small circuit submitted now would start, from the measured run times of recent ones. Absent where nobody
   * knows: a vendor decides.
   */
  readonly expectedWaitMs?: number;
  /** Until a wide circuit submitted now would start; it needs all threads. Absent likewise. */
  readonly expectedWideWaitMs?: number;
}

/** A processor. */
export interface Processor {
  readonly spec: ProcessorSpec;
  availability(): Availability;
  load(): ProcessorLoad;
  /** How a run is expected to go by itself; undefined where nothing takes it. */
  expectedRun(work: RunWork): ExpectedRun | undefined;
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
   * Queues a run, with one place in the queue, and runs it when its turn comes.
   *
   * Circuits of one shape of up to 12 qubits run together if an engine's batches give the requested outputs. Counts are
   * computed on the CPU, in double precision, if the processor may use it: row k has the counts that its circuit has
   * alone with its seed, if that has every qubit measured. Other circuits run one after the other, each as by itself.
   *
   * @throws {CircuitTooLargeError} if it has more qubits than the processor takes.
   * @throws {ProcessorUnavailableError | QueueFullError} as `admit`, unless accepted before.
   * @throws {EngineLostError} if its engine died, and died again on the retry.
   * @throws {InvalidBatchError | TooManyOutcomesError} if a request for several circuits does not fit their shape.
   * @throws {OutputNeedsFinalStateError} if it asks for more than counts of several circuits with a measurement, reset
   *   or condition before the end.
   * @throws the signal's reason, soon after it aborts; the work really stops.
   */
  run(run: CircuitRun, hooks: RunHooks, signal: AbortSignal): Promise<CircuitResult>;
  /**
   * Set for hardware, where circuits run as jobs of the vendor: fits circuits to the device, has the vendor run them
   * and returns their counts. Hardware takes nothing by `run`.
   *
   * @throws {CodedError} if the vendor refuses the circuits, or their job fails.
   * @throws the signal's reason, soon after it aborts.
   */
  runOnDevice?(run: DeviceRun, hooks: RunHooks, signal: AbortSignal): Promise<DeviceResult>;
  /** Set for hardware: the vendor's report; undefined before it was fetched for the first time. */
  report?(): DeviceReport | undefined;
  /** Takes the processor out of service, or back; running circuits are finished, waiting ones keep waiting. */
  setMaintenance(maintenance: { readonly reason: string } | undefined): void;
}
