/**
 * A run in the fleet: one object from its submission to its answer. It is queued, scheduled, given to a
 * worker and perhaps given to another one, and it notes on its way where it runs and what it has met.
 */
import type { DynamicCircuit } from '../circuit/circuit.ts';
import { MAX_BATCH_QUBITS } from '../engine/batch-shape.ts';
import type { BatchRun, CircuitRun, RunHooks } from './processor.ts';
import type { LaneId, Precision } from './schedule/lane.ts';
import {
  batchWork,
  type CircuitRequest,
  levelOf,
  type MayRunOn,
  type RunWork,
  runWork,
  type ScheduledRun,
} from './schedule/scheduled-run.ts';
import {
  type BatchRunRequest,
  factsOfShape,
  ownRequest,
  sizeOfBatch,
  widthOfBatch,
} from './workers/sent-batch.ts';
import { type SerializedCircuit, sizeOfCircuit, workOfCircuit } from './workers/sent-circuit.ts';
import { EXACT_PRECISION } from './workers/shape-batches.ts';
import type { BatchOutcome, CircuitOutcome, RunOutcome } from './workers/worker-messages.ts';

/** Place of a run: the processor decides where it may be executed. */
interface RunPlace {
  /** The processor it was sent to. */
  readonly processor: string;
  /** Precision that the processor promises. */
  readonly precision: Precision;
  /** The CPU by default. */
  readonly mayRunOn?: MayRunOn;
  /** Whether the run takes devices of the fleet. */
  readonly needsDevice?: boolean;
}

/** A run as its caller asked for it, with its place. */
export type Placed<R extends CircuitRun | BatchRun> = R & RunPlace;

/** Where and when something ran. */
export interface Ran {
  readonly ranOn: LaneId;
  /** Precision of the computation: that of the processor, or better. */
  readonly precision: Precision;
  /** Devices of the fleet that it ran on. */
  readonly devices: readonly string[];
  /** From submission to the last start, milliseconds. */
  readonly queueMs: number;
}

/** Answer of the backend to a circuit. */
export type RanCircuit = CircuitOutcome & Ran;

/** Answer of the backend to a batch. */
export type RanBatch = BatchOutcome & Ran;

/** Hears of a run's progress on the worker that it was given to. */
interface AttemptEvents {
  readonly onStarted: (startedAt: number) => void;
  readonly onProgress: (fraction: number) => void;
}

/** Base of circuits and batches in the fleet. */
abstract class RunInFleet<O extends RunOutcome> implements ScheduledRun {
  readonly id: string;
  readonly processor: string;
  readonly key: string;
  readonly level: number;
  readonly mayRunOn: MayRunOn;
  readonly precision: Precision;
  readonly needsDevice: boolean;
  readonly work: RunWork;
  /** Bytes that the run takes while it waits, about. */
  readonly numBytes: number;
  /** Whether another run keeps its place in the queue. */
  readonly isPart: boolean;
  readonly hooks: RunHooks;
  readonly signal: AbortSignal;
  /** Times are on the clock of `performance.now()`. */
  readonly submittedAt = performance.now();
  /** Lanes that could not finish the run. */
  readonly failedOn = new Set<LaneId>();
  /** Set for a self-test of a lane, which goes ahead of the queue, also while its processor is paused. */
  readonly selfTestOf: LaneId | undefined;
  attempts = 0;
  /** How often its engine was lost while that had nothing else to run. */
  lossesAlone = 0;
  /** Whether the run has begun once. */
  hasBegun = false;
  /** Lane of the last attempt; so are its devices and precision. */
  lane: LaneId = 'small';
  devices: readonly string[] = [];
  computedIn: Precision;
  #startedAt = 0;
  #attemptEvents: AttemptEvents | undefined;
  readonly #answer = Promise.withResolvers<O & Ran>();
  #onAbort: (() => void) | undefined;

  constructor(
    { id, partOf, keyId, tier, priority, ...place }: Placed<CircuitRun | BatchRun>,
    { work, numBytes }: { readonly work: RunWork; readonly numBytes: number },
    { hooks, signal, selfTestOf }: RunCaller,
  ) {
    const { processor, precision, mayRunOn = 'cpu', needsDevice = false } = place;
    this.id = id;
    this.processor = processor;
    this.key = keyId;
    this.level = levelOf(priority, tier);
    this.mayRunOn = mayRunOn;
    this.precision = precision;
    this.computedIn = precision;
    this.needsDevice = needsDevice;
    this.work = work;
    this.numBytes = numBytes;
    this.isPart = partOf !== undefined;
    this.hooks = hooks;
    this.signal = signal;
    this.selfTestOf = selfTestOf;
  }

