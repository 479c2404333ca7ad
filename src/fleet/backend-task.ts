/** What the backend is given to run, keeps while it waits or runs, and gives back. */
import type { DynamicCircuit } from '../circuit/circuit.ts';
import type { RunRequest } from '../engine/engine.ts';
import type { RunHooks } from './processor.ts';
import type { LaneId, Precision } from './schedule/lane.ts';
import type { MayRunOn, Priority, ScheduledRun, Tier } from './schedule/scheduled-run.ts';
import type { Batch } from './workers/batch-tasks.ts';
import type { SerializedCircuit } from './workers/serialized-circuit.ts';
import type { WorkerBatchOutcome, WorkerOutcome } from './workers/worker-messages.ts';

/** What decides when and where the backend runs something. */
export interface BackendPlace {
  /** Unique among the tasks that wait. */
  readonly id: string;
  /** The processor it was sent to. */
  readonly processor: string;
  /** The API key whose task it is. */
  readonly keyId: string;
  readonly tier: Tier;
  readonly priority: Priority;
  readonly precision: Precision;
  /** What may run it: the CPU by default. */
  readonly mayRunOn?: MayRunOn;
  /** Whether it runs on devices of the fleet. */
  readonly needsDevice?: boolean;
}

/** A circuit for the backend. */
export interface BackendTask extends BackendPlace {
  readonly circuit: DynamicCircuit | SerializedCircuit;
  readonly request: Omit<RunRequest, 'onProgress'>;
}

/** A batch task for the backend. */
export interface BackendBatch extends BackendPlace, Batch {}

/** A self-test of a lane's engines: goes ahead of the queue, also while its processor is paused. */
export interface SelfTestTask
  extends Pick<BackendTask, 'id' | 'processor' | 'precision' | 'circuit' | 'request'> {
  readonly selfTestOf: LaneId;
}

/** Where and when something ran. */
export interface BackendRun {
  /** What ran it. */
  readonly ranOn: LaneId;
  /** What it was computed in: that of its processor, or better. */
  readonly precision: Precision;
  /** Devices of the fleet that it ran on. */
  readonly devices: readonly string[];
  /** From submission to the last start, milliseconds. */
  readonly queueMs: number;
}

/** What the backend gives back for a circuit. */
export interface BackendOutcome extends WorkerOutcome, BackendRun {}

/** What the backend gives back for a batch task. */
export interface BackendBatchOutcome extends WorkerBatchOutcome, BackendRun {}

/** What the backend gives back. */
export type BackendAnswer = BackendOutcome | BackendBatchOutcome;

/** How a task is followed, and where its answer goes. */
export interface TaskFollowing {
  readonly hooks: RunHooks;
  readonly signal: AbortSignal;
  readonly submittedAt: number;
  readonly resolve: (outcome: BackendAnswer) => void;
  readonly reject: (error: unknown) => void;
  readonly onAbort: () => void;
  attempts: number;
  /** How often its engine was lost while it had nothing else to run. */
  lossesAlone: number;
  /** Whether it has begun once. */
  hasBegun: boolean;
}

/** What waits or runs, whatever it is. */
interface Submitted extends ScheduledRun, TaskFollowing {
  readonly failedOn: Set<LaneId>;
}

/** A circuit that waits or runs. */
export interface SubmittedCircuit extends Submitted {
  readonly circuit: DynamicCircuit | SerializedCircuit;
  readonly request: Omit<RunRequest, 'onProgress'>;
}

/** A batch task that waits or runs. */
export interface SubmittedBatch extends Submitted, Batch {}

/** What waits or runs. */
export type SubmittedTask = SubmittedCircuit | SubmittedBatch;

/** A self-test that waits or runs. */
export interface SubmittedSelfTest extends SelfTestTask, TaskFollowing {}
