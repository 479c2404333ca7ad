/** What passes between the service and the processes that read bodies: plain data. */
import type { Fault } from '../../errors/coded-error.ts';
import type { PreparedCircuit, Target } from '../circuits/circuit-submission.ts';
import type { ReadSubmission } from '../circuits/read-submission.ts';
import type { ReadPlan, ReadTask } from '../tasks/read-task.ts';
import type { ReadTpuJob } from '../tpu/read-tpu-job.ts';

/** A body: as it came over the wire, or read. */
export type BodySource = { readonly bytes: Uint8Array } | { readonly value: unknown };

/** Work that was read, and the hash by which a repeat is known, where one was asked for. */
export interface ReadWork<Read> {
  readonly read: Read;
  readonly bodyHash?: string;
}

/** What is asked beside the body. */
export interface WorkRequest {
  /** Ids of the processors that circuits may be sent to. */
  readonly simulators: readonly string[];
  /** Path of the endpoint, where a hash is wanted. */
  readonly hashPath?: string;
}

/** Work for a reader, by kind: what it gets, and what it gives back. */
export interface ReadingWork {
  /** A request body into a submission. */
  readonly readSubmission: {
    readonly input: BodySource & {
      readonly targets: readonly Target[];
      readonly needsHash: boolean;
    };
    readonly output: ReadSubmission;
  };
  /** A stored request into its circuit. */
  readonly readStored: {
    readonly input: { readonly text: string; readonly targets: readonly Target[] };
    readonly output: PreparedCircuit;
  };
  /** A body of POST /quantum/compile into the text of its answer. */
  readonly compileCircuit: {
    readonly input: BodySource & { readonly targets: readonly Target[] };
    readonly output: string;
  };
  /** A body of POST /agents/{agent_id}/execute into a task. */
  readonly readTask: {
    readonly input: BodySource & { readonly request: WorkRequest & { readonly owner: string } };
    readonly output: ReadWork<ReadTask>;
  };
  /** A body of POST /systems/asi/plans into a plan. */
  readonly readPlan: {
    readonly input: BodySource & { readonly request: WorkRequest };
    readonly output: ReadWork<ReadPlan>;
  };
  /** A body of POST /tpu/jobs into a job. */
  readonly readTpuJob: {
    readonly input: BodySource & { readonly request: WorkRequest };
    readonly output: ReadWork<ReadTpuJob>;
  };
}

/** The kinds of work. */
export type ReadingKind = keyof ReadingWork;

/** To a reader: one piece of work, which it answers before it is sent the next. */
export type ToReader = {
  readonly [K in ReadingKind]: { readonly kind: K; readonly input: ReadingWork[K]['input'] };
}[ReadingKind];

/** From a reader. */
export type FromReader =
  | { readonly kind: 'ready' }
  /** It loads code for this body and those after it; until it has, no time is this body's. */
  | { readonly kind: 'preparing' }
  | { readonly kind: 'prepared' }
  | { readonly kind: 'done'; readonly output: unknown }
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly message: string;
      readonly faults: readonly Fault[];
    }
  | { readonly kind: 'broken'; readonly stack: string };
