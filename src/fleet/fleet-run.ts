/**
 * A run in the fleet: one object from its submission to its answer. It is queued, scheduled, sent to a worker and
 * perhaps to another one, and it records its lanes and failures. The rules for retries of failed runs and for tests of
 * their engines are here, too.
 */
import type { DynamicCircuit } from '../circuit/circuit.ts';
import { CodedError } from '../errors/coded-error.ts';
import { EngineFailure, EngineLostError, OutOfMemoryError, WorkerLostError } from './errors.ts';
import type { CircuitRun, RunHooks } from './processor.ts';
import { EXACT_PRECISION, isExactOnThread } from './run-together.ts';
import type { LaneId, Precision } from './schedule/lane.ts';
import {
  type CircuitRequest,
  circuitWork,
  levelOf,
  type MayRunOn,
  type RunWork,
  runWork,
  type ScheduledRun,
} from './schedule/scheduled-run.ts';
import { ownRequest, sizeOfRun } from './workers/sent-batch.ts';
import type { RunOutcome } from './workers/worker-messages.ts';

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
export type PlacedRun = CircuitRun & RunPlace;

/** Answer of the backend: the outcome of a run, and where and when it ran. */
export interface Ran extends RunOutcome {
  readonly ranOn: LaneId;
  /** Precision of the computation: that of the processor, or better. */
  readonly precision: Precision;
  /** Devices of the fleet that it ran on. */
  readonly devices: readonly string[];
  /** From submission to the last start, milliseconds. */
  readonly queueMs: number;
}

/** Hears of a run's progress on the worker that it was given to. */
interface AttemptEvents {
  readonly onStarted: (startedAt: number) => void;
  readonly onProgress: (fraction: number) => void;
}

/** A run in the fleet. The arrays of its request are copies. */
export class FleetRun implements ScheduledRun {
  readonly id: string;
  readonly processor: string;
  readonly key: string;
  readonly level: number;
  readonly mayRunOn: MayRunOn;
  readonly precision: Precision;
  readonly needsDevice: boolean;
  readonly circuit: DynamicCircuit;
  readonly request: CircuitRequest;
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
  /** Losses of its engine while the engine ran nothing else. */
  lossesAlone = 0;
  /** Whether the run has begun once. */
  hasBegun = false;
  /** Lane of the last attempt; so are its devices and precision. */
  lane: LaneId = 'small';
  devices: readonly string[] = [];
  computedIn: Precision;
  #startedAt = 0;
  #attemptEvents: AttemptEvents | undefined;
  readonly #answer = Promise.withResolvers<Ran>();
  #onAbort: (() => void) | undefined;

  constructor(run: PlacedRun, { hooks, signal, selfTestOf }: RunCaller) {
    const { processor, precision, mayRunOn = 'cpu', needsDevice = false } = run;
    this.id = run.id;
    this.processor = processor;
    this.key = run.keyId;
    this.level = levelOf(run.priority, run.tier);
    this.mayRunOn = mayRunOn;
    this.precision = precision;
    this.computedIn = precision;
    this.needsDevice = needsDevice;
    this.circuit = run.circuit;
    this.request = ownRequest(run.request);
    this.work = runWork(circuitWork(run.circuit), this.request);
    this.numBytes = sizeOfRun(run);
    this.isPart = run.partOf !== undefined;
    this.hooks = hooks;
    this.signal = signal;
    this.selfTestOf = selfTestOf;
  }

  /** Settles once: with the outcome, with an error, or with the signal's reason. */
  get answer(): Promise<Ran> {
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
    this.#answer.resolve({ ...outcome, ranOn: lane, precision: computedIn, devices, queueMs });
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

/** Precision in which a lane computes a run. */
function precisionOn(lane: LaneId, { precision, work }: ScheduledRun): Precision {
  return lane === 'small' && isExactOnThread(work) ? EXACT_PRECISION : precision;
}

/**
 * A circuit is given up when its engine was lost so often while it ran nothing else. Three losses in a row
 * are hardly chance. Adapters have one more: when all are killed at once, a circuit may have been given
 * to an adapter, to another, to several together and to the CPU before their ends are known.
 *
 * Losses in company do not count: one of a list may have ended the engine of all. From then on each
 * of them runs by itself (`mayBeListed`), so that the one at fault is found, and no other.
 */
const MAX_LOSSES_ALONE = { cpu: 3, adapter: 4 } as const;
/** A circuit is given up when it filled the heap of a worker as often. */
const MAX_HEAPS_FILLED = 2;
/** Most starts of a run for which adapters have no memory. */
const MAX_ATTEMPTS = 4;
/** Error code of an adapter without enough memory; another adapter may have more. */
const NO_MEMORY = 'ENGINE_STATE_MEMORY';

/**
 * Whether a circuit that failed on a lane is run again: if its engine was lost, perhaps on the same one,
 * which is opened anew; and if an adapter had no memory for it and another lane takes it.
 *
 * @param attempts - Its starts so far.
 * @param lossesAlone - Losses of its engine while the engine ran nothing else, this one included.
 */
export function isTriedAgain(
  error: unknown,
  lane: LaneId,
  { attempts, lossesAlone }: { readonly attempts: number; readonly lossesAlone: number },
  isTakenElsewhere: () => boolean,
): boolean {
  const isAdapter = lane !== 'small' && lane !== 'wide';
  if (error instanceof WorkerLostError) {
    // Once, because data of earlier circuits may have filled the worker's heap. A new worker has none of it.
    if (hasFilledItsHeap(error)) return lossesAlone < MAX_HEAPS_FILLED;
    return lossesAlone < (isAdapter ? MAX_LOSSES_ALONE.adapter : MAX_LOSSES_ALONE.cpu);
  }
  const hasNoMemory = error instanceof EngineFailure && error.code === NO_MEMORY;
  return isAdapter && hasNoMemory && attempts < MAX_ATTEMPTS && isTakenElsewhere();
}

/** Whether a worker ended because the circuit filled its heap. */
export function hasFilledItsHeap(error: WorkerLostError): boolean {
  return error.isOutOfMemory && error.wasAlone;
}

/** Whether a failed circuit says something about the engine rather than about the circuit. */
export function isSignOfTrouble(error: unknown): boolean {
  return (
    error instanceof EngineLostError ||
    error instanceof OutOfMemoryError ||
    (error instanceof EngineFailure && error.code === NO_MEMORY) ||
    !(error instanceof CodedError)
  );
}
