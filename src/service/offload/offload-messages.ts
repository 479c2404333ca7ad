/** What passes between the main thread and the offload thread: plain data. */
import type { Fault } from '../../errors/coded-error.ts';
import type { CircuitResult } from '../../fleet/processor.ts';
import type { PreparedCircuit, Target } from '../circuits/circuit-submission.ts';
import type { ReadSubmission } from '../circuits/read-submission.ts';
import type { ResultLayout } from '../circuits/result-json.ts';
import type { ReadWork, WorkRequest } from '../jobs/work-intake.ts';
import type { ReadPlan, ReadTask } from '../tasks/read-task.ts';
import type { ReadTpuJob } from '../tpu/read-tpu-job.ts';

/** A body: as it came over the wire, or read. */
export type BodySource = { readonly bytes: Uint8Array } | { readonly value: unknown };

/** Work for the thread, by kind: what it gets, and what it gives back. */
export interface OffloadedWork {
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
  /** A result into the text that is stored and answered. */
  readonly writeResult: {
    readonly input: { readonly layout: ResultLayout; readonly result: CircuitResult };
    readonly output: string;
  };
}

/** The kinds of work. */
export type OffloadKind = keyof OffloadedWork;

/** To the thread. */
export type ToOffload = {
  readonly [K in OffloadKind]: {
    readonly id: number;
    readonly kind: K;
    readonly input: OffloadedWork[K]['input'];
  };
}[OffloadKind];

/** From the thread. */
export type FromOffload =
  | { readonly id: number; readonly kind: 'done'; readonly output: unknown }
  | {
      readonly id: number;
      readonly kind: 'refused';
      readonly code: string;
      readonly message: string;
      readonly faults: readonly Fault[];
    }
  | { readonly id: number; readonly kind: 'broken'; readonly stack: string };

/** What of a source is moved to the thread instead of being copied. */
export function buffersOf(source: BodySource): readonly ArrayBuffer[] {
  if (!('bytes' in source)) return [];
  const { buffer, byteLength } = source.bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isWhole ? [buffer] : [];
}
