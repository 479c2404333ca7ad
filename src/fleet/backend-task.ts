/** What the backend is given to run, keeps while it waits or runs, and gives back. */
import type { Circuit } from '../circuit/circuit.ts';
import type { RunRequest } from '../engine/engine.ts';
import type { TaskHooks } from './processor.ts';
import type { MayRunOn, Priority, ScheduledTask, Tier } from './schedule/scheduled-task.ts';
import type { LaneId } from './width.ts';
import type { SerializedCircuit } from './workers/serialized-circuit.ts';
import type { Precision, WorkerOutcome } from './workers/worker-messages.ts';

/** Work for the backend. */
export interface BackendTask {
  /** Unique among the tasks that wait. */
  readonly id: string;
  /** The processor it was sent to. */
  readonly processor: string;
  /** The API key whose task it is. */
  readonly keyId: string;
  readonly tier: Tier;
  readonly priority: Priority;
  readonly precision: Precision;
  readonly circuit: Circuit | SerializedCircuit;
  readonly request: Omit<RunRequest, 'onProgress'>;
  /** What may run it: the CPU by default. */
  readonly mayRunOn?: MayRunOn;
  /** Whether it runs on devices of the fleet. */
  readonly needsDevice?: boolean;
}

/** A self-test of a lane's engines: goes ahead of the queue, also while its processor is paused. */
export interface SelfTestTask
  extends Pick<BackendTask, 'id' | 'processor' | 'precision' | 'circuit' | 'request'> {
  readonly selfTestOf: LaneId;
}

/** What the backend gives back. */
export interface BackendOutcome extends WorkerOutcome {
  /** What ran it. */
  readonly ranOn: LaneId;
  /** What it was computed in: that of its processor, or better. */
  readonly precision: Precision;
  /** Devices of the fleet that it ran on. */
  readonly devices: readonly string[];
  /** From submission to the last start, milliseconds. */
  readonly queueMs: number;
}

/** How a task is followed, and where its answer goes. */
export interface TaskFollowing {
  readonly hooks: TaskHooks;
  readonly signal: AbortSignal;
  readonly submittedAt: number;
  readonly resolve: (outcome: BackendOutcome) => void;
  readonly reject: (error: unknown) => void;
  readonly onAbort: () => void;
  attempts: number;
  /** Whether it has begun once. */
  hasBegun: boolean;
}

/** A circuit that waits or runs. */
export interface SubmittedTask extends ScheduledTask, TaskFollowing {
  readonly circuit: Circuit | SerializedCircuit;
  readonly request: Omit<RunRequest, 'onProgress'>;
  readonly failedOn: Set<LaneId>;
}

/** A self-test that waits or runs. */
export interface SubmittedSelfTest extends SelfTestTask, TaskFollowing {}