  /** Settles once: with the outcome, with an error, or with the signal's reason. */
  get answer(): Promise<O & Ran> {
    return this.#answer.promise;
  }

  /** Calls back once when the signal aborts before the answer. */
  whenAborted(onAbort: () => void): void {
    this.#onAbort = onAbort;
    this.signal.addEventListener('abort', onAbort, { once: true });
  }

  /** Notes that the run is about to be given to an engine of the lane. */
  give(lane: LaneId, devices: readonly string[], events: AttemptEvents): void {
    this.attempts++;
    this.lane = lane;
    this.devices = devices;
    this.computedIn = precisionOn(lane, this);
    this.#startedAt = performance.now();
    this.#attemptEvents = events;
  }

  /** The worker has begun it. */
  onStarted(startedAt: number): void {
    this.#startedAt = startedAt;
    if (!this.hasBegun) this.hooks.onStarted?.();
    this.hasBegun = true;
    this.#attemptEvents?.onStarted(startedAt);
  }

  onProgress(fraction: number): void {
    this.hooks.onProgress?.(fraction);
    this.#attemptEvents?.onProgress(fraction);
  }

  /** Answers with the outcome. */
  complete(outcome: RunOutcome): void {
    this.#stopListening();
    const { lane, computedIn, devices, submittedAt } = this;
    const queueMs = this.#startedAt - submittedAt;
    const ran = { ranOn: lane, precision: computedIn, devices, queueMs };
    // Checked: a worker gives back for a circuit what a circuit has, and for a batch what a batch has.
    this.#answer.resolve({ ...(outcome as O), ...ran });
  }

  /** Answers with an error. */
  fail(error: unknown): void {
    this.#stopListening();
    this.#answer.reject(error);
  }

  #stopListening(): void {
    if (this.#onAbort !== undefined) this.signal.removeEventListener('abort', this.#onAbort);
  }
}

/** Who asked for a run and follows it. */
interface RunCaller {
  readonly hooks: RunHooks;
  readonly signal: AbortSignal;
  readonly selfTestOf?: LaneId;
}

/** A circuit in the fleet. */
export class FleetCircuitRun extends RunInFleet<CircuitOutcome> {
  readonly circuit: DynamicCircuit | SerializedCircuit;
  readonly request: CircuitRequest;

  constructor(run: Placed<CircuitRun>, caller: RunCaller) {
    const { circuit, request, partOf } = run;
    const work = runWork(workOfCircuit(circuit), request);
    // The circuit is in memory once, however many parts have it.
    const numBytes = partOf === undefined ? sizeOfCircuit(circuit) : 0;
    super(run, { work, numBytes }, caller);
    this.circuit = circuit;
    this.request = request;
  }
}

/** A batch in the fleet. Its request's arrays are copies. */
export class FleetBatchRun extends RunInFleet<BatchOutcome> {
  readonly shape: DynamicCircuit;
  readonly request: BatchRunRequest;

  constructor(run: Placed<BatchRun>, caller: RunCaller) {
    const { shape } = run;
    const request = ownRequest(run.request);
    const numQubits = widthOfBatch({ shape, request });
    const work = { ...batchWork(factsOfShape(shape).work, request), numQubits };
    super(run, { work, numBytes: sizeOfBatch({ shape, request }) }, caller);
    this.shape = shape;
    this.request = request;
  }
}

/** A run in the fleet. */
export type FleetRun = FleetCircuitRun | FleetBatchRun;

/**
 * Precision in which a lane computes a run. On a thread, batches of circuits of up to 12 qubits are computed in double
 * precision, and so are such circuits that ask for counts alone: they are so small that it takes no longer, and a
 * parameter sweep of them takes a tenth of the time. So a circuit has the same counts alone and in a batch.
 */
function precisionOn(lane: LaneId, { precision, work }: ScheduledRun): Precision {
  const isBatch = work.numCircuits !== undefined;
  const isExact = work.numQubits <= MAX_BATCH_QUBITS && (isBatch || work.numReadouts === 0);
  return lane === 'small' && isExact ? EXACT_PRECISION : precision;
}
